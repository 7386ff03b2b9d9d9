"""Cut a text file of poses into columns of cells, remembering the line each row stands on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import RecordingError, did_you_mean
from handloom.streams.trajectory_layout import TrajectoryLayout

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Float64Array = npt.NDArray[np.float64]

_YES = ("true", "1", "yes", "t", "1.0")
_NO = ("false", "0", "no", "f", "0.0")


@attrs.frozen(kw_only=True, eq=False)
class Rows:
    """The cells of a file.

    Attributes:
        name: The file's name, for messages.
        titles: Column titles; empty without a header.
        lines: (N,) 1-based line of each row.
        columns: Per column the (N,) texts of its cells.
    """

    name: str
    titles: tuple[str, ...]
    lines: Int64Array
    columns: tuple[tuple[str, ...], ...]

    def mistake(self, row: int, sentence: str) -> RecordingError:
        """Return an error that names the file and the line of a row."""
        return RecordingError(f"{self.name}, line {self.lines[row]}: {sentence}")

    def column(self, wanted: str) -> tuple[str, ...]:
        """Return the cells of a column, by its title or by its 0-based position.

        Raises:
            RecordingError: There is no such column.
        """
        if wanted in self.titles:
            return self.columns[self.titles.index(wanted)]
        if wanted.isdecimal() and int(wanted) < len(self.columns):
            return self.columns[int(wanted)]
        if wanted.isdecimal() or not self.titles:
            raise RecordingError(
                f"{self.name}: column '{wanted}' was asked for; the rows have {len(self.columns)} cells, "
                f"0 to {len(self.columns) - 1}{'' if self.titles else ', and no header names them'}."
            )
        raise RecordingError(
            f"{self.name}: the header says {', '.join(self.titles)} and "
            f"has no column '{wanted}'{did_you_mean(wanted, self.titles)}"
        )

    def numbers(self, wanted: str) -> Float64Array:
        """Return a column as (N,) float64; a blank cell is NaN.

        Raises:
            RecordingError: A cell is neither blank nor a number, or is infinite.
        """
        cells = self.column(wanted)
        values = np.array([_number(cell) for cell in cells], dtype=np.float64)
        infinite = np.flatnonzero(np.isinf(values))
        if len(infinite):
            row = int(infinite[0])
            raise self.mistake(
                row, f"column '{wanted}' holds '{cells[row]}'; expected a finite number or a blank."
            )
        return values

    def answers(self, wanted: str) -> BoolArray:
        """Return a column of yes and no as (N,) bool.

        Raises:
            RecordingError: A cell is neither.
        """
        cells = [cell.lower() for cell in self.column(wanted)]
        strange = [row for row, cell in enumerate(cells) if cell not in _YES and cell not in _NO]
        if strange:
            raise self.mistake(
                strange[0],
                f"column '{wanted}' holds '{cells[strange[0]]}'; expected true, false, 1, 0, yes or no.",
            )
        return np.array([cell in _YES for cell in cells], dtype=np.bool_)


def _number(cell: str) -> float:
    """Return the number; infinity stands for what is none, since a file may not hold one either."""
    if not cell:
        return float("nan")
    try:
        return float(cell)
    except ValueError:
        return float("inf")


def read_rows(path: Path, layout: TrajectoryLayout) -> Rows:
    """Read all rows of a file.

    Raises:
        RecordingError: The file is missing, not text, empty, or a row has another number of cells than expected.
    """
    text_lines = _text(path).split("\n")
    titles = _titles(path, text_lines, layout)
    rows: list[list[str]] = []
    lines: list[int] = []
    # Text has no length known in advance: one line after another is what there is.
    for number, line in enumerate(text_lines[layout.header_lines :], start=layout.header_lines + 1):
        if not line.strip() or (layout.comment and line.lstrip().startswith(layout.comment)):
            continue
        rows.append(_cells(line, layout.delimiter))
        lines.append(number)
    if not rows:
        raise RecordingError(f"{path.name}: holds no row of a pose; expected at least one below the header.")
    _check_widths(path.name, rows, lines, layout.cells_per_row or len(titles) or len(rows[0]))
    return Rows(
        name=path.name, titles=titles, lines=np.array(lines, np.int64), columns=tuple(zip(*rows, strict=True))
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise RecordingError(f"{path.name}: there is no such file; expected a text file of poses.") from None
    except UnicodeDecodeError as error:
        raise RecordingError(
            f"{path.name}: is not text (byte {error.start}); expected a text file of poses."
        ) from error
    except OSError as error:
        raise RecordingError(f"{path.name}: can't be read: {error.strerror}.") from error


def _titles(path: Path, text_lines: list[str], layout: TrajectoryLayout) -> tuple[str, ...]:
    if not layout.header_lines:
        return ()
    if len(text_lines) < layout.header_lines:
        raise RecordingError(
            f"{path.name}: has {len(text_lines)} lines; expected {layout.header_lines} header lines and rows."
        )
    header = text_lines[layout.header_lines - 1].lstrip()
    return tuple(_cells(header.removeprefix(layout.comment), layout.delimiter))


def _cells(line: str, delimiter: str) -> list[str]:
    if not delimiter:
        return line.split()
    return [cell.strip().strip('"').strip() for cell in line.split(delimiter)]


def _check_widths(name: str, rows: list[list[Any]], lines: list[int], expected: int) -> None:
    for line, row in zip(lines, rows, strict=True):
        if len(row) != expected:
            raise RecordingError(f"{name}, line {line}: found {len(row)} cells; expected {expected}.")
