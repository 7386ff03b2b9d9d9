"""The turn and shift that bring one set of points onto another, in closed form; and how far points spread."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.geometry import quaternion

Float64Array = npt.NDArray[np.float64]

_FEWEST = 3


def horn(points_a: Float64Array, points_b: Float64Array, weights: Float64Array | None = None) -> Float64Array:
    """Return T_a_b, (7,), which brings points given in b closest to the same points given in a; no scale.

    The quaternion is the eigenvector, for the largest eigenvalue, of a symmetric 4 by 4 matrix of the points'
    covariance: always a rotation and never a mirror image, also for points in a plane. What points on a line leave
    open is chosen somehow: look at `principal_spread` first.

    Source: Horn, "Closed-form solution of absolute orientation using unit quaternions", JOSA A 4 (1987).

    Args:
        points_a: (N, 3) m, N >= 3.
        points_b: (N, 3) m, the same points.
        weights: (N,) not negative; None for one each.
    """
    assert len(points_a) == len(points_b) >= _FEWEST, "three pairs at least"
    share = _shares(len(points_a), weights)
    centre_a, centre_b = share @ points_a, share @ points_b
    covariance = ((points_b - centre_b) * share[:, None]).T @ (points_a - centre_a)
    _, vectors = np.linalg.eigh(_horn_matrix(covariance))
    rotation = quaternion.normalize(vectors[[1, 2, 3, 0], -1])
    rotation = rotation if rotation[3] >= 0.0 else -rotation
    return np.concatenate([centre_a - quaternion.rotate(rotation, centre_b), rotation])


def _horn_matrix(s: Float64Array) -> Float64Array:
    """Return Horn's N, (4, 4), for a quaternion in the order w x y z."""
    antisymmetric = np.array([s[1, 2] - s[2, 1], s[2, 0] - s[0, 2], s[0, 1] - s[1, 0]])
    matrix = np.empty((4, 4))
    matrix[0, 0] = np.trace(s)
    matrix[0, 1:] = matrix[1:, 0] = antisymmetric
    matrix[1:, 1:] = s + s.T - np.trace(s) * np.eye(3)
    return matrix


def principal_spread(
    points: Float64Array, weights: Float64Array | None = None
) -> tuple[Float64Array, Float64Array]:
    """Return how far points spread along their principal axes.

    Args:
        points: (N, 3) m.
        weights: (N,) not negative; None for one each.

    Returns:
        (3,) standard deviations in m, the largest first, and (3, 3) the axes as rows, unit vectors.
    """
    share = _shares(len(points), weights)
    centred = points - share @ points
    values, vectors = np.linalg.eigh((centred * share[:, None]).T @ centred)
    return np.sqrt(np.maximum(values[::-1], 0.0)), vectors[:, ::-1].T


def _shares(count: int, weights: Float64Array | None) -> Float64Array:
    given = np.ones(count) if weights is None else weights
    shares: Float64Array = given / given.sum()
    return shares
