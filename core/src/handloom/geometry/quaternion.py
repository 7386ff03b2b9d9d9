"""Rotations as unit quaternions x y z w, over any leading axes; a row with a NaN gives a row of NaN.

`q_a_b` turns coordinates in b into coordinates in a, and `multiply(q_a_b, q_b_c)` is `q_a_c`.

Source: Sola, Deray, Atchuthan, "A micro Lie theory for state estimation in robotics", arXiv:1812.01537, section
on S3 and appendix B.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.errors import FrameError
from handloom.geometry.arrays import FloatArray, cross, lose_broken_rows, rows, square

ROTATION_TOLERANCE = 1e-6
"""How far R R^T may be from the identity: what float32 matrices keep to, and no sheared one does."""


def multiply(q_a_b: npt.ArrayLike, q_b_c: npt.ArrayLike) -> FloatArray:
    """Return q_a_c, (..., 4); leading axes broadcast."""
    left, right = rows(q_a_b, 4, "Quaternions"), rows(q_b_c, 4, "Quaternions")
    a, b, c, d = (left[..., part] for part in range(4))
    x, y, z, w = (right[..., part] for part in range(4))
    # By components: numpy is slow where it broadcasts along an axis of three.
    product = np.empty(np.broadcast_shapes(left.shape, right.shape))
    product[..., 0] = a * w + d * x + b * z - c * y
    product[..., 1] = b * w + d * y + c * x - a * z
    product[..., 2] = c * w + d * z + a * y - b * x
    product[..., 3] = d * w - a * x - b * y - c * z
    return lose_broken_rows(product)


def conjugate(q_a_b: npt.ArrayLike) -> FloatArray:
    """Return q_b_a, (..., 4): the inverse of a unit quaternion."""
    return lose_broken_rows(rows(q_a_b, 4, "Quaternions") * np.array([-1.0, -1.0, -1.0, 1.0]))


def normalize(quaternions: npt.ArrayLike) -> FloatArray:
    """Return quaternions of norm 1, (..., 4).

    Raises:
        FrameError: One is zero or infinite, and stands for no rotation.
    """
    array = rows(quaternions, 4, "Quaternions")
    # Divided by the largest element first: the square of 1e-200 is 0.
    largest = np.abs(array).max(axis=-1, keepdims=True)
    broken = (largest == 0.0) | np.isinf(largest)
    if broken.any():
        first = array.reshape(-1, 4)[int(np.argmax(broken.reshape(-1)))]
        raise FrameError(f"A quaternion must be finite and not zero; found {first.tolist()}.")
    scaled = array / largest
    return lose_broken_rows(scaled / np.linalg.norm(scaled, axis=-1, keepdims=True))


def rotate(q_a_b: npt.ArrayLike, vectors_b: npt.ArrayLike) -> FloatArray:
    """Turn vectors (..., 3) from b into a by unit quaternions (..., 4); leading axes broadcast."""
    quaternion, vector = rows(q_a_b, 4, "Quaternions"), rows(vectors_b, 3, "Vectors")
    axis, scalar = quaternion[..., :3], quaternion[..., 3:]
    twice = 2.0 * cross(axis, vector)
    return lose_broken_rows(vector + scalar * twice + cross(axis, twice))


def from_rotvec(rotvecs: npt.ArrayLike) -> FloatArray:
    """Return the quaternions (..., 4) of rotation vectors (..., 3): axis times angle in radians."""
    rotvec = rows(rotvecs, 3, "Rotation vectors")
    half_angle = 0.5 * np.linalg.norm(rotvec, axis=-1, keepdims=True)
    # numpy's sinc(x) is sin(pi x) / (pi x): exact at 0, no branch needed.
    vector = 0.5 * np.sinc(half_angle / np.pi) * rotvec
    return lose_broken_rows(np.concatenate([vector, np.cos(half_angle)], axis=-1))


def to_rotvec(quaternions: npt.ArrayLike) -> FloatArray:
    """Return the rotation vectors (..., 3) of unit quaternions (..., 4), the shorter way: 0 to pi radians."""
    array = rows(quaternions, 4, "Quaternions")
    array = np.where(array[..., 3:] < 0.0, -array, array)
    vector, scalar = array[..., :3], array[..., 3:]
    sine = np.linalg.norm(vector, axis=-1, keepdims=True)
    tiny = sine < 1e-150
    angle_per_sine = 2.0 * np.arctan2(sine, scalar) / np.where(tiny, 1.0, sine)
    return lose_broken_rows(np.where(tiny, 2.0, angle_per_sine) * vector)


def to_matrix(quaternions: npt.ArrayLike) -> FloatArray:
    """Return rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    array = rows(quaternions, 4, "Quaternions")
    columns = [rotate(array, axis) for axis in np.eye(3)]
    return np.stack(columns, axis=-1)


