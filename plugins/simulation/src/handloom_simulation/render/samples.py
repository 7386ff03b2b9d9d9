"""Where in its pixel and when in its exposure each ray is cast."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from handloom_simulation.render.settings import RenderSettings

Float32Array = npt.NDArray[np.float32]
FloatArray = npt.NDArray[np.float64]

_SHUFFLES = 200
"""So many orders are tried; the best of them follows the places hardly at all."""


def rays_of_a_pixel(settings: RenderSettings) -> tuple[Float32Array, FloatArray]:
    """Return (S, 2) places x, y of 0 to 1 in a pixel, and (S,) seconds from the middle of the exposure.

    The n * n places fill an n x n grid evenly, and so do their x and their y alone: edges along rows and columns
    get n * n steps instead of n. They are symmetric about the pixel's centre. Instants fill the exposure evenly.
    """
    n = settings.samples
    a, b = np.divmod(np.arange(n * n), n)
    places = (np.stack([a * n + b, b * n + a], axis=-1) + 0.5) / (n * n)
    if settings.blur_samples == 1 or settings.exposure_s == 0.0:
        return places.astype(np.float32), np.zeros(n * n)
    places = np.tile(places, (math.ceil(settings.blur_samples / (n * n)), 1))
    return places.astype(np.float32), (_shuffled_instants(places) - 0.5) * settings.exposure_s


def blurs_of_a_pixel(count: int) -> Float32Array:
    """Return (count,) factors from 1/2 to 2 on the area that a ray stands for, see `shading.paint_face`."""
    return np.asarray(2.0 ** (2.0 * (np.arange(count) + 0.5) / count - 1.0), dtype=np.float32)


def _shuffled_instants(places: FloatArray) -> FloatArray:
    """Return (S,) the middles of S parts of 0 to 1, in the order that follows the places the least.

    If early rays were on one side of the pixel, blur along that side would come out longer or shorter than it is.
    """
    random = np.random.default_rng(0)
    even = (np.arange(len(places)) + 0.5) / len(places)
    shuffles = [even[random.permutation(len(places))] for _ in range(_SHUFFLES)]
    return min(shuffles, key=lambda instants: float(np.linalg.norm((instants - 0.5) @ (places - 0.5))))
