"""The numbers of one rigid body, taken out of a Motive CSV in large bites."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from operator import itemgetter

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import RecordingError
from handloom_pose_sources.motive.columns import BodyColumns
from handloom_pose_sources.motive.header import MotiveHeader

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

_BITE = 20_000
"""Rows that are text at one time: a few MB, however long the take."""

_ROUNDED_S = 0.001
"""Motive rounds the time column to milliseconds in most versions."""


@attrs.frozen(kw_only=True, eq=False)
class BodyRows:
    """One rigid body over the take, as the file has it.

    Attributes:
        frames: (N,) int64 frame numbers, strictly increasing.
        poses: (N, 7) x y z in the file's unit and quaternion x y z w; NaN where the cell is blank.
        marker_errors: (N,) in the file's unit, NaN where blank; None where not exported.
    """

    frames: Int64Array
    poses: Float64Array
    marker_errors: Float64Array | None


def read_rows(lines: Iterable[str], header: MotiveHeader, columns: BodyColumns) -> BodyRows:
    """Read the rows below a header.

    Args:
        lines: The file's lines below the header.
        header: For messages, and for where the lines begin.
        columns: Which cells to take.

    Raises:
        RecordingError: A row is cut short or holds something else than numbers and blanks, frames do not increase,
            the time column contradicts the frame rate, or there is no row.
    """
    error = () if columns.marker_error is None else (columns.marker_error,)
    places = (0, 1, *columns.position, *columns.rotation, *error)
    bites = list(_bites(lines, header, places))
    if not bites:
        raise RecordingError(f"{header.name}: has no row below its header.")
    numbers = np.concatenate(bites)
    return BodyRows(
        frames=_frames(numbers, header),
        poses=numbers[:, 2:9].copy(),
        marker_errors=numbers[:, 9].copy() if error else None,
    )


def _bites(lines: Iterable[str], header: MotiveHeader, places: tuple[int, ...]) -> Iterator[Float64Array]:
    rows = filter(None, csv.reader(lines))
    first = 0
    pick: Callable[[list[str]], tuple[str, ...]] = itemgetter(*places)
    while bite := list(islice(rows, _BITE)):
        yield _numbers(bite, header, places, pick, first)
        first += len(bite)


def _numbers(
    bite: list[list[str]],
    header: MotiveHeader,
    places: tuple[int, ...],
    pick: Callable[[list[str]], tuple[str, ...]],
    first: int,
) -> Float64Array:
    """Return rows of text as (n, len(places)) float64, blanks as NaN."""
    _check_lengths(bite, header, max(places) + 1, first)
    cells = np.array(list(map(pick, bite)), dtype=np.str_)
    blank = np.strings.str_len(np.strings.strip(cells)) == 0
    try:
        numbers = np.where(blank, "nan", cells).astype(np.float64)
    except ValueError:
        raise _bad_cell(cells, blank, header, places, first) from None
    if np.isinf(numbers).any():
        raise _bad_cell(cells, blank, header, places, first)
    return numbers


def _check_lengths(bite: list[list[str]], header: MotiveHeader, least: int, first: int) -> None:
    lengths = np.fromiter(map(len, bite), np.int64, len(bite))
    short = np.flatnonzero(lengths < least)
    if len(short):
        row = int(short[0])
        raise RecordingError(
            f"{header.name}, row {first + row + 1} below the header: found {lengths[row]} cells; expected "
            f"{len(header.rows['axis'])}. Was the file cut off while it was written?"
        )


def _bad_cell(
    cells: npt.NDArray[np.str_],
    blank: npt.NDArray[np.bool_],
    header: MotiveHeader,
    places: tuple[int, ...],
    first: int,
) -> RecordingError:
    # One cell after another, as this is for the message of a file that is refused anyway.
    for row, texts in enumerate(cells.tolist()):
        for column, text in enumerate(texts):
            if not blank[row, column] and not _is_finite_number(text):
                return RecordingError(
                    f"{header.name}, row {first + row + 1} below the header, column {places[column] + 1}: holds "
                    f"'{text}'; expected a number with a point, or a blank where the body was lost."
                )
    raise AssertionError("a cell that numpy refuses and Python takes")


def _is_finite_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _frames(numbers: Float64Array, header: MotiveHeader) -> Int64Array:
    """Return the frame numbers once they make sense beside the time column."""
    wrong = np.flatnonzero(~(numbers[:, 0] == np.rint(numbers[:, 0])))
    if len(wrong):
        raise RecordingError(
            f"{header.name}, row {wrong[0] + 1} below the header: the frame is {numbers[wrong[0], 0]:g}; "
            "expected a whole number."
        )
    frames = numbers[:, 0].astype(np.int64)
    back = np.flatnonzero(np.diff(frames) <= 0)
    if len(back):
        row = int(back[0]) + 1
        raise RecordingError(
            f"{header.name}, row {row + 1} below the header: frame {frames[row]} comes after {frames[row - 1]}; "
            "expected each frame once, in order."
        )
    _check_times(numbers[:, 1], frames, header)
    return frames


def _check_times(times_s: Float64Array, frames: Int64Array, header: MotiveHeader) -> None:
    """Refuse a time column that runs at another rate than the header says."""
    off = np.abs(times_s - frames / header.rate_hz())
    wrong = np.flatnonzero(off > _ROUNDED_S + 0.5 / header.rate_hz())
    if len(wrong):
        row, rate = int(wrong[0]), header.rate_hz()
        raise RecordingError(
            f"{header.name}, row {row + 1} below the header: the time is {times_s[row]:g} s, but frame "
            f"{frames[row]} at the Export Frame Rate of {rate:g} is {frames[row] / rate:.4f} s."
        )
