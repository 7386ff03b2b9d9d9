"""From the axes a GoPro's sensor is soldered in to the camera's optical frame: x right, y down, z forward.

ORIN names the axis each recorded channel measures, in the order of the channels; a lower-case letter is the
negative of the axis: "XzY" is X, -Z, Y. ORIO names the axes after MTRX was applied to a sample. The axes,
seen from behind the camera (from where its screen faces): X points left, Y back towards the viewer, Z up. An
accelerometer at rest on an upright camera reads about +9.8 m/s^2 on Z: it measures specific force.

CORI, IORI and GRAV carry no ORIN; their axes do not change between models. GRAV is the direction of gravity
in the optical frame. CORI is stored w x y z and, over the optical axes, turns vectors of the frame at the
start of capture into the camera's; its conjugate is therefore the camera's orientation. Both were measured on
real files: GRAV agrees with the accelerometer within 0.5 degrees on a resting HERO11; of all 96 ways to
order, sign and conjugate CORI only this one reproduces the gyroscope, on a HERO11 within 2 % and on a MAX
within 1 %, when the orientation is taken to be that of 14 to 15.5 ms after the frame's stamp, about the
middle of its readout.

Source: https://github.com/gopro/gpmf-parser, README ("IMU Orientation Uses These Axis Labels"), GPMF_common.h
(ORIN, ORIO, MTRX), and issues 165 (a parser of one's own should use ORIN) and 180 (CORI is stored w, x, z, y).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.errors import RecordingError

FloatArray = npt.NDArray[np.float64]

OPTICAL_FROM_LABELS: FloatArray = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]])
"""(3, 3) rotation from GoPro's axes (X left, Y back, Z up) to the optical frame (x right, y down, z forward)."""
OPTICAL_FROM_LABELS.setflags(write=False)


def labels_from_channels(letters: str) -> FloatArray:
    """Return the (3, 3) matrix that turns recorded channels into X, Y, Z.

    Args:
        letters: ORIN or ORIO, "zxY".

    Raises:
        RecordingError: The letters do not name X, Y and Z once each, or describe mirrored axes.
    """
    if sorted(letters.upper()) != ["X", "Y", "Z"]:
        raise RecordingError(f"Orientation {letters!r} does not name the axes X, Y and Z once each, like 'ZXY'.")
    matrix = np.zeros((3, 3))
    for channel, letter in enumerate(letters):
        matrix["XYZ".index(letter.upper()), channel] = 1.0 if letter.isupper() else -1.0
    if np.linalg.det(matrix) < 0:
        raise RecordingError(f"Orientation {letters!r} describes mirrored axes, which no sensor has.")
    return matrix


def optical_from_channels(
    orientation: str, *, after_matrix: str = "", matrix: FloatArray | None = None
) -> FloatArray | None:
    """Return the (3, 3) matrix that turns recorded channels into the optical frame.

    Args:
        orientation: ORIN; "" when the camera recorded none.
        after_matrix: ORIO; "" for none.
        matrix: MTRX, (3, 3), to be applied to the channels; None for none. One that only reorders and negates says
            what ORIN says, and ORIN is taken.

    Returns:
        The matrix; None when nothing tells the sensor's axes.

    Raises:
        RecordingError: The letters make no sense.
    """
    calibrates = matrix is not None and not np.isin(matrix, (-1.0, 0.0, 1.0)).all()
    if orientation and not (calibrates and after_matrix):
        return OPTICAL_FROM_LABELS @ labels_from_channels(orientation)
    if matrix is not None and after_matrix:
        return OPTICAL_FROM_LABELS @ labels_from_channels(after_matrix) @ matrix
    return None


def orientation_from_cori(cori: FloatArray) -> FloatArray:
    """Return orientations R_start_optical as x y z w from CORI's or IORI's w x y z.

    Args:
        cori: (N, 4) as stored, scaled to 1.

    Returns:
        (N, 4) unit quaternions; NaN where the camera stored zeros.
    """
    conjugate = np.concatenate([-cori[:, 1:4], cori[:, :1]], axis=1)
    return _unit(conjugate)


def gravity_direction(gravity: FloatArray) -> FloatArray:
    """Return the unit direction of gravity in the optical frame, (N, 3), from GRAV; NaN where it is zero."""
    return _unit(gravity)


def _unit(rows: FloatArray) -> FloatArray:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: FloatArray = np.divide(rows, norms, out=np.full_like(rows, np.nan), where=norms > 0)
    return unit


def cori_from_orientation(orientation: FloatArray) -> FloatArray:
    """Return what CORI stores, (N, 4) w x y z, for orientations R_start_optical as x y z w."""
    stored: FloatArray = np.concatenate([orientation[:, 3:4], -orientation[:, :3]], axis=1)
    return stored


def channels_from_optical(orientation: str) -> FloatArray:
    """Return the (3, 3) matrix that turns optical axes into recorded channels: the inverse, for writers."""
    matrix: FloatArray = (OPTICAL_FROM_LABELS @ labels_from_channels(orientation)).T
    return matrix
