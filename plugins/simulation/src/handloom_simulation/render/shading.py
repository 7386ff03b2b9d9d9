"""The colours of what rays have met, run by run of neighbours that have met the same thing (compiled)."""

from __future__ import annotations

import numpy as np

from handloom_simulation.render.compiled import Array, Int, Real, inlined
from handloom_simulation.render.rows import Row
from handloom_simulation.render.solids import facing

_ZERO, _HALF, _ONE, _QUARTER = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(0.25)
_WHOLE = np.float32(256.0)

_LOWEST, _EIGHT, _SIXTEEN, _32 = np.uint64(0xFF), np.uint64(8), np.uint64(16), np.uint64(32)
_NEXT, _FULL = np.uint64(1), np.uint64(256)
_COLOURS, _HALVES = np.uint64(0x00FF_00FF_00FF), np.uint64(0x0080_0080_0080)
"""The bits of three colours of 8 bits in 16 each, and what rounds them before their lower half is shifted away."""


@inlined
def paint_face(
    row: Row, run: tuple[int, int], at: Array, look: Array, levels: Array, texels: Array, blur: Real
) -> None:
    """Add the colours of a picture where a run of rays meets its face.

    Args:
        row: With its rays and depths.
        run: First ray, and the one after the last.
        at: (12,) where the face is.
        look: (6,) half width and height in m, texels per metre along x and y, texels that a ray stands for at
            depth 1 before the eye, brightness.
        levels: (L, 3) of the picture.
        texels: Of all pictures.
        blur: Factor about 1 on the area that a ray stands for; a pixel's rays differ in it, which makes the change
            from one level to the next a gradual one.
    """
    if len(levels) == 1:  # one texel
        _fill(row, run, texels[levels[0, 0]], look[5])
        return
    middle = row.depth[(run[0] + run[1]) // 2]
    covered, level, scale = blur * middle * middle * middle * look[4], 0, _ONE
    while covered > _ONE and level < len(levels) - 1:
        covered, level, scale = covered * _QUARTER, level + 1, scale * _HALF
    offset, height, width = levels[level, 0], levels[level, 1], levels[level, 2]
    here = texels[offset:]
    if height < 0:
        _find(row, run, at, look, scale, _ZERO, (-height, width))
        _take_nearest(row, run, here, look[5])
    else:
        _find(row, run, at, look, scale, _HALF, (height, width))
        _take_between(row, run, here, np.uint64(width + 1), look[5])


@inlined
def _fill(row: Row, run: tuple[int, int], colours: Int, brightness: Real) -> None:
    red = brightness * np.float32(np.int32(colours & _LOWEST))
    green = brightness * np.float32(np.int32((colours >> _SIXTEEN) & _LOWEST))
    blue = brightness * np.float32(np.int32((colours >> _32) & _LOWEST))
    for k in range(run[0], run[1]):
        row.light[0, k] += red
        row.light[1, k] += green
        row.light[2, k] += blue


@inlined
def _find(
    row: Row, run: tuple[int, int], at: Array, look: Array, scale: Real, centre: Real, size: tuple[int, int]
) -> None:
    """Find where in a picture rays fall; whole numbers below 2^24 are exact in float32, which is vectorised."""
    depth, ray_x, ray_y, ray_z = row.depth, row.rays[0], row.rays[1], row.rays[2]
    scale_x, scale_y = look[2] * scale, look[3] * scale
    last_row, last_column, stride = np.float32(size[0] - 1), np.float32(size[1] - 1), np.float32(size[1] + 1)
    for k in range(run[0], run[1]):
        t = depth[k]
        x = t * (ray_x[k] * at[0] + ray_y[k] * at[1] + ray_z[k] * at[2]) - at[9] + look[0]
        y = t * (ray_x[k] * at[3] + ray_y[k] * at[4] + ray_z[k] * at[5]) - at[10] + look[1]
        column = max(_ZERO, min(last_column, x * scale_x - centre))
        line = max(_ZERO, min(last_row, y * scale_y - centre))
        left, above = np.floor(column), np.floor(line)
        row.texel[k] = np.int32(above * stride + left)
        row.right[k] = np.int32(_WHOLE * (column - left))
        row.below[k] = np.int32(_WHOLE * (line - above))


@inlined
def _take_nearest(row: Row, run: tuple[int, int], texels: Array, brightness: Real) -> None:
    for k in range(run[0], run[1]):
        _add(texels[np.uint64(row.texel[k])], brightness, row.light, k)


@inlined
def _take_between(row: Row, run: tuple[int, int], texels: Array, stride: Int, brightness: Real) -> None:
    """Add the colours between the four texels about each place."""
    for k in range(run[0], run[1]):
        place, right, below = np.uint64(row.texel[k]), np.uint64(row.right[k]), np.uint64(row.below[k])
        under, left = place + stride, _FULL - right
        upper = ((texels[place] * left + texels[place + _NEXT] * right + _HALVES) >> _EIGHT) & _COLOURS
        lower = ((texels[under] * left + texels[under + _NEXT] * right + _HALVES) >> _EIGHT) & _COLOURS
        _add((upper * (_FULL - below) + lower * below + _HALVES) >> _EIGHT, brightness, row.light, k)


@inlined
def _add(colours: Int, brightness: Real, light: Array, k: Int) -> None:
    light[0, k] += brightness * np.float32(np.int32(colours & _LOWEST))
    light[1, k] += brightness * np.float32(np.int32((colours >> _SIXTEEN) & _LOWEST))
    light[2, k] += brightness * np.float32(np.int32((colours >> _32) & _LOWEST))


@inlined
def paint_solid(
    row: Row, run: tuple[int, int], at: Array, shape: Int, size: Array, colour: Array, lit: Array, ambient: Real
) -> None:
    """Add the shaded colour of a solid where a run of rays meets it.

    Args:
        row: With its rays and depths.
        run: First ray, and the one after the last.
        at: (12,) where the solid is.
        shape: SPHERE, CYLINDER or CAPSULE.
        size: (2,) m.
        colour: (3,) grey levels.
        lit: (3,) direction of the light in the solid's axes.
        ambient: Share of the light that comes from everywhere.
    """
    rays, light = row.rays, row.light
    for k in range(run[0], run[1]):
        t = row.depth[k]
        x = t * (rays[0, k] * at[0] + rays[1, k] * at[1] + rays[2, k] * at[2]) - at[9]
        y = t * (rays[0, k] * at[3] + rays[1, k] * at[4] + rays[2, k] * at[5]) - at[10]
        z = t * (rays[0, k] * at[6] + rays[1, k] * at[7] + rays[2, k] * at[8]) - at[11]
        nx, ny, nz = facing(shape, size, x, y, z)
        brightness = ambient + (_ONE - ambient) * max(_ZERO, -(nx * lit[0] + ny * lit[1] + nz * lit[2]))
        for channel in range(3):
            light[channel, k] += brightness * colour[channel]
