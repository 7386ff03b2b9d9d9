"""The rays of a camera, unprojected once: directions at the pixels' corners, and cones about tiles of pixels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from handloom.geometry import CameraModel

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
Float32Array = npt.NDArray[np.float32]

TILE_WIDTH, TILE_HEIGHT = 32, 32
"""Pixels of a tile: wide enough for loops over one of its rows to be vectorised, small enough to hold little."""


_STEP = 4
_CUBICS = np.stack(
    [  # Lagrange's cubics through -1, 0, 1, 2 at quarters from 0 to 1
        -(t := np.arange(_STEP) / _STEP) * (t - 1) * (t - 2) / 6,
        (t + 1) * (t - 1) * (t - 2) / 2,
        -(t + 1) * t * (t - 2) / 2,
        (t + 1) * t * (t - 1) / 6,
    ]
)


_LEAST_BEND = 1e-6


class Lens(NamedTuple):
    """Where the pixels of a camera look.

    Between the corners of a pixel directions are interpolated, which is wrong by at most an eighth of a pixel over
    the focal length in pixels.

    Attributes:
        corners: (3, H + 1, W' + 1) unit directions in the camera's frame at the corners of the pixels, W' being a
            whole number of tiles; 0 where the lens shows nothing.
        seen: (H, W) bool, whether the lens shows the whole pixel.
        cones: (R, C, 6) of each tile the axis, the sine of the half angle, the angle between pixels in rad, and 1
            if all of its rays exist, else 0; a tile that shows nothing has half angle -1.
    """

    corners: Float32Array
    seen: BoolArray
    cones: Float32Array


def make_lens(camera: CameraModel, circle_deg: float | None = None) -> Lens:
    """Unproject the corners of a camera's pixels.

    Args:
        camera: Any model.
        circle_deg: Largest angle to the optical axis that is shown.
    """
    rays = _corner_rays(camera)
    reached: BoolArray = np.isfinite(rays[..., 0])
    if circle_deg is not None:
        shown: BoolArray = np.nan_to_num(rays[..., 2], nan=-1.0) >= np.cos(np.deg2rad(circle_deg))
        reached &= shown
    rays = np.where(reached[..., None], rays, 0.0)
    seen = reached[:-1, :-1] & reached[1:, :-1] & reached[:-1, 1:] & reached[1:, 1:]
    beyond = -camera.width % TILE_WIDTH
    corners = np.pad(rays.transpose(2, 0, 1), [(0, 0), (0, 0), (0, beyond)])
    return Lens(np.ascontiguousarray(corners, dtype=np.float32), seen, _cones(rays, reached))


def _corner_rays(camera: CameraModel) -> FloatArray:
    """Return (H + 1, W + 1, 3) directions at the pixels' corners, NaN where the model doesn't reach.

    Every _STEP-th is unprojected and cubics are laid through them. Near the model's limit, where a cubic would
    need what lies beyond or bends too much, each corner is unprojected.
    """
    columns, rows = camera.width // _STEP + 4, camera.height // _STEP + 4
    x, y = (np.arange(count) * _STEP - _STEP - 0.5 for count in (columns, rows))
    coarse, reached = camera.unproject(np.stack(np.meshgrid(x, y), axis=-1))
    smooth = np.where(_bends(coarse)[..., None], np.nan, coarse)
    wide = np.einsum("rcna,nk->rcka", sliding_window_view(smooth, 4, axis=1).swapaxes(-1, -2), _CUBICS)
    wide = wide.reshape(rows, -1, 3)[:, : camera.width + 1]
    fine = np.einsum("rcna,nk->rkca", sliding_window_view(wide, 4, axis=0).swapaxes(-1, -2), _CUBICS)
    rays: FloatArray = fine.reshape(-1, camera.width + 1, 3)[: camera.height + 1]
    near = sliding_window_view(reached, (4, 4)).any(axis=(2, 3)).repeat(_STEP, axis=0).repeat(_STEP, axis=1)
    row, column = np.nonzero(np.isnan(rays[..., 2]) & near[: camera.height + 1, : camera.width + 1])
    rays[row, column], _ = camera.unproject(np.stack([column, row], axis=-1) - 0.5)
    return rays


def _bends(coarse: FloatArray) -> BoolArray:
    """Tell of (R, C, 3) directions which ones a cubic through their neighbours along a row or column may miss.

    A cubic errs by at most 3 / 128 of the fourth difference, here 2e-8.
    """
    bends = np.zeros(coarse.shape[:2], dtype=bool)
    for axis in (0, 1):
        fourth = ~(np.abs(np.diff(coarse, 4, axis=axis)).max(axis=-1) < _LEAST_BEND)
        for shift in range(5):
            shifted = [slice(None), slice(None)]
            shifted[axis] = slice(shift, shift + fourth.shape[axis])
            bends[tuple(shifted)] |= fourth
    return bends


def _cones(rays: FloatArray, reached: BoolArray) -> Float32Array:
    height, width = (size - 1 for size in reached.shape)
    tops, lefts = np.arange(0, height, TILE_HEIGHT), np.arange(0, width, TILE_WIDTH)
    downs = np.minimum(tops[:, None] + np.array([0, TILE_HEIGHT // 2, TILE_HEIGHT]), height)
    across = np.minimum(lefts[:, None] + np.arange(0, TILE_WIDTH + 1, TILE_WIDTH // 4), width)
    some = rays[downs[:, None, :, None], across[None, :, None, :]]
    axes = some.sum(axis=(2, 3))
    axes /= np.maximum(np.linalg.norm(axes, axis=-1, keepdims=True), 1e-12)
    cosine = np.einsum("rcijk,rck->rcij", some, axes).min(axis=(2, 3))
    pitch = np.linalg.norm(some[:, :, 1, 2] - some[:, :, 1, 1], axis=-1) / (TILE_WIDTH // 4)
    sine = np.sqrt(np.maximum(0.0, 1.0 - cosine**2))
    whole = (np.ones_like(tops)[:, None] * (lefts + TILE_WIDTH <= width)).astype(np.float64)
    cones = np.concatenate([axes, np.stack([sine, pitch, whole], axis=-1)], axis=-1)
    for row, column in np.ndindex(cones.shape[:2]):
        tile = slice(tops[row], tops[row] + TILE_HEIGHT + 1), slice(lefts[column], lefts[column] + TILE_WIDTH + 1)
        if not reached[tile].all():
            cones[row, column] = _cone(rays[tile])
    return np.asarray(cones, dtype=np.float32)


def _cone(rays: FloatArray) -> tuple[float, float, float, float, float, float]:
    """Return the cone about some of a tile's corner directions (h, w, 3)."""
    shown = rays[(rays != 0.0).any(axis=-1)]
    if len(shown) == 0:
        return 0.0, 0.0, 0.0, -1.0, 0.0, 0.0
    axis = shown.sum(axis=0)
    axis /= np.linalg.norm(axis)
    cosine = float((shown @ axis).min())
    steps = np.linalg.norm(np.diff(rays, axis=1), axis=-1)
    pitch = float(np.median(steps))
    return axis[0], axis[1], axis[2], float(np.sqrt(max(0.0, 1.0 - cosine**2))), pitch, 0.0
