"""Writes a take as OptiTrack's Motive exports it to CSV, versions 1.23 and 1.24."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import pose

FloatArray = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True)
class MotiveFormat:
    """How the take is exported.

    Attributes:
        version: Format Version.
        unit: Length Units.
        body: Name of the rigid body.
        lower_case: Whether the axes are headed x y z w, as some editions do.
        utc_offset_h: Time zone of the computer; start times are local and do not name it.
        mean_error: Whether each body has an eighth column, its mean marker error.
        markers: Whether the body's markers follow it; 1.24 always has them.
    """

    version: Literal["1.23", "1.24"] = "1.23"
    unit: Literal["Meters", "Millimeters"] = "Meters"
    body: str = "PolyUMI gripper"
    lower_case: bool = False
    utc_offset_h: float = -5.0
    mean_error: bool = False
    markers: bool = False


MARKERS_M = ((0.03, 0.0, 0.01), (-0.03, 0.01, 0.0), (0.0, 0.04, 0.0), (0.01, -0.03, 0.02))
"""The markers in the rigid body's frame."""


def write_motive(
    path: Path, poses: FloatArray, *, rate_hz: float, started: dt.datetime, format_: MotiveFormat
) -> Path:
    """Write a take with one rigid body.

    Args:
        path: Where to.
        poses: (N, 7) T_optitrack_body, one a frame; NaN where it was not seen, which leaves the cells blank.
        rate_hz: Frames a second, by Motive's own clock.
        started: Time of day of frame 0, aware of its zone.
        format_: How.
    """
    columns = _columns(format_)
    lines = [_first_line(path.stem, len(poses), rate_hz, started, format_), ""]
    lines += [",".join(["", head, *(column[row] for column in columns)]) for row, head in enumerate(_HEADS)]
    axes = [column[4].lower() if format_.lower_case else column[4] for column in columns]
    lines.append(",".join(["Frame", "Time (Seconds)", *axes]))
    lines += _rows(poses, rate_hz, format_)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\r\n")
    return path


_HEADS = ("Type", "Name", "ID", "")
_Column = tuple[str, str, str, str, str]


def _first_line(take: str, count: int, rate_hz: float, started: dt.datetime, format_: MotiveFormat) -> str:
    local = started.astimezone(dt.timezone(dt.timedelta(hours=format_.utc_offset_h)))
    start = f"{local:%Y-%m-%d %I.%M.%S}.{local.microsecond // 1000:03d} {local:%p}"
    pairs = [
        ("Format Version", format_.version),
        ("Take Name", take),
        ("Capture Frame Rate", f"{rate_hz:.6f}"),
        ("Export Frame Rate", f"{rate_hz:.6f}"),
        ("Capture Start Time", start),
        *([("Capture Start Frame", "0")] if format_.version == "1.24" else []),
        ("Total Frames in Take", str(count)),
        ("Total Exported Frames", str(count)),
        ("Rotation Type", "Quaternion"),
        ("Length Units", format_.unit),
        ("Coordinate Space", "Global"),
    ]
    return ",".join(f"{key},{value}" for key, value in pairs)


def _columns(format_: MotiveFormat) -> list[_Column]:
    """Return type, name, ID, quantity and axis of each data column."""
    name, id_ = format_.body, "8A3D2B1C9E7F11EE"
    body = ("Rigid Body", name, id_)
    columns = [(*body, "Rotation", axis) for axis in "XYZW"] + [(*body, "Position", axis) for axis in "XYZ"]
    if format_.mean_error:
        columns.append((*body, "Mean Marker Error", ""))
    if _has_markers(format_):
        for index in range(len(MARKERS_M)):
            marker = ("Rigid Body Marker", f"{name}:Marker{index + 1:03d}", f"{id_[:-1]}{index}")
            columns += [(*marker, "Position", axis) for axis in "XYZ"]
    return columns


def _has_markers(format_: MotiveFormat) -> bool:
    return format_.markers or format_.version == "1.24"


def _rows(poses: FloatArray, rate_hz: float, format_: MotiveFormat) -> Iterator[str]:
    scale = 1000.0 if format_.unit == "Millimeters" else 1.0
    rotations, positions = poses[:, 3:], poses[:, :3] * scale
    blocks = [rotations, positions]
    if format_.mean_error:
        blocks.append(np.where(np.isnan(poses[:, :1]), np.nan, 1.3e-4 * scale))
    if _has_markers(format_):
        blocks += [pose.transform_points(poses, marker) * scale for marker in MARKERS_M]
    for frame, row in enumerate(np.concatenate(blocks, axis=1).tolist()):
        cells = ["" if value != value else f"{value:.6f}" for value in row]
        yield ",".join([str(frame), f"{frame / rate_hz:.6f}", *cells])
