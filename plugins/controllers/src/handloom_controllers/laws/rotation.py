"""Single quaternions x y z w and poses, without the checks and the broadcasting of `handloom.geometry`.

A law calls these some ten times a cycle; the conformance tests hold them against the compiled law.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Float64Array = npt.NDArray[np.float64]


def product(q_a_b: Float64Array, q_b_c: Float64Array) -> Float64Array:
    """Return q_a_c (4,)."""
    a, b, c, d = q_a_b.tolist()
    x, y, z, w = q_b_c.tolist()
    return np.array(
        [
            a * w + d * x + b * z - c * y,
            b * w + d * y + c * x - a * z,
            c * w + d * z + a * y - b * x,
            d * w - a * x - b * y - c * z,
        ]
    )


def cross(first: Float64Array, second: Float64Array) -> Float64Array:
    """Return the cross product (3,)."""
    a, b, c = first.tolist()
    x, y, z = second.tolist()
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x])


def rotate(q_a_b: Float64Array, vector_b: Float64Array) -> Float64Array:
    """Turn a vector (3,) from b into a."""
    twice = 2.0 * cross(q_a_b[:3], vector_b)
    turned: Float64Array = vector_b + q_a_b[3] * twice + cross(q_a_b[:3], twice)
    return turned


def compose(T_a_b: Float64Array, T_b_c: Float64Array) -> Float64Array:
    """Return T_a_c (7,)."""
    return np.concatenate([T_a_b[:3] + rotate(T_a_b[3:], T_b_c[:3]), product(T_a_b[3:], T_b_c[3:])])


def turn_between(q_from: Float64Array, q_to: Float64Array) -> Float64Array:
    """Return the turn (4,) in base axes from one orientation to another, the nearer of the two, w >= 0."""
    turn = product(q_to, q_from * np.array([-1.0, -1.0, -1.0, 1.0]))
    return -turn if turn[3] < 0 else turn


def to_vector(turn: Float64Array) -> Float64Array:
    """Return axis times angle (3,), 0 to pi, of a quaternion with w >= 0."""
    sine = float(np.linalg.norm(turn[:3]))
    per_sine = 2.0 if sine < 1e-9 else 2.0 * math.atan2(sine, float(turn[3])) / sine
    vector: Float64Array = per_sine * turn[:3]
    return vector


def from_vector(vector: Float64Array) -> Float64Array:
    """Return the quaternion (4,) of an axis times an angle."""
    half = 0.5 * float(np.linalg.norm(vector))
    scale = 0.5 if half < 1e-9 else 0.5 * math.sin(half) / half
    return np.append(scale * vector, math.cos(half))


def read_pose(numbers: Float64Array) -> Float64Array | None:
    """Return a pose (7,) with a quaternion of norm 1; None where a number is not finite or it is no rotation."""
    square = float(numbers[3:] @ numbers[3:])
    if not np.isfinite(numbers[:3]).all() or not 0.25 < square < 4.0:
        return None
    return np.concatenate([numbers[:3], numbers[3:] / math.sqrt(square)])
