"""The pose of a square tag from its corners, through any camera model: rays, then a virtual pinhole camera."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import CameraModel
from handloom_sensors.width.opencv import opencv
from handloom_sensors.width.pattern import CORNERS

FloatArray = npt.NDArray[np.float64]

_FLIP = np.diag([1.0, -1.0, -1.0])
"""From our tag frame (y down, z into the surface) to IPPE's (y up, z out of it)."""

_IPPE_CORNERS = CORNERS * [1.0, -1.0]


@attrs.frozen(kw_only=True, eq=False)
class TagPose:
    """Where a tag is.

    Attributes:
        rotation: (3, 3) R_camera_tag; the tag has x right, y down, z into its surface.
        centre: (3,) m in the camera's frame.
        error_px: RMS distance of the corners from where the pose puts them.
    """

    rotation: FloatArray
    centre: FloatArray
    error_px: float


def square_poses(camera: CameraModel, corners: FloatArray, side_m: float) -> list[TagPose]:
    """Return both poses that explain the corners of a square, the better first; none where rays are missing.

    The rays are turned so that a pinhole camera along their mean sees them near its middle: no fisheye polynomial
    stands in the way, and no ray lies at or past 90 degrees.

    Source: Collins and Bartoli, "Infinitesimal plane-based pose estimation", IJCV 109 (2014): two solutions.

    Args:
        camera: The camera that took the picture.
        corners: (4, 2) pixels, clockwise from the tag's own top left.
        side_m: Side of the tag's black square.
    """
    rays, valid = camera.unproject(corners)
    if not valid.all():
        return []
    R_virtual_camera = _facing(rays.mean(axis=0))
    turned = rays @ R_virtual_camera.T
    if (turned[:, 2] < 0.1).any():
        return []
    plane = turned[:, :2] / turned[:, 2:]
    R_camera_virtual = R_virtual_camera.T
    tried = [
        sorted(
            (
                _scored(camera, corners, side_m, R_camera_virtual @ rotation, R_camera_virtual @ centre)
                for rotation, centre in _ippe(plane + nudge * _ASKEW, side_m)
            ),
            key=lambda pose: pose.error_px,
        )
        for nudge in _NUDGES
    ]
    return min(tried, key=lambda poses: poses[0].error_px if poses else np.inf)


_ASKEW = np.array([[1.0, 2.0], [-2.0, 1.0], [1.0, -1.0], [0.0, -2.0]])
_NUDGES = (0.0, 1e-9, 1e-8, 1e-7, 3e-7, 1e-6)
"""How far corners are moved askew, in focal lengths, a thousandth of a pixel at most: for a square seen nearly
straight on, OpenCV's IPPE answers a tag that is turned over, or NaN, for some of them (4.13 and 5.0)."""


def _ippe(plane: FloatArray, side_m: float) -> list[tuple[FloatArray, FloatArray]]:
    """Return rotations and centres in the virtual camera, those that are numbers."""
    cv2 = opencv()
    model = np.column_stack([_IPPE_CORNERS * side_m, np.zeros(4)])
    _, rotations, centres, _ = cv2.solvePnPGeneric(
        model[:, None], np.ascontiguousarray(plane[:, None]), np.eye(3), None, flags=cv2.SOLVEPNP_IPPE_SQUARE
    )
    found = [
        (cv2.Rodrigues(rotation)[0] @ _FLIP, centre.ravel())
        for rotation, centre in zip(rotations, centres, strict=True)
    ]
    return [each for each in found if np.isfinite(each[0]).all() and np.isfinite(each[1]).all()]


def _scored(camera: CameraModel, corners: FloatArray, side_m: float, R: FloatArray, t: FloatArray) -> TagPose:
    again, valid = camera.project(corner_points(R, t, side_m))
    error = float(np.sqrt(((again - corners) ** 2).sum(axis=1).mean())) if valid.all() else np.inf
    return TagPose(rotation=R, centre=t, error_px=error)


def corner_points(rotation: FloatArray, centre: FloatArray, side_m: float) -> FloatArray:
    """Return the corners (..., 4, 3) m in the camera's frame of tags at rotations (..., 3, 3) and centres."""
    return centre[..., None, :] + side_m * CORNERS @ np.swapaxes(rotation[..., :2], -1, -2)


def facing(pose: TagPose) -> float:
    """Return the cosine between a tag's inward normal and the camera's axis: 1 for one that faces the camera."""
    return float(pose.rotation[2, 2])


def _facing(direction: FloatArray) -> FloatArray:
    """Return the smallest rotation that brings a direction to +z."""
    unit = direction / np.linalg.norm(direction)
    axis = np.array([unit[1], -unit[0], 0.0])
    cosine = unit[2]
    if cosine < -0.999999:
        return np.diag([1.0, -1.0, -1.0])
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    turned: FloatArray = np.eye(3) + cross + cross @ cross / (1.0 + cosine)
    return turned
