"""The minimum-jerk way between two poses: straight in position, one turn in orientation, one time law for both."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import quaternion

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

PEAK_SPEED = 1.875
"""Highest speed of a minimum-jerk motion over its mean speed: 15/8, half-way. Source: as `minimum_jerk`."""


@attrs.frozen(kw_only=True, eq=False)
class Leg:
    """The way from one pose to another.

    Attributes:
        start: (7,) pose at `start_ns`.
        goal: (7,) pose at `end_ns`.
        start_ns: int64 ns, when it begins.
        end_ns: int64 ns, when it ends.
        number: Index of the goal.
    """

    start: Float64Array
    goal: Float64Array
    start_ns: int
    end_ns: int
    number: int

    def poses(self, stamps: Int64Array) -> Float64Array:
        """Return (N, 7) poses at stamps; the ends are held outside the leg."""
        share = minimum_jerk((stamps - self.start_ns) / max(self.end_ns - self.start_ns, 1))
        position = self.start[:3] + share[:, None] * (self.goal[:3] - self.start[:3])
        return np.column_stack([position, quaternion.slerp(self.start[3:], self.goal[3:], share)])


def minimum_jerk(time: Float64Array) -> Float64Array:
    """Return the share of the way, (N,), at a share of the time; 0 before and 1 after.

    Source: Flash and Hogan, "The coordination of arm movements", Journal of Neuroscience 5 (1985), equation 2.
    """
    t = np.clip(time, 0.0, 1.0)
    share: Float64Array = t**3 * (10.0 - 15.0 * t + 6.0 * t**2)
    return share
