"""Rigid transforms, frames and cameras, in numpy alone.

`quaternion` and `pose` are modules of functions on arrays: `pose.compose(T_a_b, T_b_c)`.
"""

from handloom.geometry import pose, quaternion
from handloom.geometry.cameras import CameraModel, DoubleSphere, KannalaBrandt, Pinhole, camera_from_table
from handloom.geometry.edges import StaticEdge, TimedEdge
from handloom.geometry.frames import FrameTree
from handloom.geometry.interpolate import interpolate_linear, interpolate_poses
from handloom.geometry.interpolate_cubic import interpolate_poses_cubic
from handloom.geometry.pose import IDENTITY

__all__ = [
    "IDENTITY",
    "CameraModel",
    "DoubleSphere",
    "FrameTree",
    "KannalaBrandt",
    "Pinhole",
    "StaticEdge",
    "TimedEdge",
    "camera_from_table",
    "interpolate_linear",
    "interpolate_poses",
    "interpolate_poses_cubic",
    "pose",
    "quaternion",
]
