"""What a tile of pixels may show: everything else is left out before a ray is cast (compiled).

Seen from the eye a flat convex outline is the set of directions on the inner side of a plane through each of its
sides. A tile is a cone of directions; it misses the outline if the cone lies on the outer side of one such plane.
"""

from __future__ import annotations

import numpy as np

from handloom_simulation.render.compiled import Array, Real, compiled, inlined
from handloom_simulation.render.tables import Tables

_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
_FAR = np.float32(3e38)

_SLACK = np.float32(2e-3)
"""Added to a tile's half angle for what moves along a curve between the instants looked at, and for rounding."""

_DEPTH_SLACK = np.float32(1.001)


@compiled
def outline_planes(objects: Array, corners: Array) -> Array:
    """Return (K, F, E, 3) unit normals of the planes through the eye and a face's sides, pointing inside.

    Args:
        objects: (K, F or more, 12) of `motion.Placed`.
        corners: (F, E, 2) m, the outlines.
    """
    n_knots, (n_faces, n_edges, _) = objects.shape[0], corners.shape
    planes = np.zeros((n_knots, n_faces, n_edges, 3), dtype=np.float32)
    points = np.zeros((n_edges, 3))
    for knot in range(n_knots):
        for face in range(n_faces):
            at = objects[knot, face]
            for edge in range(n_edges):
                x, y = corners[face, edge, 0] + at[9], corners[face, edge, 1] + at[10]
                for axis in range(3):
                    points[edge, axis] = x * at[axis] + y * at[3 + axis] + at[11] * at[6 + axis]
            for edge in range(n_edges):
                _set_normal(planes[knot, face, edge], points[edge], points[(edge + 1) % n_edges])
    return planes


@inlined
def _set_normal(normal: Array, first: Array, second: Array) -> None:
    """Set a plane's unit normal, zero where the side has no length."""
    x = first[1] * second[2] - first[2] * second[1]
    y = first[2] * second[0] - first[0] * second[2]
    z = first[0] * second[1] - first[1] * second[0]
    length = np.sqrt(x * x + y * y + z * z)
    if length > 0.0:
        normal[0], normal[1], normal[2] = x / length, y / length, z / length


@compiled
def gather(
    cone: Array,
    tables: Tables,
    objects: Array,
    planes: Array,
    instants: tuple[int, int, int],
    found: Array,
    near: Array,
) -> tuple[int, bool]:
    """Write the numbers of the objects that a tile may show into `found`.

    Returns:
        How many there are, and whether there is only one, a face that fills the tile.

    Args:
        cone: (6,) of `lens.Lens`.
        tables: The world.
        objects: (K, N, 12) of `motion.Placed`.
        planes: (K, F, E, 3) of `outline_planes`.
        instants: The knots before, about the middle of, and after what the tile sees.
        found: (N,) written.
        near: (N,) scratch space: the least depth of each that was found.
    """
    count, n_faces, hidden, filled = 0, len(tables.n_edges), _FAR, False
    half_angle = np.arcsin(min(_ONE, cone[3])) + _SLACK
    for face in range(n_faces):
        seen, covering = _sees_face(cone, objects, planes, face, instants)
        if seen:
            found[count] = face
            near[count], deepest = _depths(cone, half_angle, objects, face, instants)
            hidden = min(hidden, deepest) if covering else hidden
            filled = filled or covering
            count += 1
    for solid in range(len(tables.shapes)):
        near[count] = _depth_of_solid(cone, half_angle, objects, n_faces + solid, tables.sizes[solid], instants)
        if near[count] < hidden:
            found[count] = n_faces + solid
            count += 1
    kept = 0
    for n in range(count):
        if near[n] <= hidden * _DEPTH_SLACK:
            found[kept] = found[n]
            kept += 1
    return kept, filled and kept == 1 and cone[5] > _ZERO


@inlined
def _sees_face(
    cone: Array, objects: Array, planes: Array, face: int, instants: tuple[int, int, int]
) -> tuple[bool, bool]:
    """Tell whether a tile may show a face, and whether the face fills it at all of the instants."""
    turned_to, covering = False, True
    for knot in instants:
        to_us = objects[knot, face, 11] > _ZERO
        turned_to, covering = turned_to or to_us, covering and to_us
    if not turned_to:
        return False, False
    for edge in range(planes.shape[2]):
        outside = True
        for knot in instants:
            normal = planes[knot, face, edge]
            across = normal[0] * cone[0] + normal[1] * cone[1] + normal[2] * cone[2]
            outside = outside and (across < -cone[3] - _SLACK or objects[knot, face, 11] <= _ZERO)
            no_side = normal[0] == _ZERO and normal[1] == _ZERO and normal[2] == _ZERO
            covering = covering and (across > cone[3] + _SLACK or no_side)
            if not outside and not covering:
                break
        if outside:
            return False, False
    return True, covering


@inlined
def _depths(
    cone: Array, half_angle: Real, objects: Array, face: int, instants: tuple[int, int, int]
) -> tuple[Real, Real]:
    """Return bounds of the depths at which a tile's rays meet a face's plane."""
    nearest, deepest = _FAR, _ZERO
    for knot in instants:
        at = objects[knot, face]
        along = at[6] * cone[0] + at[7] * cone[1] + at[8] * cone[2]
        angle = np.arccos(max(-_ONE, min(_ONE, along)))
        nearest = min(nearest, max(_ZERO, at[11]) / np.cos(max(_ZERO, angle - half_angle)))
        flattest = np.cos(min(np.float32(np.pi), angle + half_angle))
        deepest = max(deepest, at[11] / flattest if flattest > _ZERO else _FAR)
    return max(_ZERO, nearest), deepest


@inlined
def _depth_of_solid(
    cone: Array, half_angle: Real, objects: Array, number: int, size: Array, instants: tuple[int, int, int]
) -> Real:
    """Return the least depth of the capsule about a round solid, or _FAR if it stays outside the tile's cone."""
    nearest = _FAR
    for knot in instants:
        at = objects[knot, number]
        distance, angle = _segment(cone, at, size[1])
        if distance <= size[0]:
            return _ZERO
        if angle <= half_angle + np.arcsin(size[0] / distance):
            nearest = min(nearest, distance - size[0])
    return nearest


@inlined
def _segment(cone: Array, at: Array, half: Real) -> tuple[Real, Real]:
    """Return how near a solid's axis comes to the eye, and the angle between that axis and the cone's."""
    x = at[0] * at[9] + at[3] * at[10] + at[6] * at[11]
    y = at[1] * at[9] + at[4] * at[10] + at[7] * at[11]
    z = at[2] * at[9] + at[5] * at[10] + at[8] * at[11]
    along = max(-half, min(half, -at[11]))
    distance = np.sqrt(at[9] * at[9] + at[10] * at[10] + (at[11] + along) * (at[11] + along))
    best = -_ONE
    # Of the points p + s a of the axis, the nearest in angle to the cone's axis c solves a linear equation in s.
    cp = cone[0] * x + cone[1] * y + cone[2] * z
    ca = cone[0] * at[6] + cone[1] * at[7] + cone[2] * at[8]
    pp, pa = x * x + y * y + z * z, at[11]
    under = cp - ca * pa
    turning = (ca * pp - cp * pa) / under if under != _ZERO else _ZERO
    for s in (-half, max(-half, min(half, turning)), half):
        length = np.sqrt(max(np.float32(1e-20), pp + np.float32(2.0) * s * pa + s * s))
        best = max(best, (cp + s * ca) / length)
    return distance, np.arccos(max(-_ONE, min(_ONE, best)))
