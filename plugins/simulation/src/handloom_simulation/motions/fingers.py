"""Where the fingers are at a width."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.geometry import pose
from handloom_simulation.gripper import FINGERS, MOUNTED

FloatArray = npt.NDArray[np.float64]


def finger_poses(T_world_gripper: FloatArray, width_m: FloatArray) -> dict[str, FloatArray]:
    """Return T_world_finger, (N, 7), of both fingers at clear widths (N,) between the pads."""
    poses = {}
    for name, side in zip(FINGERS, (-0.5, 0.5), strict=True):
        T_gripper_finger = np.tile(np.array(MOUNTED["tcp"]), (len(width_m), 1))
        T_gripper_finger[:, 0] += side * width_m
        poses[name] = pose.compose(T_world_gripper, T_gripper_finger)
    return poses