def from_matrix(matrices: npt.ArrayLike) -> FloatArray:
    """Return unit quaternions (..., 4), w >= 0, of rotation matrices (..., 3, 3).

    Raises:
        FrameError: A matrix is not a rotation: not orthonormal, or a mirror image.

    Source: Shepperd, "Quaternion from rotation matrix", Journal of Guidance and Control 1 (1978): of the four ways
    to begin, the one that divides by the largest element.
    """
    matrix = square(matrices, 3, "Rotation matrices")
    _check_rotations(matrix)
    m = {(i, j): matrix[..., i, j] for i in range(3) for j in range(3)}
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    x, y, z = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    xy, xz, yz = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
    diagonal = [1.0 + 2.0 * m[i, i] - trace for i in range(3)]
    # Row k is 4 * q_k * (x, y, z, w): each a multiple of the quaternion, the best the one with the largest q_k.
    candidates = np.stack(
        [
            np.stack([diagonal[0], xy, xz, x], axis=-1),
            np.stack([xy, diagonal[1], yz, y], axis=-1),
            np.stack([xz, yz, diagonal[2], z], axis=-1),
            np.stack([x, y, z, 1.0 + trace], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(np.diagonal(candidates, axis1=-2, axis2=-1), axis=-1)[..., None, None]
    chosen = np.take_along_axis(candidates, best, axis=-2)[..., 0, :]
    return normalize(np.where(chosen[..., 3:] < 0.0, -chosen, chosen))


def slerp(start: npt.ArrayLike, end: npt.ArrayLike, fractions: npt.ArrayLike) -> FloatArray:
    """Turn from start to end at constant speed along the shorter way.

    Args:
        start: (..., 4) unit quaternions q_a_b, reached at fraction 0.
        end: (..., 4) unit quaternions, reached at fraction 1.
        fractions: (...,) share of the way.

    Returns:
        (..., 4) unit quaternions.

    Source: Shoemake, "Animating rotation with quaternion curves", SIGGRAPH 1985.
    """
    turn = to_rotvec(multiply(conjugate(start), end))
    share = np.asarray(fractions, dtype=np.float64)[..., None]
    return normalize(multiply(start, from_rotvec(share * turn)))


def angle_between(first: npt.ArrayLike, second: npt.ArrayLike) -> FloatArray:
    """Return the angle (...,) of the turn from one orientation to another, exact for the smallest turns.

    Half the turn is the angle between the quaternions as vectors, and half of that has the tangent
    |first - second| / |first + second|; the nearer of a quaternion and its negative counts.

    Args:
        first: (..., 4) unit quaternions.
        second: (..., 4) likewise; leading axes broadcast.

    Returns:
        (...,) radians, 0 to pi; NaN where one is lost.

    Source: Kahan, "How Futile are Mindless Assessments of Roundoff in Floating-Point Computation?" (2006), section
    12: the angle between two vectors.
    """
    one, other = rows(first, 4, "Quaternions"), rows(second, 4, "Quaternions")
    apart, together = np.linalg.norm(one - other, axis=-1), np.linalg.norm(one + other, axis=-1)
    angles: FloatArray = 4.0 * np.arctan2(np.minimum(apart, together), np.maximum(apart, together))
    return angles


def _check_rotations(matrix: FloatArray) -> None:
    every = matrix.reshape(-1, 3, 3)
    with np.errstate(invalid="ignore"):  # infinities, refused below
        error = np.abs(every @ every.swapaxes(1, 2) - np.eye(3)).max(axis=(1, 2))
        handedness = (cross(every[:, 0], every[:, 1]) * every[:, 2]).sum(axis=1)
    lost = np.isnan(every).any(axis=(1, 2))
    wrong = np.flatnonzero(~lost & ~((error < ROTATION_TOLERANCE) & (handedness > 0.0)))
    if len(wrong):
        found = every[wrong[0]].tolist()
        raise FrameError(f"{found} is not a rotation: R R^T must be the identity and det(R) = 1.")
