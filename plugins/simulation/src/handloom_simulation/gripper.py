"""The handheld gripper of the lab: where its parts are; rigs, renderer, devices and motions all read it here.

The body "gripper" has the frame of the wrist camera: x right, y down, z forward, origin in the entrance pupil.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

Transform = tuple[float, float, float, float, float, float, float]


def unit_transform(transform: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return a transform, (7,), as typed, with its quaternion x y z w made of length 1 to the last bit."""
    row = np.asarray(transform, np.float64)
    return np.concatenate([row[:3], row[3:] / np.linalg.norm(row[3:])])


MOUNTED: Mapping[str, Transform] = MappingProxyType(
    {
        "tcp": (0.0, 0.07069, 0.259, 0.0, 0.0, 0.0, 1.0),
        "imu": (0.0, -0.006, -0.022, 0.0, 0.0, 0.0, 1.0),
        "markers": (-0.049, 0.152, -0.031, 0.267789, 0.958962, -0.000048, 0.093174),
        "speaker": (0.031, 0.064, -0.081, 0.0, 0.0, 0.0, 1.0),
        "camera_microphone": (0.024, 0.011, -0.012, 0.0, 0.0, 0.0, 1.0),
        "air_microphone": (-0.022, 0.058, -0.066, 0.0, 0.0, 0.0, 1.0),
    }
)
"""T_gripper_part of what is fixed to the gripper, m and quaternion x y z w, normalised where it is used.

"tcp" is the midpoint between the finger tips. Source: PolyUMI's T_gopro_to_fingertip; "markers" has the size of
its rigid body's offset; the rest are places on a GoPro 10 in a cage with a Pi below it.
"""

FINGERS = ("finger_left", "finger_right")
"""Bodies. At a width w their frames have the gripper's axes and origins tcp + (-w/2, 0, 0) and tcp + (w/2, 0, 0):
the middle of each pad's contact surface at the tip."""

STROKE_M = 0.0878
"""Widest opening. Source: PolyUMI's example, tags 44.56 mm apart when closed and 132.33 mm when open."""

CLOSED_TAG_SEPARATION_M = 0.04456
"""Distance of the finger tags' centres at width 0."""

FINGER_TAG_M = 0.016
"""Side of the black square of a finger's ArUco 4x4_50 tag: id 0 left, 1 right of gripper 0."""

FINGER_TAG_Y_M, FINGER_TAG_Z_M = 0.047, 0.072
"""Where the tags' plane is in the gripper's frame, facing the camera. Source: UMI's nominal tag depth, 72 mm."""

SPEED_OF_SOUND_M_PER_S = 343.2
"""In dry air at 20 °C. Source: ISO 9613-1."""
