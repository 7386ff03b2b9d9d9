"""The telemetry of a HERO11, in its words and scales: what a writer of its files says of motion and frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from handloom_sensors.gpmf.axes import channels_from_optical, cori_from_orientation
from handloom_sensors.gpmf.writer import Signal, stored

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

ACCELEROMETER_SCALE = 417.0
GYROSCOPE_SCALE = 939.0
UNIT_SCALE = 32767.0
"""SCAL of ACCL, GYRO, and of CORI and GRAV. Source: a HERO11's own file."""


def motion_signals(
    specific_force: FloatArray,
    angular_velocity: FloatArray,
    *,
    stamps_us: Int64Array,
    orientation: str,
    temperature_c: float,
    stamped: bool = True,
) -> list[Signal]:
    """Return accelerometer and gyroscope.

    Args:
        specific_force: (N, 3) m/s^2 in the optical frame.
        angular_velocity: (N, 3) rad/s in the optical frame.
        stamps_us: (N,) int64 microseconds on the camera's counter.
        orientation: ORIN, the order in which the axes are recorded.
        temperature_c: Of the sensor.
        stamped: Whether STMP is written.
    """
    channels = channels_from_optical(orientation).T
    common: dict[str, Any] = {
        "types": "sss",
        "stamps_us": stamps_us,
        "orientation": orientation,
        "temperature_c": temperature_c,
        "stamped": stamped,
    }
    return [
        Signal(
            key="ACCL",
            values=stored(specific_force @ channels, ACCELEROMETER_SCALE),
            title="Accelerometer",
            unit="m/s²",
            scale=(ACCELEROMETER_SCALE,),
            **common,
        ),
        Signal(
            key="GYRO",
            values=stored(angular_velocity @ channels, GYROSCOPE_SCALE),
            title="Gyroscope",
            unit="rad/s",
            scale=(GYROSCOPE_SCALE,),
            **common,
        ),
    ]


def frame_signals(
    orientations: FloatArray,
    gravity: FloatArray,
    *,
    stamps_us: Int64Array,
    exposure_s: float,
    stamped: bool = True,
) -> list[Signal]:
    """Return what is said of each frame: exposure, ISO 400, orientation and gravity.

    Args:
        orientations: (N, 4) quaternions x y z w of R_start_optical.
        gravity: (N, 3) unit vectors in the optical frame.
        stamps_us: (N,) int64 microseconds on the camera's counter.
        exposure_s: Of every frame.
        stamped: Whether STMP is written.
    """
    common: dict[str, Any] = {"stamps_us": stamps_us, "stamped": stamped}
    shutter, iso = np.full((len(stamps_us), 1), exposure_s), np.full((len(stamps_us), 1), 400, np.uint16)
    cori = stored(cori_from_orientation(orientations), UNIT_SCALE)
    down = stored(gravity, UNIT_SCALE)
    return [
        Signal(key="SHUT", types="f", values=shutter, title="Exposure time (shutter speed)", unit="s", **common),
        Signal(key="ISOE", types="S", values=iso, title="Sensor ISO", **common),
        Signal(key="CORI", types="ssss", values=cori, title="CameraOrientation", scale=(UNIT_SCALE,), **common),
        Signal(key="GRAV", types="sss", values=down, title="Gravity Vector", scale=(UNIT_SCALE,), **common),
    ]
