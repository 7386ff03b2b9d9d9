"""One segment of a pose curve between two knots: cubic with given velocities at both ends, or straight.

Orientation is a cubic in the rotation vector from the first knot, with its end slope turned by the inverse right
Jacobian, so that the angular velocity at both ends is exactly the given one; slerp alone steps it at each knot.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import quaternion

Float64Array = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True, eq=False)
class Knot:
    """A pose on the way and how it is passed.

    Attributes:
        stamp: int64 ns, when it is passed.
        pose: (7,) T_base_tcp.
        velocity: (6,) linear m/s in base axes, angular rad/s in the tool's own.
        width_m: Gripper width; NaN leaves the gripper alone.
    """

    stamp: int
    pose: Float64Array
    velocity: Float64Array
    width_m: float


def cubic(start: Knot, end: Knot, stamp: int) -> tuple[Float64Array, Float64Array]:
    """Return the (7,) pose and (6,) twist in base axes at a stamp between two knots."""
    duration_s = (end.stamp - start.stamp) * 1e-9
    u = (stamp - start.stamp) / (end.stamp - start.stamp)
    turn = turn_between(start.pose, end.pose)
    slope = inverse_right_jacobian(turn) @ end.velocity[3:]
    goal = np.concatenate([end.pose[:3] - start.pose[:3], turn])
    end_slope = np.concatenate([end.velocity[:3], slope])
    way, rate = _hermite(goal, start.velocity * duration_s, end_slope * duration_s, u)
    return _at(start, way, rate / duration_s)


def straight(start: Knot, end: Knot, stamp: int) -> tuple[Float64Array, Float64Array]:
    """Return the (7,) pose and (6,) twist at a stamp between two knots, at constant speed."""
    u = (stamp - start.stamp) / (end.stamp - start.stamp)
    goal = np.concatenate([end.pose[:3] - start.pose[:3], turn_between(start.pose, end.pose)])
    return _at(start, u * goal, goal / ((end.stamp - start.stamp) * 1e-9))


def turn_between(first: Float64Array, second: Float64Array) -> Float64Array:
    """Return the (3,) rotation vector from one (7,) pose to another, in the axes of the first, the shorter way."""
    return quaternion.to_rotvec(quaternion.multiply(quaternion.conjugate(first[3:]), second[3:]))


def right_jacobian(turn: Float64Array) -> Float64Array:
    """Return the (3, 3) matrix that takes the rate of a rotation vector to the angular velocity in body axes.

    Source: Chirikjian, "Stochastic Models, Information Theory, and Lie Groups" 2 (2011), equation 10.86.
    """
    angle, skew = float(np.linalg.norm(turn)), _skew(turn)
    if angle < 1e-3:  # the next terms are below 1e-9
        return np.eye(3) - skew / 2 + skew @ skew / 6
    first, second = (1 - math.cos(angle)) / angle**2, (angle - math.sin(angle)) / angle**3
    jacobian: Float64Array = np.eye(3) - first * skew + second * skew @ skew
    return jacobian


def inverse_right_jacobian(turn: Float64Array) -> Float64Array:
    """Return the inverse of `right_jacobian`, for turns up to pi.

    Source: as `right_jacobian`, written with the half angle so that nothing is divided by 0 at pi.
    """
    angle, skew = float(np.linalg.norm(turn)), _skew(turn)
    second = 1 / 12 if angle < 1e-3 else 1 / angle**2 - 1 / (2 * angle * math.tan(angle / 2))
    inverse: Float64Array = np.eye(3) + skew / 2 + second * skew @ skew
    return inverse


def _skew(vector: Float64Array) -> Float64Array:
    x, y, z = vector.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _hermite(
    goal: Float64Array, slope_0: Float64Array, slope_1: Float64Array, u: float
) -> tuple[Float64Array, Float64Array]:
    """Return the cubic from 0 to the goal with these slopes at both ends, and its derivative, at u in 0..1."""
    third = slope_0 + slope_1 - 2 * goal
    second = 3 * goal - 2 * slope_0 - slope_1
    value = u * (slope_0 + u * (second + u * third))
    rate = slope_0 + u * (2 * second + u * 3 * third)
    return value, rate


def _at(start: Knot, way: Float64Array, rate: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return the pose that lies a way from a knot, and the twist in base axes.

    Args:
        start: The knot.
        way: (6,) shift in base axes and rotation vector in the knot's axes.
        rate: (6,) its derivative by time.
    """
    orientation = quaternion.normalize(quaternion.multiply(start.pose[3:], quaternion.from_rotvec(way[3:])))
    angular = quaternion.rotate(orientation, right_jacobian(way[3:]) @ rate[3:])
    return np.concatenate([start.pose[:3] + way[:3], orientation]), np.concatenate([rate[:3], angular])
