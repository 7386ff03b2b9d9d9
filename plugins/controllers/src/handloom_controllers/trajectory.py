"""The way the tool shall take: the curve in each space, the gripper's widths, the waypoints still ahead."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Literal, NamedTuple

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import HandloomError
from handloom_controllers.hermite import Cubic
from handloom_controllers.spaces import Space

Float64Array = npt.NDArray[np.float64]
Interpolation = Literal["cubic", "linear"]

_TIMES = {"latency": (0.0, 3600.0, "0 to 3600 s"), "ahead": (0.001, 3600.0, "0.001 to 3600 s")}
"""Shortest and longest time that is taken, and how that is said."""

STANDSTILL: Float64Array = np.zeros(3)


@attrs.frozen(kw_only=True)
class TrajectoryConfig:
    """How a trajectory is followed; the settings of `hl_trajectory_config`.

    Attributes:
        interpolation: "cubic" keeps velocities continuous too, "linear" steps them at each waypoint, as UMI does.
        max_speed_m_per_s: Cap on the curve itself. Source: PolyUMI's streaming controller, 1.0 m/s.
        max_speed_rad_per_s: Likewise. Source: as above, 3.14 rad/s.
        contact_speed_m_per_s: A further cap while contact is expected; infinite for none.
        braking_m_per_s2: How hard it brakes when carried away from a new waypoint. Source: FR3 limit, 9 m/s^2.
        braking_rad_per_s2: Likewise. Source: FR3 limit, 17 rad/s^2.
        reach_m: Furthest waypoint that is taken for one, on each axis.
        ahead_s: Furthest a waypoint may lie in the future.
        arm_latency_s: The arm is commanded this much ahead of a waypoint's stamp.
        width_latency_s: The gripper likewise, on its own.

    Raises:
        HandloomError: A setting is not positive, a latency negative, or a time longer than an hour.
    """

    interpolation: Interpolation = "cubic"
    max_speed_m_per_s: float = 1.0
    max_speed_rad_per_s: float = math.pi
    contact_speed_m_per_s: float = math.inf
    braking_m_per_s2: float = 9.0
    braking_rad_per_s2: float = 17.0
    reach_m: float = 10.0
    ahead_s: float = 60.0
    arm_latency_s: float = 0.0
    width_latency_s: float = 0.0

    def __attrs_post_init__(self) -> None:
        for name, value in attrs.asdict(self).items():
            if name == "interpolation":
                continue
            if name.endswith("_s") and not name.endswith("_per_s"):
                least, most, wanted = _TIMES["latency" if name.endswith("latency_s") else "ahead"]
                fits = least <= value <= most
            else:
                fits, wanted = value > 0, "a positive number"
            if not fits or (math.isinf(value) and name != "contact_speed_m_per_s"):
                raise HandloomError(f"Trajectory: `{name}` is {value:g}; expected {wanted}.")


class Passing(NamedTuple):
    """A point that is passed at a velocity.

    Attributes:
        stamp: int64 ns.
        point: (3,) position or (4,) orientation.
        velocity: (3,) in base axes, or angular in the body's own.
    """

    stamp: int
    point: Float64Array
    velocity: Float64Array


@attrs.frozen(kw_only=True, eq=False)
class Track:
    """A curve in one space; it rests before the first knot and after the last.

    Attributes:
        space: Where its points lie.
        stamps: int64 ns of the knots, in order, at least one.
        points: By knot.
        cubics: From each knot to the next.
    """

    space: Space
    stamps: tuple[int, ...]
    points: tuple[Float64Array, ...]
    cubics: tuple[Cubic, ...] = ()

    def passing(self, stamp: int) -> Passing:
        """Return where it is at a stamp, and how fast."""
        knot = bisect_right(self.stamps, stamp) - 1
        if knot in (-1, len(self.cubics)):
            return Passing(stamp, self.points[max(knot, 0)], STANDSTILL)
        duration = self.stamps[knot + 1] - self.stamps[knot]
        u = (stamp - self.stamps[knot]) / duration
        way, rate = self.cubics[knot].value(u), self.cubics[knot].rate(u) / (duration * 1e-9)
        return Passing(stamp, self.space.moved(self.points[knot], way), self.space.velocity(way, rate))

    def until(self, start: int, last: int) -> Track:
        """Return the part from the knot before one stamp to the knot at another."""
        first, end = max(bisect_right(self.stamps, start) - 1, 0), bisect_right(self.stamps, last)
        cubics = self.cubics[first : end - 1]
        return attrs.evolve(self, stamps=self.stamps[first:end], points=self.points[first:end], cubics=cubics)

    def then(self, stamps: Sequence[int], points: Sequence[Float64Array], cubics: Sequence[Cubic]) -> Track:
        """Return the track that goes on through further knots."""
        return attrs.evolve(
            self,
            stamps=(*self.stamps, *stamps),
            points=(*self.points, *points),
            cubics=(*self.cubics, *cubics),
        )


@attrs.frozen(kw_only=True, eq=False)
class Widths:
    """The gripper's own track, straight between its knots.

    Attributes:
        stamps: int64 ns of the knots, in order, at least one.
        widths_m: By knot; NaN leaves the gripper alone.
    """

    stamps: tuple[int, ...]
    widths_m: tuple[float, ...]

    def at(self, stamp: int) -> float:
        """Return the width at a stamp; where one end does not command the gripper, the end of the way holds."""
        knot = bisect_right(self.stamps, stamp) - 1
        if knot in (-1, len(self.stamps) - 1):
            return self.widths_m[max(knot, 0)]
        start, end = self.widths_m[knot : knot + 2]
        if math.isnan(start) or math.isnan(end):
            return end
        share = (stamp - self.stamps[knot]) / (self.stamps[knot + 1] - self.stamps[knot])
        return start + share * (end - start)


class Waypoint(NamedTuple):
    """Where the tool shall be, and when.

    Attributes:
        stamp: int64 ns.
        position: (3,) m in base.
        orientation: (4,) unit quaternion.
    """

    stamp: int
    position: Float64Array
    orientation: Float64Array


@attrs.frozen(kw_only=True, eq=False)
class Curve:
    """Everything that a splice replaces at once.

    Attributes:
        positions: Of the tool, m in base.
        orientations: Of the tool.
        widths: Of the gripper.
        waypoints: As they were retimed.
        end: int64 ns from which on the tool rests.
    """

    positions: Track
    orientations: Track
    widths: Widths
    waypoints: tuple[Waypoint, ...]
    end: int

    def ahead(self, stamp: int) -> tuple[Waypoint, ...]:
        """Return the waypoints after a stamp."""
        return tuple(waypoint for waypoint in self.waypoints if waypoint.stamp > stamp)
