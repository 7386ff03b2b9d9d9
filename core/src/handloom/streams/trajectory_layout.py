"""Where a pose file keeps time, position, orientation and tracking: column maps, and those of known formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal

import attrs

from handloom.errors import StreamError, did_you_mean


def _as_name(value: str | int) -> str:
    return str(value)


def _as_names(values: tuple[str | int, ...]) -> tuple[str, ...]:
    return tuple(str(value) for value in values)


def _of_length(count: int) -> Callable[[object, Any, tuple[str, ...]], None]:
    def check(_: object, attribute: Any, value: tuple[str, ...]) -> None:
        if len(value) != count:
            raise StreamError(f"'{attribute.name}' names {count} columns; found {len(value)}: {list(value)}.")

    return check


def _at_least_zero(_: object, attribute: Any, value: int) -> None:
    if value < 0:
        raise StreamError(f"'{attribute.name}' is a count, 0 or more; found {value}.")


@attrs.frozen(kw_only=True)
class TrajectoryLayout:
    """The column map of a text file of poses.

    A column is named by its title in the last header line, or by its 0-based position written as a number; ""
    means that the file has no such column.

    Attributes:
        time: Column of the stamp.
        position: Columns of x, y, z.
        quaternion: The four columns of the quaternion, as the file orders them.
        quaternion_order: What those four are.
        frame_index: Column of the 0-based index of the video frame a row belongs to.
        tracked: Column of a yes or no: true, false, 1, 0, yes, no.
        tracked_means: What a yes in that column means.
        time_unit: Unit of the stamp.
        length_unit: Unit of the position.
        delimiter: What stands between two cells; "" is any run of blanks.
        header_lines: Lines before the first row, comments among them; the last one holds the titles.
        comment: A line that starts with it is skipped; "" for none.
        cells_per_row: How many cells each row has; 0 means as many as the header, or else the first row.
        quaternion_tolerance: How far the norm of a quaternion may be from 1 before the row is refused.
    """

    time: str = attrs.field(default="0", converter=_as_name)
    position: tuple[str, ...] = attrs.field(default=("1", "2", "3"), converter=_as_names, validator=_of_length(3))
    quaternion: tuple[str, ...] = attrs.field(
        default=("4", "5", "6", "7"), converter=_as_names, validator=_of_length(4)
    )
    quaternion_order: Literal["xyzw", "wxyz"] = attrs.field(
        default="xyzw", validator=attrs.validators.in_(("xyzw", "wxyz"))
    )
    frame_index: str = attrs.field(default="", converter=_as_name)
    tracked: str = attrs.field(default="", converter=_as_name)
    tracked_means: Literal["tracked", "lost"] = attrs.field(
        default="tracked", validator=attrs.validators.in_(("tracked", "lost"))
    )
    time_unit: Literal["s", "ms", "us", "ns"] = attrs.field(
        default="s", validator=attrs.validators.in_(("s", "ms", "us", "ns"))
    )
    length_unit: Literal["m", "mm"] = attrs.field(default="m", validator=attrs.validators.in_(("m", "mm")))
    delimiter: str = ","
    header_lines: int = attrs.field(default=0, validator=_at_least_zero)
    comment: str = "#"
    cells_per_row: int = attrs.field(default=0, validator=_at_least_zero)
    quaternion_tolerance: float = 0.01


LAYOUTS: Mapping[str, TrajectoryLayout] = MappingProxyType(
    {
        "tum": TrajectoryLayout(delimiter="", cells_per_row=8),
        "euroc": TrajectoryLayout(quaternion_order="wxyz", time_unit="ns"),
        "orb_slam3": TrajectoryLayout(
            time="timestamp",
            position=("x", "y", "z"),
            quaternion=("q_x", "q_y", "q_z", "q_w"),
            frame_index="frame_idx",
            tracked="is_lost",
            tracked_means="lost",
            header_lines=1,
            comment="",
        ),
    }
)
"""The known formats.

Source: TUM RGB-D benchmark, file formats; EuRoC MAV dataset, state_groundtruth_estimate0/data.csv; the CSV that
the ORB-SLAM3 forks of UMI and PolyUMI write.
"""


def layout_named(format_: str, columns: TrajectoryLayout | None = None) -> TrajectoryLayout:
    """Return the column map of a known format, or the given one for the format "csv".

    Raises:
        StreamError: The format is unknown, or "csv" comes without columns, or another one with them.
    """
    if format_ == "csv":
        if columns is None:
            raise StreamError("Format 'csv' says nothing of its columns; give them as `columns`.")
        return columns
    if format_ not in LAYOUTS:
        raise StreamError(f"Trajectory format '{format_}' is unknown{did_you_mean(format_, (*LAYOUTS, 'csv'))}")
    if columns is not None:
        raise StreamError(f"Format '{format_}' has its own columns; use format 'csv' to give others.")
    return LAYOUTS[format_]
