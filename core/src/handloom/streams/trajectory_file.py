"""Read a text file of poses (TUM, EuRoC, or any column map) into stamps, poses and tracking, losing nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from handloom.streams.decimal_time import stamps_from_text
from handloom.streams.trajectory_layout import TrajectoryLayout
from handloom.streams.trajectory_rows import Rows, read_rows

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Float64Array = npt.NDArray[np.float64]

_METRES = {"m": 1.0, "mm": 1000.0}
"""By how much a length is divided to give metres."""


@attrs.frozen(kw_only=True, eq=False)
class Trajectory:
    """The poses of a file, in its own order.

    Attributes:
        name: The file's name.
        keys: (N,) int64, strictly increasing: stamps in ns, or indices of video frames.
        poses: (N, 7) metres and unit quaternion x y z w; NaN where lost.
        tracked: (N,) bool.
        lines: (N,) 1-based line of the file each row stands on.
    """

    name: str
    keys: Int64Array
    poses: Float64Array
    tracked: BoolArray
    lines: Int64Array

    def __len__(self) -> int:
        return len(self.keys)


def read_trajectory(
    path: Path, layout: TrajectoryLayout, *, by: Literal["time", "frame_index"] = "time"
) -> Trajectory:
    """Read a file of poses; a lost row becomes NaN and `tracked = false`.

    A row is lost when its quaternion is all zeros, when a cell of its pose is blank or NaN, or when the file says
    so.

    Args:
        path: The file.
        layout: Its columns, see `LAYOUTS` for known formats.
        by: What orders the rows. Trackers that look at video repeat stamps but not frame indices.

    Raises:
        RecordingError: The file can't be read as this; the message names file, line, what was found and expected.
    """
    rows = read_rows(path, layout)
    keys = _stamps(rows, layout) if by == "time" else _frame_indices(rows, layout)
    _check_order(rows, keys, "stamp" if by == "time" else "frame index")
    poses = _poses(rows, layout)
    lost = _lost(rows, layout, poses)
    poses = _with_unit_quaternions(rows, layout, poses, ~lost)
    poses[lost] = np.nan
    return Trajectory(name=path.name, keys=keys, poses=poses, tracked=~lost, lines=rows.lines)


def _stamps(rows: Rows, layout: TrajectoryLayout) -> Int64Array:
    cells = rows.column(layout.time)
    stamps, valid = stamps_from_text(cells, layout.time_unit)
    if not valid.all():
        row = int(np.argmin(valid))
        raise rows.mistake(row, f"the time is '{cells[row]}'; expected a decimal number of {layout.time_unit}.")
    return stamps


def _frame_indices(rows: Rows, layout: TrajectoryLayout) -> Int64Array:
    cells = rows.column(layout.frame_index)
    strange = [
        row for row, cell in enumerate(cells) if not (cell.isdecimal() and cell.isascii()) or len(cell) > 18
    ]
    if strange:
        raise rows.mistake(
            strange[0], f"the frame index is '{cells[strange[0]]}'; expected a whole number from 0."
        )
    return np.array(cells).astype(np.int64)


def _check_order(rows: Rows, keys: Int64Array, what: str) -> None:
    wrong = np.flatnonzero(keys[1:] <= keys[:-1])
    if not len(wrong):
        return
    row = int(wrong[0]) + 1
    how = "repeats" if keys[row] == keys[row - 1] else "goes back from"
    unit = " ns" if what == "stamp" else ""
    raise rows.mistake(
        row,
        f"{what} {keys[row]}{unit} {how} {keys[row - 1]}{unit} of line {rows.lines[row - 1]}; "
        f"expected each {what} once and in increasing order ({len(wrong)} such rows).",
    )


def _poses(rows: Rows, layout: TrajectoryLayout) -> Float64Array:
    """Return (N, 7) as the file has them, in metres and in order x y z w."""
    order = [layout.quaternion_order.index(letter) for letter in "xyzw"]
    quaternion = [layout.quaternion[place] for place in order]
    position = np.column_stack([rows.numbers(column) for column in layout.position]) / _METRES[layout.length_unit]
    return np.column_stack([position, *(rows.numbers(column) for column in quaternion)])


def _lost(rows: Rows, layout: TrajectoryLayout, poses: Float64Array) -> BoolArray:
    lost: BoolArray = np.isnan(poses).any(axis=1) | (poses[:, 3:] == 0).all(axis=1)
    if layout.tracked:
        answers = rows.answers(layout.tracked)
        lost |= answers if layout.tracked_means == "lost" else ~answers
    return lost


def _with_unit_quaternions(
    rows: Rows, layout: TrajectoryLayout, poses: Float64Array, tracked: BoolArray
) -> Float64Array:
    norms = np.where(tracked, np.linalg.norm(poses[:, 3:], axis=1), 1.0)
    wrong = np.flatnonzero(np.abs(norms - 1) > layout.quaternion_tolerance)
    if len(wrong):
        row = int(wrong[0])
        raise rows.mistake(
            row,
            f"the quaternion has norm {norms[row]:.6g}; expected 1 within {layout.quaternion_tolerance:g}, "
            f"or all zeros for a lost row. Check the column map.",
        )
    unit = poses.copy()
    unit[:, 3:] /= norms[:, None]
    return unit
