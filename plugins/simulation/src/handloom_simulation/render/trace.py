"""A frame, tile by tile (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from handloom_simulation.render.compiled import Array, Int, Real, compiled, inlined
from handloom_simulation.render.culling import gather
from handloom_simulation.render.lens import TILE_HEIGHT, TILE_WIDTH, Lens
from handloom_simulation.render.rows import Row, aim, all_alike, cast, meet_plane
from handloom_simulation.render.shading import paint_face, paint_solid
from handloom_simulation.render.tables import Tables
from handloom_simulation.render.textures import Textures

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


class Exposure(NamedTuple):
    """When and where in a pixel its rays are cast.

    Attributes:
        per_pixel: How many different places rays go through; more rays are at other instants.
        places: (S, 2) x, y from 0 to 1 within the pixel.
        instants: (S,) knots from the middle of the row's exposure.
        blurs: (S,) factors of `paint_face`, between 1/2 and 2.
        rows: (H,) middle of each row's exposure, in knots from the first.
    """

    per_pixel: int
    places: npt.NDArray[np.float32]
    instants: npt.NDArray[np.float64]
    blurs: npt.NDArray[np.float32]
    rows: npt.NDArray[np.float64]


class Scene(NamedTuple):
    """What is before the camera.

    Attributes:
        objects: (K, N, 12) of `motion.Placed`.
        light: (K, N, 3).
        planes: (K, F, E, 3) of `culling.outline_planes`.
        ambient: Share of the light that comes from everywhere.
        outside: (3,) grey levels where the lens shows nothing.
    """

    objects: npt.NDArray[np.float32]
    light: npt.NDArray[np.float32]
    planes: npt.NDArray[np.float32]
    ambient: np.float32
    outside: npt.NDArray[np.float32]


@compiled
def trace(
    lens: Lens,
    tables: Tables,
    textures: Textures,
    scene: Scene,
    exposure: Exposure,
    tile_rows: tuple[int, int],
    picture: Array,
) -> None:
    """Fill rows of tiles of a picture (H, W, 3) float32 with grey levels; what is nowhere is black."""
    n_objects, (height, width) = scene.objects.shape[1], lens.seen.shape
    found, near = np.zeros(n_objects, dtype=np.int64), np.zeros(n_objects + 1, dtype=np.float32)
    at = np.zeros((n_objects, 12), dtype=np.float32)
    row = _new_row()
    for tile_row in range(tile_rows[0], tile_rows[1]):
        first_row = tile_row * TILE_HEIGHT
        end_row = min(first_row + TILE_HEIGHT, height)
        instants = _instants_of(scene, exposure, first_row, end_row - 1)
        for tile_column in range(lens.cones.shape[1]):
            cone, held, alone = lens.cones[tile_row, tile_column], 0, False
            if cone[3] >= _ZERO:
                held, alone = gather(cone, tables, scene.objects, scene.planes, instants, found, near)
            first = tile_column * TILE_WIDTH
            end = min(first + TILE_WIDTH, width)
            kept = found[:held]
            for pixel_row in range(first_row, end_row):
                _gather_light(
                    lens, tables, textures, scene, exposure, instants[1], pixel_row, first, kept, alone, at, row
                )
                pixels, seen = picture[pixel_row, first:end], lens.seen[pixel_row, first:end]
                _finish(row.light, seen, len(exposure.instants), scene.outside, pixels)


@inlined
def _new_row() -> Row:
    return Row(
        rays=np.zeros((3, TILE_WIDTH), dtype=np.float32),
        depth=np.zeros(TILE_WIDTH, dtype=np.float32),
        met=np.zeros(TILE_WIDTH, dtype=np.int32),
        texel=np.zeros(TILE_WIDTH, dtype=np.int32),
        right=np.zeros(TILE_WIDTH, dtype=np.int32),
        below=np.zeros(TILE_WIDTH, dtype=np.int32),
        light=np.zeros((3, TILE_WIDTH), dtype=np.float32),
    )


@inlined
def _instants_of(scene: Scene, exposure: Exposure, first_row: int, last_row: int) -> tuple[int, int, int]:
    """Return the knots around what these rows see: first, middle, last."""
    last_knot = len(scene.objects) - 1
    begin = int(np.floor(exposure.rows[first_row] + exposure.instants.min()))
    end = int(np.ceil(exposure.rows[last_row] + exposure.instants.max()))
    begin, end = max(0, min(begin, last_knot)), max(0, min(end, last_knot))
    return begin, (begin + end) // 2, end


@inlined
def _gather_light(
    lens: Lens,
    tables: Tables,
    textures: Textures,
    scene: Scene,
    exposure: Exposure,
    knot: int,
    pixel_row: int,
    first: int,
    found: Array,
    alone: bool,
    at: Array,
    row: Row,
) -> None:
    """Sum up the samples of a row of pixels."""
    pitch = lens.cones[pixel_row // TILE_HEIGHT, first // TILE_WIDTH, 4] / np.float32(np.sqrt(exposure.per_pixel))
    row.light[:] = _ZERO
    for sample in range(len(exposure.instants)):
        if sample == 0 or len(scene.objects) > 1:
            _move_to(scene.objects, found, exposure.rows[pixel_row] + exposure.instants[sample], at)
        aim(lens.corners, pixel_row, first, exposure.places[sample], row)
        if alone:
            meet_plane(at[0], row)
        else:
            cast(tables, found, at, row)
        _paint(tables, textures, scene, knot, found, at, pitch, exposure.blurs[sample], row)


@inlined
def _move_to(objects: Array, found: Array, knot: Real, at: Array) -> None:
    """Write the found objects' places (N, 12) at an instant between knots."""
    before = max(0, min(int(np.floor(knot)), len(objects) - 2))
    after = min(before + 1, len(objects) - 1)
    later = np.float32(max(0.0, min(1.0, knot - before)))
    for n in range(len(found)):
        first, second = objects[before, found[n]], objects[after, found[n]]
        for k in range(12):
            at[n, k] = first[k] + later * (second[k] - first[k])


