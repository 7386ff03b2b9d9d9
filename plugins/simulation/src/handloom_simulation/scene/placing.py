"""Poses of things out of directions, the way a scene is thought of."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.geometry import pose

FloatArray = npt.NDArray[np.float64]


def at(x: float, y: float, z: float) -> FloatArray:
    """Return a pose (7,) at a place, m, not turned."""
    return np.array([x, y, z, 0.0, 0.0, 0.0, 1.0])


def facing(centre_m: npt.ArrayLike, *, right: npt.ArrayLike, down: npt.ArrayLike) -> FloatArray:
    """Return the pose (7,) of a frame at a place whose x and y axes have these directions, unit vectors."""
    matrix = np.eye(4)
    x, y = np.asarray(right, dtype=np.float64), np.asarray(down, dtype=np.float64)
    matrix[:3, :3] = np.stack([x, y, np.cross(x, y)], axis=1)
    matrix[:3, 3] = centre_m
    return pose.from_matrix(matrix)


def between(start_m: npt.ArrayLike, end_m: npt.ArrayLike, *, side: npt.ArrayLike) -> tuple[FloatArray, float]:
    """Return the pose (7,) in the middle of two points with z from one to the other, and half their distance.

    Args:
        start_m: (3,).
        end_m: (3,).
        side: (3,) roughly where the frame's x axis is to point.
    """
    start, end = np.asarray(start_m, dtype=np.float64), np.asarray(end_m, dtype=np.float64)
    length = float(np.linalg.norm(end - start))
    z = (end - start) / length
    across = np.asarray(side, dtype=np.float64) - z * (z @ np.asarray(side, dtype=np.float64))
    x = across / np.linalg.norm(across)
    return facing(0.5 * (start + end), right=x, down=np.cross(z, x)), 0.5 * length
