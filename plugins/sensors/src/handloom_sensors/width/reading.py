"""Whether what lies at a pose is the tag that was expected there: the cells are read again."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.geometry import CameraModel
from handloom_sensors.width.pattern import Layout
from handloom_sensors.width.profiles import Luma

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_LEAST_CONTRAST = 12.0
"""Levels between black and white below which nothing is read; a dark picture's noise must not be a tag."""

_LEAST_APART = 0.5
"""How far the darkest white is from the brightest black, of the usual contrast: a shadow or a finger that lies on
part of a tag brings them closer."""

_CROSS = ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0))


def reads_as_printed(
    luma: Luma, camera: CameraModel, *, layout: Layout, rotations: FloatArray, centres: FloatArray, side_m: float
) -> BoolArray:
    """Return whether each of T tags at given poses shows its own black and white cells, every one of them."""
    size = layout.white.shape[-1]
    middle = (np.arange(size) + 0.5) / size - 0.5
    points = side_m * np.stack(np.meshgrid(middle, middle), axis=-1).reshape(-1, 2)
    pixels, seen = camera.project(centres[:, None] + points @ np.swapaxes(rotations[..., :2], -1, -2))
    place = np.rint(np.where(seen[..., None], pixels, -1.0)).astype(np.intp)
    inside = np.asarray(((place >= 1) & (place < np.array(luma.shape)[::-1] - 1)).all(axis=-1))
    place = np.where(inside[..., None], place, 1)
    # A cross of five pixels: one alone may be off by its noise.
    near = [luma[place[..., 1] + down, place[..., 0] + right] for down, right in _CROSS]
    level = np.asarray(np.mean(near, axis=0, dtype=np.float64))
    white = layout.white.reshape(len(layout.white), -1)
    darkest_white = np.asarray(np.where(white, level, np.inf).min(axis=1))
    brightest_black = np.asarray(np.where(white, -np.inf, level).max(axis=1))
    usual = np.asarray(_mean_where(level, white) - _mean_where(level, ~white))
    apart = darkest_white - brightest_black > _LEAST_APART * usual
    return np.asarray(inside.all(axis=1) & (usual > _LEAST_CONTRAST) & apart)


def _mean_where(level: npt.NDArray[Any], chosen: BoolArray) -> npt.NDArray[Any]:
    mean: npt.NDArray[Any] = np.where(chosen, level, 0.0).sum(axis=1) / chosen.sum(axis=1)
    return mean
