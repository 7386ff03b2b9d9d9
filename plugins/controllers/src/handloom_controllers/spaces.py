"""The two spaces a tool moves in, positions and orientations, as the planner sees them: points, ways and rates.

A way between two orientations is a rotation vector in the axes of the first, and a cubic in it has its end slope
turned by the inverse right Jacobian, so that the angular velocity at both ends is exactly the given one; slerp
alone steps it at each knot.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from handloom.geometry import quaternion

Float64Array = npt.NDArray[np.float64]


class Space(ABC):
    """Where points lie, how one gets from one to another, and how fast."""

    @abstractmethod
    def way(self, start: Float64Array, end: Float64Array) -> Float64Array:
        """Return the (3,) way from one point to another."""

    @abstractmethod
    def moved(self, start: Float64Array, way: Float64Array) -> Float64Array:
        """Return the point that lies a (3,) way from another."""

    @abstractmethod
    def rate(self, way: Float64Array, velocity: Float64Array) -> Float64Array:
        """Return how fast the (3,) way from a point grows when one moves at a (3,) velocity at its end."""

    @abstractmethod
    def velocity(self, way: Float64Array, rate: Float64Array) -> Float64Array:
        """Return the (3,) velocity at the end of a way that grows at a rate: the inverse of `rate`."""


class Positions(Space):
    """Points are (3,) metres; ways and velocities are in base axes."""

    def way(self, start: Float64Array, end: Float64Array) -> Float64Array:
        """Return the difference."""
        return end - start

    def moved(self, start: Float64Array, way: Float64Array) -> Float64Array:
        """Return the sum."""
        return start + way

    def rate(self, way: Float64Array, velocity: Float64Array) -> Float64Array:
        """Return the velocity."""
        return velocity

    def velocity(self, way: Float64Array, rate: Float64Array) -> Float64Array:
        """Return the rate."""
        return rate


class Orientations(Space):
    """Points are (4,) quaternions x y z w; ways are rotation vectors, velocities angular in the body's own axes.

    Source: Chirikjian, "Stochastic Models, Information Theory, and Lie Groups" 2 (2011), equation 10.86.
    """

    def way(self, start: Float64Array, end: Float64Array) -> Float64Array:
        """Return the rotation vector in the axes of the first, the shorter way."""
        return quaternion.to_rotvec(quaternion.multiply(quaternion.conjugate(start), end))

    def moved(self, start: Float64Array, way: Float64Array) -> Float64Array:
        """Return the orientation turned about its own axes."""
        return quaternion.normalize(quaternion.multiply(start, quaternion.from_rotvec(way)))

    def rate(self, way: Float64Array, velocity: Float64Array) -> Float64Array:
        """Return the inverse right Jacobian times the velocity.

        With the half angle, so that nothing is divided by 0 at pi.
        """
        angle = math.sqrt(way @ way)
        second = 1 / 12 if angle < 1e-3 else 1 / angle**2 - 1 / (2 * angle * math.tan(angle / 2))
        once = _cross(way, velocity)
        return np.asarray(velocity + once / 2 + second * _cross(way, once))

    def velocity(self, way: Float64Array, rate: Float64Array) -> Float64Array:
        """Return the right Jacobian times the rate; never longer than the rate."""
        angle = math.sqrt(way @ way)
        first, second = 1 / 2, 1 / 6  # the next terms are below 1e-7
        if angle >= 1e-3:
            first, second = (1 - math.cos(angle)) / angle**2, (angle - math.sin(angle)) / angle**3
        once = _cross(way, rate)
        return np.asarray(rate - first * once + second * _cross(way, once))


def _cross(one: Float64Array, other: Float64Array) -> Float64Array:
    """Return the cross product of two (3,) vectors; np.cross takes ten times as long."""
    (a, b, c), (x, y, z) = one.tolist(), other.tolist()
    return np.array([b * z - c * y, c * x - a * z, a * y - b * x])


POSITIONS = Positions()
ORIENTATIONS = Orientations()
