"""Walls with posters and noise at several scales, wood, and plain paint: rich in features, and seeded."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom_simulation.world import Picture

Float32Array = npt.NDArray[np.float32]


def plain_picture(colour: tuple[int, int, int]) -> Picture:
    """Return one texel of a colour, (1, 1, 3) uint8."""
    return np.array(colour, dtype=np.uint8).reshape(1, 1, 3)


def wall_picture(
    seed: int,
    *,
    width: int = 1024,
    height: int = 512,
    colour: tuple[int, int, int] = (196, 190, 178),
    posters: int = 9,
) -> Picture:
    """Return a painted wall (height, width, 3) uint8 with stains and posters on it.

    Args:
        seed: Of everything on it.
        width: Texels.
        height: Texels.
        colour: Of the paint.
        posters: How many hang there.
    """
    random = np.random.default_rng([seed, 1])
    wall = np.array(colour, dtype=np.float32) * (1.0 + 0.16 * _clouds(random, height, width, octaves=7)[..., None])
    for _ in range(posters):
        _hang_poster(random, wall)
    return _as_picture(wall)


def wood_picture(
    seed: int,
    *,
    width: int = 1024,
    height: int = 1024,
    colour: tuple[int, int, int] = (176, 132, 88),
    planks: int = 5,
) -> Picture:
    """Return a table top (height, width, 3) uint8 of planks along x.

    Args:
        seed: Of the grain.
        width: Texels.
        height: Texels.
        colour: Of the wood.
        planks: How many lie beside one another.
    """
    random = np.random.default_rng([seed, 2])
    rows = np.arange(height, dtype=np.float32)[:, None] / height
    grain = np.zeros((height, width), dtype=np.float32)
    for plank in range(planks):
        first, end = plank * height // planks, (plank + 1) * height // planks
        bend = _clouds(random, end - first, width, octaves=3, stretch=6)
        rings = np.sin(2.0 * np.pi * (rows[first:end] * random.uniform(18.0, 34.0) + 1.8 * bend))
        fibres = _clouds(random, end - first, width, octaves=6, stretch=24)
        grain[first:end] = 0.09 * rings + 0.16 * fibres + random.uniform(-0.1, 0.1)
        grain[first : first + 2] = -0.5
    return _as_picture(np.array(colour, dtype=np.float32) * (1.0 + grain[..., None]))


def _clouds(
    random: np.random.Generator, height: int, width: int, *, octaves: int, stretch: int = 1
) -> Float32Array:
    """Return (height, width) noise of many scales, within about -1 to 1; stretched along x."""
    import cv2

    total = np.zeros((height, width), dtype=np.float32)
    weight, amount = 0.0, 1.0
    for octave in range(octaves):
        cells = 4 << octave
        coarse = random.uniform(-1.0, 1.0, (cells + 1, max(2, cells * width // (height * stretch) + 1)))
        total += amount * cv2.resize(coarse.astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
        weight, amount = weight + amount, amount * 0.72
    return total * np.float32(2.0 / weight)


def _hang_poster(random: np.random.Generator, wall: Float32Array) -> None:
    """Paint a framed sheet with shapes and lines of "text" at a random place."""
    height, width = wall.shape[:2]
    tall = int(height * random.uniform(0.18, 0.42))
    wide = int(tall * random.uniform(0.6, 1.4))
    top, left = int(random.integers(0, height - tall)), int(random.integers(0, max(1, width - wide)))
    sheet = wall[top : top + tall, left : left + wide]
    sheet[:] = random.uniform(20, 70, 3)
    inner = sheet[3:-3, 3:-3]
    inner[:] = random.uniform(90, 245, 3)
    for _ in range(int(random.integers(4, 12))):
        _draw_shape(random, inner)
    _draw_text(random, inner)


def _draw_shape(random: np.random.Generator, sheet: Float32Array) -> None:
    import cv2

    height, width = sheet.shape[:2]
    colour = tuple(float(level) for level in random.uniform(10, 250, 3))
    centre = (int(random.integers(0, width)), int(random.integers(0, height)))
    size = max(3, int(min(height, width) * random.uniform(0.04, 0.25)))
    kind = int(random.integers(0, 3))
    canvas = np.ascontiguousarray(sheet)
    if kind == 0:
        cv2.circle(canvas, centre, size, colour, -1, cv2.LINE_AA)
    elif kind == 1:
        corner = (centre[0] + size, centre[1] + int(size * random.uniform(0.5, 2.0)))
        cv2.rectangle(canvas, centre, corner, colour, -1)
    else:
        points = (np.array(centre) + random.integers(-size, size + 1, (3, 2))).astype(np.int32)
        cv2.fillPoly(canvas, [points], colour, cv2.LINE_AA)
    sheet[:] = canvas


def _draw_text(random: np.random.Generator, sheet: Float32Array) -> None:
    """Fill a part of a sheet with dark dashes, as lines of print look from afar."""
    height, width = sheet.shape[:2]
    ink = random.uniform(10, 60, 3)
    for row in range(int(height * random.uniform(0.5, 0.8)), height - 4, 5):
        column = width // 10
        while column < width - width // 10:
            word = int(random.integers(2, 9))
            sheet[row : row + 2, column : min(column + word, width - 2)] = ink
            column += word + int(random.integers(2, 4))


def _as_picture(levels: Float32Array) -> Picture:
    return np.rint(np.clip(levels, 0.0, 255.0)).astype(np.uint8)
