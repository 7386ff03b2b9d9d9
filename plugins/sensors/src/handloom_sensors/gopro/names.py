"""What a GoPro's streams are called in Handloom, and what a sample of each is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from handloom.streams import StreamType

OPTICAL = "@/optical"
"""The camera's optical frame: x right, y down, z forward."""

RAW = "@/raw"
"""The axes in which a sensor recorded, when the file does not say how they lie in the camera."""

START = "@/start"
"""The camera's optical frame at the start of capture, as far as the camera's own orientation filter knows it."""

MIXED = "mixed"
"""Unit of a vector whose columns have units of their own, listed in its attribute `units`."""


def _scalar(unit: str) -> StreamType:
    return StreamType(kind="scalar", dtype="float64", unit=unit)


def _vector(kind: str, length: int | None, unit: str, frame: str = "") -> StreamType:
    return StreamType(kind=kind, dtype="float64", shape=(length,), unit=unit, frame=frame)


EXTRA = _vector("vector", None, MIXED)

TYPES: Mapping[str, StreamType] = MappingProxyType(
    {
        "accelerometer": _vector("acceleration", 3, "m/s^2", OPTICAL),
        "gyroscope": _vector("angular_velocity", 3, "rad/s", OPTICAL),
        "accelerometer_raw": _vector("vector", 3, "m/s^2", RAW),
        "gyroscope_raw": _vector("vector", 3, "rad/s", RAW),
        "magnetometer": _vector("magnetic_field", 3, "tesla", RAW),
        "gravity": _vector("direction", 3, "1", OPTICAL),
        "camera_orientation": _vector("orientation", 4, "1", START),
        "image_orientation": _vector("orientation", 4, "1", OPTICAL),
        "gps": _vector("geodetic", 3, "deg, deg, m"),
        "gps_speed": _vector("vector", 2, "m/s"),
        "gps_fix": _scalar("1"),
        "gps_dop": _scalar("1"),
        "gps_time": _scalar("s"),
        "exposure_time": _scalar("s"),
        "iso": _scalar("1"),
        "white_balance": _scalar("K"),
        "temperature": _scalar("degC"),
    }
)
"""The streams made of telemetry that may be wired, by name.

What is measured along unknown axes is a plain vector, so that it is never wired unasked to a step that turns or
integrates accelerations; it stands under a name of its own, instead of the stream in the optical frame.
"""

RAW_NAMES: Mapping[str, str] = MappingProxyType(
    {"accelerometer": "accelerometer_raw", "gyroscope": "gyroscope_raw"}
)
"""What a motion sensor's stream is called when nothing tells its axes."""

SCALARS: Mapping[str, str] = MappingProxyType({"exposure_time": "SHUT", "iso": "ISOE", "white_balance": "WBAL"})
"""Scalar streams that are one telemetry stream as it is, with its FourCC."""


def slug(text: str) -> str:
    """Return text as part of a stream's name: lower case, digits and underscores."""
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_") or "unnamed"
