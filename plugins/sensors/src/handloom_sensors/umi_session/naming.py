"""What the names of UMI's `demos` folders say: mapping, gripper_calibration_SERIAL_TIME, demo_SERIAL_TIME."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import attrs

Role = Literal["mapping", "gripper_calibration", "demonstration", ""]

DEMO_FILE = "raw_video.mp4"

_TIMED = re.compile(
    r"(?P<role>gripper_calibration|demo)_(?P<serial>[^_]+)_(?P<time>\d{4}\.\d\d\.\d\d_\d\d\.\d\d\.\d\d(?:\.\d+)?)"
)


@attrs.frozen(kw_only=True)
class Named:
    """What a name says.

    Attributes:
        role: What the recording is for; "" when the name does not say.
        serial: The camera's serial number; "" when the name does not say.
        time: When it began, "2026.01.31_12.00.00.000000"; "" when the name does not say.
    """

    role: Role = ""
    serial: str = ""
    time: str = ""


def named(path: Path) -> Named:
    """Read the name of a folder of `demos`, or of a file that lies in one."""
    name = (
        path.parent.name if path.name == DEMO_FILE else path.stem if path.suffix.lower() == ".mp4" else path.name
    )
    if name == "mapping":
        return Named(role="mapping")
    match = _TIMED.fullmatch(name)
    if match is None:
        return Named()
    role: Role = "demonstration" if match["role"] == "demo" else "gripper_calibration"
    return Named(role=role, serial=match["serial"], time=match["time"])


def is_recording(path: Path) -> bool:
    """Say whether a file is a recording by its name."""
    return path.suffix.lower() == ".mp4" and not path.name.startswith(".")
