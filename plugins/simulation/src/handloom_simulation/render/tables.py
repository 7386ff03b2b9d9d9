"""A world as arrays that compiled code can walk: outlines and solids."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import pose
from handloom_simulation.world import Face, Solid, World

Float32Array = npt.NDArray[np.float32]
FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

SPHERE, CYLINDER, CAPSULE = range(3)
_SHAPES = {"sphere": SPHERE, "cylinder": CYLINDER, "capsule": CAPSULE}


_AXES = np.eye(3)


class Tables(NamedTuple):
    """Faces come first, then solids; an object's number counts through both.

    Attributes:
        half_sizes: (F, 2) m, half of what the picture covers.
        corners: (F, E, 2) m, outlines, clockwise as seen, the last corner repeated to fill.
        edges: (F, E, 3) a, b, c with a x + b y + c >= 0 inside.
        n_edges: (F,) E, or 0 for the whole rectangle.
        texels_per_m: (F, 2) of the finest level.
        shapes: (S,) SPHERE, CYLINDER or CAPSULE.
        sizes: (S, 2) m, radius and half length.
        colours: (S, 3) grey levels.
    """

    half_sizes: Float32Array
    corners: Float32Array
    edges: Float32Array
    n_edges: Int64Array
    texels_per_m: Float32Array
    shapes: Int64Array
    sizes: Float32Array
    colours: Float32Array


def with_box_sides(world: World) -> World:
    """Return the same world with every box replaced by its sides, which are quicker to meet and to leave out."""
    sides = tuple(side for solid in world.solids if solid.shape == "box" for side in _sides(solid))
    round_ones = tuple(solid for solid in world.solids if solid.shape != "box")
    return attrs.evolve(world, faces=(*world.faces, *sides), solids=round_ones)


def make_tables(world: World) -> Tables:
    """Return the arrays of a world without boxes."""
    faces, solids = world.faces, world.solids
    outlines = [_outline(face) for face in faces]
    most = max((len(outline) for outline in outlines), default=4)
    corners = np.zeros((len(faces), most, 2))
    for number, outline in enumerate(outlines):
        corners[number] = np.concatenate([outline, np.repeat(outline[-1:], most - len(outline), axis=0)])
    sizes = np.array([face.size_m for face in faces]).reshape(-1, 2)
    pixels = np.array([face.picture.shape[1::-1] for face in faces]).reshape(-1, 2)
    return Tables(
        half_sizes=(0.5 * sizes).astype(np.float32),
        corners=corners.astype(np.float32),
        edges=_edge_functions(corners).astype(np.float32),
        n_edges=np.array([0 if face.outline_m is None else most for face in faces], dtype=np.int64),
        texels_per_m=(pixels / sizes).astype(np.float32),
        shapes=np.array([_SHAPES[solid.shape] for solid in solids], dtype=np.int64),
        sizes=np.array([(*solid.size_m, 0.0)[:2] for solid in solids], dtype=np.float32).reshape(-1, 2),
        colours=np.array([solid.colour for solid in solids], dtype=np.float32).reshape(-1, 3),
    )


def placements(world: World) -> tuple[list[str], FloatArray]:
    """Return the body of every object, faces first, and (N, 4, 4) T_body_object."""
    bodies = [*(face.body for face in world.faces), *(solid.body for solid in world.solids)]
    poses = [*(face.T_body_face for face in world.faces), *(solid.T_body_solid for solid in world.solids)]
    return bodies, pose.to_matrix(np.array(poses, dtype=np.float64).reshape(-1, 7))


def _outline(face: Face) -> FloatArray:
    if face.outline_m is not None:
        return np.asarray(face.outline_m, dtype=np.float64)
    x, y = 0.5 * face.size_m[0], 0.5 * face.size_m[1]
    return np.array([[-x, -y], [x, -y], [x, y], [-x, y]])


def _edge_functions(corners: FloatArray) -> FloatArray:
    """Return a, b, c of each side; of a side without length 0, 0, 0, which leaves nothing out."""
    following = np.roll(corners, -1, axis=1)
    along = following - corners
    # Clockwise with y down, the inside is on the right of each side.
    inward = np.stack([-along[..., 1], along[..., 0]], axis=-1)
    return np.concatenate([inward, -(inward * corners).sum(axis=-1, keepdims=True)], axis=-1)


def _sides(box: Solid) -> list[Face]:
    picture = np.array(box.colour, dtype=np.uint8).reshape(1, 1, 3)
    sides = []
    for across, sign in product(range(3), (-1.0, 1.0)):
        right, down = (across + 1) % 3, (across + 2) % 3
        T_box_side = np.eye(4)
        # z points inwards; x turns with its sign so that the axes stay right-handed.
        T_box_side[:3, :3] = np.stack([-sign * _AXES[right], _AXES[down], -sign * _AXES[across]], axis=-1)
        T_box_side[:3, 3] = sign * box.size_m[across] * _AXES[across]
        sides.append(
            Face(
                name=f"{box.name}/side",
                body=box.body,
                T_body_face=pose.compose(box.T_body_solid, pose.from_matrix(T_box_side)),
                size_m=(2.0 * box.size_m[right], 2.0 * box.size_m[down]),
                picture=picture,
            )
        )
    return sides
