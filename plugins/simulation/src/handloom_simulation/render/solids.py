"""Where rays meet balls, cylinders and capsules, and which way the surface faces there (compiled).

A ray that starts inside a solid does not see it: a camera may sit in its own housing.
"""

from __future__ import annotations

import numpy as np

from handloom_simulation.render.compiled import Array, Int, Real, inlined
from handloom_simulation.render.lens import TILE_WIDTH
from handloom_simulation.render.tables import CAPSULE, CYLINDER, SPHERE

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
_NEVER = np.float32(3e38)
_FLAT = np.float32(1e-12)


@inlined
def meet_solid(rays: Array, at: Array, shape: Int, size: Array, n: Int, depth: Array, met: Array) -> None:
    """Note where a solid is the nearest so far along rays (3, W)."""
    ox, oy, oz = -at[9], -at[10], -at[11]
    for k in range(TILE_WIDTH):
        x = rays[0, k] * at[0] + rays[1, k] * at[1] + rays[2, k] * at[2]
        y = rays[0, k] * at[3] + rays[1, k] * at[4] + rays[2, k] * at[5]
        z = rays[0, k] * at[6] + rays[1, k] * at[7] + rays[2, k] * at[8]
        if shape == SPHERE:
            t = _ball(ox, oy, oz, x, y, z, size[0])
        elif shape == CYLINDER:
            t = _cylinder(ox, oy, oz, x, y, z, size)
        else:
            t = _capsule(ox, oy, oz, x, y, z, size)
        if t < depth[k]:
            depth[k], met[k] = t, n


@inlined
def facing(shape: Int, size: Array, x: Real, y: Real, z: Real) -> tuple[Real, Real, Real]:
    """Return the unit normal at a point of a solid's surface, in the solid's axes."""
    if shape == CYLINDER and abs(z) >= size[1] * np.float32(0.99999):
        return _ZERO, _ZERO, _ONE if z > _ZERO else -_ONE
    if shape == CYLINDER:
        z = _ZERO
    elif shape == CAPSULE:
        z -= max(-size[1], min(size[1], z))
    length = np.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


@inlined
def _entry(a: Real, b: Real, c: Real) -> Real:
    """Return the smaller root of a t² + 2 b t + c = 0, if there is one ahead."""
    under = b * b - a * c
    if under < _ZERO or a <= _FLAT:
        return _NEVER
    t = (-b - np.sqrt(under)) / a
    return t if t > _ZERO else _NEVER


@inlined
def _ball(ox: Real, oy: Real, oz: Real, x: Real, y: Real, z: Real, radius: Real) -> Real:
    a, b = x * x + y * y + z * z, ox * x + oy * y + oz * z
    return _entry(a, b, ox * ox + oy * oy + oz * oz - radius * radius)


@inlined
def _cylinder(ox: Real, oy: Real, oz: Real, x: Real, y: Real, z: Real, size: Array) -> Real:
    radius, half = size[0], size[1]
    side = _entry(x * x + y * y, ox * x + oy * y, ox * ox + oy * oy - radius * radius)
    if side < _NEVER and abs(oz + side * z) <= half:
        return side
    if abs(oz) <= half or oz * z >= _ZERO:  # between the ends' planes, or looking away from the nearer one
        return _NEVER
    cap = ((half if oz > _ZERO else -half) - oz) / z
    at_x, at_y = ox + cap * x, oy + cap * y
    return cap if at_x * at_x + at_y * at_y <= radius * radius else _NEVER


@inlined
def _capsule(ox: Real, oy: Real, oz: Real, x: Real, y: Real, z: Real, size: Array) -> Real:
    radius, half = size[0], size[1]
    side = _entry(x * x + y * y, ox * x + oy * y, ox * ox + oy * oy - radius * radius)
    if side < _NEVER and abs(oz + side * z) <= half:
        return side
    return min(_ball(ox, oy, oz - half, x, y, z, radius), _ball(ox, oy, oz + half, x, y, z, radius))
