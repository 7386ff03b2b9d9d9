"""How waypoints are passed in one space: velocities that keep each cubic between its ends, and braking to rest."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs
import numpy as np
import numpy.typing as npt

from handloom_controllers.hermite import Cubic
from handloom_controllers.spaces import ORIENTATIONS, POSITIONS, Space
from handloom_controllers.trajectory import STANDSTILL, Passing, Track, TrajectoryConfig, Waypoint

Float64Array = npt.NDArray[np.float64]

STEEPEST = 3.0
"""A cubic whose end slopes are at most this many times that of the chord, and not against it, is monotone.

Source: Fritsch and Carlson, "Monotone piecewise cubic interpolation", SIAM J. Numer. Anal. 17 (1980).
"""

SWING = 4 / 27
"""What an end slope outside of that range adds to a cubic at most, by its excess times the duration."""

MARGIN = 0.5e-3
"""Metres or radians by which a curve may swing out without being braked first; half of what is promised."""


@attrs.frozen(kw_only=True)
class Limits:
    """How fast and how hard a curve may move in one space; units by s and s^2."""

    speed: float
    braking: float


class Draft:
    """The plan in one space: the way from the present through all waypoints.

    Attributes:
        ways: (3,) from each point to the next; the first begins at `begins`.
        velocities: (3,) at each point.
        ends: (3,) rates at the end of each way.
        brakes: Whether it comes to rest before anything else.
        begins: int64 ns when the way to the first waypoint begins.
    """

    def __init__(self, space: Space, limits: Limits, start: Passing, points: Sequence[Float64Array] = ()) -> None:
        self.space, self.limits, self.start = space, limits, start
        self.points = [start.point, *points]
        pairs = zip(self.points[:-1], points, strict=True)
        self.ways = [space.way(one, other) for one, other in pairs]
        self.velocities = [start.velocity, *(STANDSTILL for _ in points)]
        self.ends = [STANDSTILL for _ in points]
        self.brakes, self.begins = False, start.stamp

    def brake(self) -> None:
        """Come to rest along the present velocity."""
        braking_s = length(self.start.velocity) / self.limits.braking
        self.brakes = True
        self.begins = self.start.stamp + max(math.floor(braking_s * 1e9 + 0.5), 1)
        self.points[0] = self.space.moved(self.start.point, self._braking_way())
        self.velocities[0] = STANDSTILL
        if self.ways:
            self.ways[0] = self.space.way(self.points[0], self.points[1])

    def choose(self, stamps: Sequence[int]) -> None:
        """Choose the velocities at all waypoints; the last one is at rest.

        One after the other: the end of each way is limited by what the velocity there does to it.
        """
        before_s = (stamps[1] - self.begins) * 1e-9
        for i in range(1, len(self.ways)):
            after_s = (stamps[i + 1] - stamps[i]) * 1e-9
            before, after = self.ways[i - 1] / before_s, self.ways[i] / after_s
            # The slope of the parabola through three points: the nearer neighbour counts more.
            mean = (after_s * before + before_s * after) / (before_s + after_s)
            velocity = _monotone(mean, before, after)
            end = self.space.rate(self.ways[i - 1], velocity)
            scale = _calming(end, before, before_s)
            speed = length(end)
            if speed * scale > self.limits.speed:
                scale = self.limits.speed / speed
            self.velocities[i], self.ends[i - 1] = scale * velocity, scale * end
            before_s = after_s

    def straighten(self, stamps: Sequence[int]) -> None:
        """Go straight at constant speed from each point to the next."""
        for i, way in enumerate(self.ways):
            self.velocities[i] = self.ends[i] = way / ((stamps[i + 1] - stamps[i]) * 1e-9)

    def stand(self) -> None:
        """Rest at every waypoint."""
        self.velocities = [STANDSTILL for _ in self.velocities]
        self.ends = [STANDSTILL for _ in self.ends]

    def cubic(self, i: int, stamps: Sequence[int]) -> tuple[Cubic, float]:
        """Return the cubic over a way, and how long it takes in seconds."""
        duration_s = (stamps[i + 1] - (stamps[i] if i else self.begins)) * 1e-9
        return Cubic.between(self.ways[i], self.velocities[i] * duration_s, self.ends[i] * duration_s), duration_s

    def moving(self) -> bool:
        """Say whether it sets out with a velocity."""
        return bool(np.any(self.velocities[0]))

    def written(self, stamps: Sequence[int], track: Track) -> Track:
        """Return the track that goes on as planned."""
        if self.brakes:
            stop = Cubic.between(
                self._braking_way(), self.start.velocity * ((self.begins - self.start.stamp) * 1e-9), STANDSTILL
            )
            track = track.then([self.begins], [self.points[0]], [stop])
        cubics = [self.cubic(i, stamps)[0] for i in range(len(self.ways))]
        return track.then(stamps[1:], self.points[1:], cubics)

    def _braking_way(self) -> Float64Array:
        way: Float64Array = self.start.velocity * ((self.begins - self.start.stamp) * 1e-9 / 2)
        return way


def drafts(
    config: TrajectoryConfig, start: tuple[Passing, Passing], waypoints: Sequence[Waypoint]
) -> tuple[Draft, Draft]:
    """Return the drafts in positions and orientations from a start through waypoints."""
    speed = min(config.max_speed_m_per_s, config.contact_speed_m_per_s)
    linear = Limits(speed=speed, braking=config.braking_m_per_s2)
    angular = Limits(speed=config.max_speed_rad_per_s, braking=config.braking_rad_per_s2)
    positions, orientations = [each.position for each in waypoints], [each.orientation for each in waypoints]
    return Draft(POSITIONS, linear, start[0], positions), Draft(ORIENTATIONS, angular, start[1], orientations)


def _monotone(velocity: Float64Array, before: Float64Array, after: Float64Array) -> Float64Array:
    """Limit a velocity, on each axis, to what keeps both neighbouring cubics between their ends.

    Where the way turns back on an axis the velocity on it is 0.
    """
    nearer = STEEPEST * np.where(np.abs(before) < np.abs(after), before, after)
    return np.where(before * after > 0, _within(velocity, nearer), 0.0)


def _calming(rate: Float64Array, mean: Float64Array, duration_s: float) -> float:
    """Return by how much to scale the rate at the end of a way so that it swings out by no more than the margin.

    In a space that turns its axes from knot to knot a velocity may be within range for one of its ways only.
    """
    off = float((SWING * duration_s * np.abs(rate - _within(rate, STEEPEST * mean))).max())
    return MARGIN / off if off > MARGIN else 1.0


def _within(values: Float64Array, bounds: Float64Array) -> Float64Array:
    """Limit values to between 0 and a bound of either sign."""
    return np.clip(values, np.minimum(bounds, 0.0), np.maximum(bounds, 0.0))


def length(vector: Float64Array) -> float:
    """Return the length of a vector."""
    return math.sqrt(vector @ vector)
