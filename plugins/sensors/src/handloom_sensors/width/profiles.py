"""Where along a line across an edge black turns to white, to a small part of a pixel."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Luma = npt.NDArray[np.uint8]

SAMPLES = 11
"""Samples of a profile; the two at each end tell the levels of black and white."""

_CONTRAST = (0.4, 2.0)
"""Least and greatest contrast of an edge beside the tag's median: less is hidden, more is no part of the tag."""

_REACH = 0.85
"""An edge this share of the way to the end of its profile is not trusted: its tail may be cut off."""


def _srgb() -> FloatArray:
    """Return the light of each of 256 sRGB levels, 0 to 1. Source: IEC 61966-2-1."""
    level = np.arange(256) / 255
    return np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)


TONE_CURVES: Mapping[str, FloatArray] = {"srgb": _srgb(), "linear": np.arange(256) / 255}
"""Light by luma level: blur mixes light, and half-way between black and white in luma is not half of the light."""


def edge_offsets(
    luma: Luma, light: FloatArray, *, points: FloatArray, normals: FloatArray, half: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Return how far from points, along normals, the light is half-way: the centroid of its slope.

    Args:
        luma: (H, W) picture.
        light: (256,) light of each level.
        points: (T, M, 2) pixels on the expected edges of T tags.
        normals: (T, M, 2) unit vectors from black to white.
        half: (T, M) half lengths of the profiles in pixels.

    Returns:
        (T, M) offsets in pixels, 0 where not valid, and whether they are.
    """
    steps = np.linspace(-1.0, 1.0, SAMPLES) * half[..., None]
    places = points[..., None, :] + normals[..., None, :] * steps[..., None]
    profile, inside = _sampled(luma, light, places)
    black = 0.5 * (profile[..., 0] + profile[..., 1])
    white = 0.5 * (profile[..., -1] + profile[..., -2])
    contrast = white - black
    usual = np.sort(contrast, axis=1)[:, contrast.shape[1] // 2, None]
    there = inside & (contrast > _CONTRAST[0] * usual) & (contrast < _CONTRAST[1] * usual) & (usual > 0.0)
    share = (profile - black[..., None]) / np.where(there, contrast, 1.0)[..., None]
    # The centroid of the slope is the end less the integral of the share of white.
    integral = share.sum(axis=-1) - 0.5 * (share[..., 0] + share[..., -1])
    offset = half * (1.0 - integral * 2.0 / (SAMPLES - 1))
    there &= np.abs(offset) < _REACH * half
    return np.where(there, offset, 0.0), there


def _sampled(luma: Luma, light: FloatArray, places: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return the light at places (..., S, 2), bilinear, and which rows of samples lie in the picture.

    Not cv2.remap: that rounds places to 1/32 of a pixel.
    """
    height, width = luma.shape
    x, y = places[..., 0], places[..., 1]
    inside = ((x >= 0.0) & (x < width - 1.0) & (y >= 0.0) & (y < height - 1.0)).all(axis=-1)
    x, y = np.where(inside[..., None], x, 0.0), np.where(inside[..., None], y, 0.0)
    left, top = x.astype(np.intp), y.astype(np.intp)
    x, y = x - left, y - top
    upper = light[luma[top, left]] * (1.0 - x) + light[luma[top, left + 1]] * x
    lower = light[luma[top + 1, left]] * (1.0 - x) + light[luma[top + 1, left + 1]] * x
    return upper * (1.0 - y) + lower * y, inside
