"""Poses as rows of x y z in metres and a unit quaternion x y z w, over any leading axes; a lost row stays NaN.

`T_a_b` maps b to a, and `compose(T_a_b, T_b_c)` is `T_a_c`.

Source: Sola, Deray, Atchuthan, "A micro Lie theory for state estimation in robotics", arXiv:1812.01537, appendix D
(SE(3)); tangent vectors are [rho, phi], translation first.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.errors import FrameError
from handloom.geometry import quaternion
from handloom.geometry.arrays import FloatArray, cross, lose_broken_rows, rows, square

IDENTITY: FloatArray = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
"""T_a_a, (7,), read-only."""
IDENTITY.setflags(write=False)

_SMALL_ANGLE = 0.1
"""Radians below which series are used; the first term left out is below 1e-15 there."""


def compose(T_a_b: npt.ArrayLike, T_b_c: npt.ArrayLike) -> FloatArray:
    """Return T_a_c, (..., 7); leading axes broadcast."""
    first, second = rows(T_a_b, 7, "Poses"), rows(T_b_c, 7, "Poses")
    return _join(
        first[..., :3] + quaternion.rotate(first[..., 3:], second[..., :3]),
        quaternion.multiply(first[..., 3:], second[..., 3:]),
    )


def inverse(T_a_b: npt.ArrayLike) -> FloatArray:
    """Return T_b_a, (..., 7)."""
    poses = rows(T_a_b, 7, "Poses")
    back = quaternion.conjugate(poses[..., 3:])
    return _join(-quaternion.rotate(back, poses[..., :3]), back)


def transform_points(T_a_b: npt.ArrayLike, points_b: npt.ArrayLike) -> FloatArray:
    """Return points_a, (..., 3) m: points given in b expressed in a; leading axes broadcast."""
    poses = rows(T_a_b, 7, "Poses")
    return lose_broken_rows(poses[..., :3] + quaternion.rotate(poses[..., 3:], points_b))


def to_matrix(T_a_b: npt.ArrayLike) -> FloatArray:
    """Return homogeneous matrices (..., 4, 4); a lost pose gives NaN throughout."""
    poses = lose_broken_rows(rows(T_a_b, 7, "Poses"))
    matrix = np.zeros((*poses.shape[:-1], 4, 4))
    matrix[..., :3, :3] = quaternion.to_matrix(poses[..., 3:])
    matrix[..., :3, 3] = poses[..., :3]
    matrix[..., 3, 3] = 1.0
    matrix[np.isnan(poses).any(axis=-1)] = np.nan
    return matrix


def from_matrix(matrices: npt.ArrayLike) -> FloatArray:
    """Return poses (..., 7), w >= 0, of homogeneous matrices (..., 4, 4).

    Raises:
        FrameError: The last row is not 0 0 0 1, or the rotation is none.
    """
    matrix = square(matrices, 4, "Transforms")
    last = matrix[..., 3, :]
    lost = np.isnan(matrix).any(axis=(-1, -2))
    if (~lost & (last != np.array([0.0, 0.0, 0.0, 1.0])).any(axis=-1)).any():
        raise FrameError("The last row of a homogeneous transform must be 0 0 0 1.")
    poses = _join(matrix[..., :3, 3], quaternion.from_matrix(matrix[..., :3, :3]))
    poses[lost] = np.nan
    return poses


def exp(twists: npt.ArrayLike) -> FloatArray:
    """Return the poses (..., 7) reached after moving along twists (..., 6) for one unit of time.

    Args:
        twists: [rho, phi]: linear in metres, then rotation vector in radians, both in the body's axes.
    """
    twist = rows(twists, 6, "Twists")
    rho, phi = twist[..., :3], twist[..., 3:]
    angle = np.linalg.norm(phi, axis=-1, keepdims=True)
    once = cross(phi, rho)
    translation = rho + _versine_ratio(angle) * once + _sine_excess_ratio(angle) * cross(phi, once)
    return _join(translation, quaternion.from_rotvec(phi))


def log(T_a_b: npt.ArrayLike) -> FloatArray:
    """Return the twists (..., 6), [rho, phi], that `exp` turns into the poses; phi is at most pi long."""
    poses = rows(T_a_b, 7, "Poses")
    phi = quaternion.to_rotvec(poses[..., 3:])
    angle = np.linalg.norm(phi, axis=-1, keepdims=True)
    once = cross(phi, poses[..., :3])
    rho = poses[..., :3] - 0.5 * once + _cotangent_ratio(angle) * cross(phi, once)
    return lose_broken_rows(np.concatenate([rho, phi], axis=-1))


def _join(translation: FloatArray, rotation: FloatArray) -> FloatArray:
    return lose_broken_rows(np.concatenate([translation, rotation], axis=-1))


def _versine_ratio(angle: FloatArray) -> FloatArray:
    """Return (1 - cos a) / a^2, written so that nothing cancels."""
    ratio: FloatArray = 0.5 * np.sinc(angle / (2.0 * np.pi)) ** 2
    return ratio


def _sine_excess_ratio(angle: FloatArray) -> FloatArray:
    """Return (a - sin a) / a^3."""
    square_ = angle**2
    series = 1 / 6 - square_ / 120 * (1 - square_ / 42 * (1 - square_ / 72))
    large = np.where(angle < _SMALL_ANGLE, 1.0, angle)
    return np.where(angle < _SMALL_ANGLE, series, (large - np.sin(large)) / large**3)


def _cotangent_ratio(angle: FloatArray) -> FloatArray:
    """Return (1 - (a/2) cot(a/2)) / a^2."""
    square_ = angle**2
    series = 1 / 12 + square_ / 720 * (1 + square_ / 42 * (1 + square_ / 40))
    large = np.where(angle < _SMALL_ANGLE, 1.0, angle)
    return np.where(angle < _SMALL_ANGLE, series, (1.0 - 0.5 * large / np.tan(0.5 * large)) / large**2)
