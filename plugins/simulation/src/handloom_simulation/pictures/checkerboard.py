"""A checkerboard, and where its corners are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom_simulation.world import Face, FloatArray


def checkerboard_face(
    *,
    columns: int,
    rows: int,
    square_m: float,
    T_body_face: npt.ArrayLike,
    body: str = "world",
    margin_squares: int = 1,
    name: str = "checkerboard",
) -> Face:
    """Return a board of columns x rows squares, black at the top left, with a white margin.

    Args:
        columns: Squares along x.
        rows: Squares along y.
        square_m: Side of a square.
        T_body_face: (7,) the board's middle, x right, y down, z into the surface.
        body: Body it is fixed to.
        margin_squares: Width of the white margin.
        name: For people and for truth.
    """
    squares = np.where(np.indices((rows, columns)).sum(axis=0) % 2 == 0, 20, 235).astype(np.uint8)
    picture = np.pad(squares, margin_squares, constant_values=235)
    return Face(
        name=name,
        body=body,
        T_body_face=np.asarray(T_body_face, dtype=np.float64),
        size_m=((columns + 2 * margin_squares) * square_m, (rows + 2 * margin_squares) * square_m),
        picture=np.ascontiguousarray(np.repeat(picture[..., None], 3, axis=-1)),
        sharp=True,
    )


def checkerboard_corners(*, columns: int, rows: int, square_m: float) -> FloatArray:
    """Return the inner corners ((rows - 1) * (columns - 1), 3) m in the face's frame, row by row."""
    x = (np.arange(1, columns) - 0.5 * columns) * square_m
    y = (np.arange(1, rows) - 0.5 * rows) * square_m
    grid_y, grid_x = np.meshgrid(y, x, indexing="ij")
    return np.stack([grid_x.ravel(), grid_y.ravel(), np.zeros(grid_x.size)], axis=-1)
