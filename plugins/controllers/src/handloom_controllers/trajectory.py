"""The way the tool shall take: knots in time and the curve through them."""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import quaternion
from handloom_controllers.hermite import Knot, cubic, straight

Float64Array = npt.NDArray[np.float64]
Interpolation = Literal["cubic", "linear"]

AT_REST = np.zeros(6)


@attrs.frozen(kw_only=True, eq=False)
class Trajectory:
    """A curve through knots; it rests before the first and after the last.

    Attributes:
        knots: In order of time, at least one.
        interpolation: "cubic" keeps velocities continuous too, "linear" steps them at each knot.
    """

    knots: tuple[Knot, ...]
    interpolation: Interpolation = "cubic"

    @property
    def end(self) -> int:
        """int64 ns of the last knot."""
        return self.knots[-1].stamp

    def at(self, stamp: int) -> tuple[Float64Array, Float64Array, float]:
        """Return the (7,) pose, the (6,) twist in base axes and the gripper width in metres at a stamp."""
        index = bisect_right(self.knots, stamp, key=lambda knot: knot.stamp)
        if index in (0, len(self.knots)):
            knot = self.knots[min(index, len(self.knots) - 1)]
            return knot.pose, AT_REST, knot.width_m
        start, end = self.knots[index - 1], self.knots[index]
        curve = cubic if self.interpolation == "cubic" else straight
        return *curve(start, end, stamp), _width(start, end, stamp)


def knot_at(trajectory: Trajectory, stamp: int) -> Knot:
    """Return the knot by which the trajectory passes at a stamp."""
    pose, twist, width_m = trajectory.at(stamp)
    return passing(stamp, pose, twist, width_m)


def passing(stamp: int, pose: Float64Array, twist: Float64Array, width_m: float) -> Knot:
    """Return a knot from a pose and a twist in base axes."""
    angular = quaternion.rotate(quaternion.conjugate(pose[3:]), twist[3:])
    return Knot(stamp=stamp, pose=pose, velocity=np.concatenate([twist[:3], angular]), width_m=width_m)


def _width(start: Knot, end: Knot, stamp: int) -> float:
    """Return the width between two knots; where one end does not command it, the other's holds."""
    if np.isnan(start.width_m) or np.isnan(end.width_m):
        return end.width_m
    share = (stamp - start.stamp) / (end.stamp - start.stamp)
    return start.width_m + share * (end.width_m - start.width_m)
