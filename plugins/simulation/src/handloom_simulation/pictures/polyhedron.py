"""The marker polyhedron: 18 squares and 8 triangles, tags on 16 of the squares."""

from __future__ import annotations

from itertools import product

import numpy as np

from handloom.geometry import pose
from handloom_simulation.pictures.tags import tag_picture
from handloom_simulation.world import Face, FloatArray

EDGE_M = 0.03
"""Side of a square face."""

TAG_M = 0.022
"""Side of a tag's black square: a face holds it and a white border of 4 mm, one module."""

_UNTAGGED = ((0.0, 1.0, 0.0), (0.0, -1.0, 0.0))
"""The handle's face (y down) and the one across from it carry no tag."""


def marker_polyhedron(
    body: str, *, first_tag: int = 0, T_body_polyhedron: FloatArray = pose.IDENTITY, edge_m: float = EDGE_M
) -> tuple[Face, ...]:
    """Return the 26 faces of a rhombicuboctahedron with tags of ArUco 4x4_50.

    The handle points along +y. The tags first_tag to first_tag + 15 go round about the y axis, from the top rows
    down: 4 squares at 45° up, 8 about the middle, 4 at 45° down.

    Args:
        body: Body it is fixed to.
        first_tag: 0 for the left hand's, 16 for the right hand's.
        T_body_polyhedron: (7,) its centre.
        edge_m: Side of its squares.

    Source: vertices at the permutations of (±1, ±1, ±(1 + √2)) a / 2, a the edge; so squares are a (1 + √2) / 2
    from the centre and triangles a (3 + √2) / (2 √3).
    """
    squares = [
        _face(
            body,
            name=f"square-{index}" if number is None else f"tag-{first_tag + number}",
            T_body_face=pose.compose(T_body_polyhedron, T_polyhedron_face(normal, edge_m)),
            edge_m=edge_m,
            number=None if number is None else first_tag + number,
        )
        for index, (normal, number) in enumerate(_numbered_squares())
    ]
    triangles = [_triangle(body, index, T_body_polyhedron, edge_m) for index in range(8)]
    return (*squares, *triangles)


def square_normals() -> FloatArray:
    """Return (16, 3) outward unit normals of the faces that carry tags, in the order of the tags."""
    directions = [np.array(d) for d in product((-1.0, 0.0, 1.0), repeat=3) if 1 <= np.count_nonzero(d) <= 2]
    tagged = [d / np.linalg.norm(d) for d in directions if tuple(d) not in _UNTAGGED]
    return np.array(sorted(tagged, key=lambda d: (round(d[1], 6), round(float(np.arctan2(d[0], -d[2])), 6))))


def T_polyhedron_face(normal: FloatArray, edge_m: float) -> FloatArray:
    """Return (7,) of a square's frame: z inwards, x about the y axis, y away from the top."""
    inward = -np.asarray(normal, dtype=np.float64)
    across = np.cross([0.0, 1.0, 0.0], inward)
    right = np.array([1.0, 0.0, 0.0]) if np.linalg.norm(across) < 1e-9 else across / np.linalg.norm(across)
    matrix = np.eye(4)
    matrix[:3, :3] = np.stack([right, np.cross(inward, right), inward], axis=-1)
    matrix[:3, 3] = -inward * 0.5 * edge_m * (1.0 + np.sqrt(2.0))
    return pose.from_matrix(matrix)


def _numbered_squares() -> list[tuple[FloatArray, int | None]]:
    tagged: list[tuple[FloatArray, int | None]] = [(n, number) for number, n in enumerate(square_normals())]
    return [*tagged, *((np.array(normal), None) for normal in _UNTAGGED)]


def _face(body: str, *, name: str, T_body_face: FloatArray, edge_m: float, number: int | None) -> Face:
    blank = np.full((1, 1, 3), 255, dtype=np.uint8)
    whole = TAG_M / EDGE_M * edge_m * 8.0 / 6.0  # the tag and one module about it, cut off at the face's sides
    half = 0.5 * edge_m
    return Face(
        name=f"{body}/{name}",
        body=body,
        T_body_face=T_body_face,
        size_m=(edge_m, edge_m) if number is None else (whole, whole),
        picture=blank if number is None else tag_picture("4x4_50", number),
        outline_m=np.array([[-half, -half], [half, -half], [half, half], [-half, half]]),
        sharp=True,
    )


def _triangle(body: str, index: int, T_body_polyhedron: FloatArray, edge_m: float) -> Face:
    normal = np.array([1.0 - 2.0 * (index >> bit & 1) for bit in range(3)]) / np.sqrt(3.0)
    T_polyhedron_face_ = T_polyhedron_face(normal, edge_m)
    T_polyhedron_face_[:3] = normal * edge_m * (3.0 + np.sqrt(2.0)) / (2.0 * np.sqrt(3.0))
    far = 0.5 * edge_m * (1.0 + np.sqrt(2.0))
    near = 0.5 * edge_m
    signs = np.sign(normal)
    vertices = signs * np.where(np.eye(3, dtype=bool), far, near)
    flat = pose.transform_points(pose.inverse(T_polyhedron_face_), vertices)[:, :2]
    clockwise = flat[np.argsort(np.arctan2(flat[:, 1], flat[:, 0]))]
    return Face(
        name=f"{body}/triangle-{index}",
        body=body,
        T_body_face=pose.compose(T_body_polyhedron, T_polyhedron_face_),
        size_m=(2.0 * edge_m, 2.0 * edge_m),
        picture=np.full((1, 1, 3), 235, dtype=np.uint8),
        outline_m=clockwise,
        sharp=True,
    )