@inlined
def _paint(
    tables: Tables,
    textures: Textures,
    scene: Scene,
    knot: int,
    found: Array,
    at: Array,
    pitch: Real,
    blur: Real,
    row: Row,
) -> None:
    """Add the colours of one sample of a row, run by run of rays that have met the same thing."""
    n_faces = len(tables.n_edges)
    look = np.empty(6, dtype=np.float32)
    met, end = row.met, 0
    alike = all_alike(met)
    while end < TILE_WIDTH:
        first, n = end, met[end]
        end = TILE_WIDTH if alike else end
        while end < TILE_WIDTH and met[end] == n:
            end += 1
        if n < 0:
            continue
        number = found[n]
        lit = scene.light[knot, number]
        if number < n_faces:
            _look_at(tables, number, at[n], pitch, scene.ambient, lit, look)
            start = textures.first[number]
            levels = textures.levels[start : start + textures.depth[number]]
            paint_face(row, (first, end), at[n], look, levels, textures.texels, blur)
        else:
            solid = number - n_faces
            shape, size, colour = tables.shapes[solid], tables.sizes[solid], tables.colours[solid]
            paint_solid(row, (first, end), at[n], shape, size, colour, lit, scene.ambient)


@inlined
def _look_at(tables: Tables, face: Int, at: Array, pitch: Real, ambient: Real, lit: Array, look: Array) -> None:
    """Write what `paint_face` wants to know of a face."""
    look[0], look[1] = tables.half_sizes[face, 0], tables.half_sizes[face, 1]
    look[2], look[3] = tables.texels_per_m[face, 0], tables.texels_per_m[face, 1]
    look[4] = pitch * pitch * look[2] * look[3] / at[11]
    look[5] = ambient + (_ONE - ambient) * max(_ZERO, lit[2])


@inlined
def _finish(light: Array, seen: Array, samples: int, outside: Array, pixels: Array) -> None:
    """Turn sums into averages, and paint what the lens does not show."""
    share = _ONE / np.float32(samples)
    for k in range(len(pixels)):
        for channel in range(3):
            pixels[k, channel] = light[channel, k] * share if seen[k] else outside[channel]
