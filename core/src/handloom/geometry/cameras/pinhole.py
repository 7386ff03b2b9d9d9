"""The pinhole camera: straight lines stay straight, and nothing beside or behind the camera is seen."""

from __future__ import annotations

from typing import ClassVar

import attrs
import numpy as np

from handloom.geometry.arrays import BoolArray, FloatArray
from handloom.geometry.cameras.model import CameraModel


@attrs.frozen(kw_only=True)
class Pinhole(CameraModel):
    """x' = x / z, valid for z > 0.

    Source: Hartley and Zisserman, Multiple View Geometry in Computer Vision, 2nd edition, section 6.1.
    """

    model: ClassVar[str] = "pinhole"

    def _onto_plane(self, points: FloatArray) -> tuple[FloatArray, BoolArray]:
        depth = points[..., 2:]
        in_front = depth > 0.0
        with np.errstate(over="ignore"):  # a point almost beside the camera leaves float64 and is not valid
            plane = points[..., :2] / np.where(in_front, depth, 1.0)
        return plane, in_front[..., 0]

    def _from_plane(self, plane: FloatArray) -> tuple[FloatArray, BoolArray]:
        rays = np.concatenate([plane, np.ones_like(plane[..., :1])], axis=-1)
        return rays / np.linalg.norm(rays, axis=-1, keepdims=True), np.ones(plane.shape[:-1], dtype=bool)
