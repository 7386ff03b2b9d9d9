"""One row of a tile: its rays, and what each of them meets first (compiled).

Every loop runs over all TILE_WIDTH rays, a number known when it is compiled, so that it is vectorised whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from handloom_simulation.render.compiled import Array, Int, inlined
from handloom_simulation.render.lens import TILE_WIDTH
from handloom_simulation.render.solids import meet_solid
from handloom_simulation.render.tables import Tables

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
_FAR = np.float32(3e38)
_SAME_DEPTH = np.float32(1.00001)
"""A face so little behind an earlier one is painted over it, as a sticker."""


class Row(NamedTuple):
    """Scratch space for a row of rays.

    Attributes:
        rays: (3, W) directions in the camera's frame.
        depth: (W,) multiple of the direction at which something was met.
        met: (W,) int32, place of that thing among the tile's candidates, or -1.
        texel: (W,) int32, where in a picture, counted from its level's first texel.
        right: (W,) int32, share of the texel to the right, in 256ths.
        below: (W,) int32, share of the row below, in 256ths.
        light: (3, W) sum of the samples' grey levels.
    """

    rays: npt.NDArray[np.float32]
    depth: npt.NDArray[np.float32]
    met: npt.NDArray[np.int32]
    texel: npt.NDArray[np.int32]
    right: npt.NDArray[np.int32]
    below: npt.NDArray[np.int32]
    light: npt.NDArray[np.float32]


@inlined
def aim(corners: Array, pixel_row: int, first: int, place: Array, row: Row) -> None:
    """Point the rays through a place x, y of 0 to 1 within each pixel of a row that begins at column `first`."""
    x, y = place[0], place[1]
    above_left, above_right = (_ONE - x) * (_ONE - y), x * (_ONE - y)
    below_left, below_right = (_ONE - x) * y, x * y
    for axis in range(3):
        above, below, out = corners[axis, pixel_row], corners[axis, pixel_row + 1], row.rays[axis]
        for k in range(TILE_WIDTH):
            left, right = first + k, first + k + 1
            out[k] = (
                above_left * above[left]
                + above_right * above[right]
                + below_left * below[left]
                + below_right * below[right]
            )


@inlined
def cast(tables: Tables, found: Array, at: Array, row: Row) -> None:
    """Find what each ray meets first among the things found, which are placed by `at` (N, 12)."""
    depth, met = row.depth, row.met
    for k in range(TILE_WIDTH):
        depth[k] = _FAR
    for k in range(TILE_WIDTH):
        met[k] = -1
    n_faces = len(tables.n_edges)
    for n in range(len(found)):
        number = found[n]
        if number >= n_faces:
            solid = number - n_faces
            meet_solid(row.rays, at[n], tables.shapes[solid], tables.sizes[solid], np.int32(n), depth, met)
        elif at[n, 11] > _ZERO and tables.n_edges[number] == 0:
            _meet_rectangle(row.rays, at[n], tables.half_sizes[number], np.int32(n), depth, met)
        elif at[n, 11] > _ZERO:
            _meet_polygon(row.rays, at[n], tables.edges[number], np.int32(n), depth, met)


@inlined
def meet_plane(at: Array, row: Row) -> None:
    """Let every ray meet the tile's first candidate, a face that is known to fill the tile."""
    depth, met, ray_x, ray_y, ray_z = row.depth, row.met, row.rays[0], row.rays[1], row.rays[2]
    for k in range(TILE_WIDTH):
        depth[k] = at[11] / (ray_x[k] * at[6] + ray_y[k] * at[7] + ray_z[k] * at[8])
    for k in range(TILE_WIDTH):
        met[k] = 0


@inlined
def all_alike(met: Array) -> bool:
    """Tell whether all rays have met the same thing; counting all of them is quicker than stopping early."""
    first, others = met[0], np.int32(0)
    for k in range(TILE_WIDTH):
        others |= met[k] ^ first
    return bool(others == 0)


@inlined
def _meet_rectangle(rays: Array, at: Array, half: Array, n: Int, depth: Array, met: Array) -> None:
    ray_x, ray_y, ray_z = rays[0], rays[1], rays[2]
    half_x, half_y = half[0], half[1]
    for k in range(TILE_WIDTH):
        towards = ray_x[k] * at[6] + ray_y[k] * at[7] + ray_z[k] * at[8]
        t = at[11] / towards
        x = t * (ray_x[k] * at[0] + ray_y[k] * at[1] + ray_z[k] * at[2]) - at[9]
        y = t * (ray_x[k] * at[3] + ray_y[k] * at[4] + ray_z[k] * at[5]) - at[10]
        nearer = (towards > _ZERO) & (t < depth[k] * _SAME_DEPTH)
        hit = nearer & (abs(x) <= half_x) & (abs(y) <= half_y)
        depth[k] = t if hit else depth[k]
        met[k] = n if hit else met[k]


@inlined
def _meet_polygon(rays: Array, at: Array, edges: Array, n: Int, depth: Array, met: Array) -> None:
    for k in range(TILE_WIDTH):
        ray_x, ray_y, ray_z = rays[0, k], rays[1, k], rays[2, k]
        towards = ray_x * at[6] + ray_y * at[7] + ray_z * at[8]
        t = at[11] / towards
        hit = (towards > _ZERO) & (t < depth[k] * _SAME_DEPTH)
        if hit:
            x = t * (ray_x * at[0] + ray_y * at[1] + ray_z * at[2]) - at[9]
            y = t * (ray_x * at[3] + ray_y * at[4] + ray_z * at[5]) - at[10]
            for edge in range(len(edges)):
                hit = hit and edges[edge, 0] * x + edges[edge, 1] * y + edges[edge, 2] >= _ZERO
        if hit:
            depth[k], met[k] = t, n
