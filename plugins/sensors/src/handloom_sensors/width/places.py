"""Where in the picture the fingers' tags may be, and how far it can be shrunk to look there."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.geometry import CameraModel
from handloom_sensors.width.detecting import Box, box_around
from handloom_sensors.width.posing import corner_points

FloatArray = npt.NDArray[np.float64]

_DETECTABLE_PX = 36
"""Side of a tag that OpenCV's detector finds safely: six cells of six pixels."""

_TRAVEL_M = (-0.02, 0.1)
"""How far from the camera's middle plane a finger's tag may be, on its own side. Source: UMI's and PolyUMI's open
to 66 mm; more is far outside of what their cameras see well."""


def shrinking(side_px: float) -> float:
    """Return by what the sides of a picture may be divided so that a tag stays detectable; 0.5 enlarges it."""
    return float(max(1, int(side_px / _DETECTABLE_PX))) if side_px > 1.3 * _DETECTABLE_PX else 0.5


def expected_side_px(camera: CameraModel, side_m: float, depth_m: float) -> float:
    """Return about how many pixels a finger tag's side is long, some 40 degrees off the axis."""
    return 0.8 * float(np.sqrt(camera.fx * camera.fy)) * side_m / depth_m


def whole(camera: CameraModel) -> Box:
    """Return the whole picture."""
    return Box(left=0, top=0, right=camera.width, bottom=camera.height)


def rail_box(camera: CameraModel, rotation: FloatArray, centre: FloatArray, *, side_m: float, sign: float) -> Box:
    """Return the part of the picture that a tag may slide through.

    Args:
        camera: The camera.
        rotation: (3, 3) R_camera_tag where the tag was last.
        centre: (3,) m where it was last.
        side_m: Its side.
        sign: -1 for the left finger, 1 for the right one.
    """
    along = np.tile(centre, (9, 1))
    along[:, 0] = sign * np.linspace(*_TRAVEL_M, len(along))
    corners = corner_points(np.broadcast_to(rotation, (len(along), 3, 3)), along, side_m).reshape(-1, 3)
    pixels, seen = camera.project(corners)
    if not seen.any():
        return whole(camera)
    here, _ = camera.project(corner_points(rotation, centre, side_m))
    margin = 0.4 * float(np.ptp(here, axis=0).max())
    return box_around(pixels[seen], margin, camera.width, camera.height)
