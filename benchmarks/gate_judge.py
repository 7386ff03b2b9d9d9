"""Hold a finished motion of joints against limits, knowing nothing of how it was made.

It knows where the motion began, the positions that were sent, and that an arm takes one of them each control
period. What the stamps of the calls said, and what a gate says of itself, is not asked.

Divided differences of positions are means of the derivatives over the samples they span (Peano's kernel is
positive), for samples at any spacing. So a motion that keeps its limits at every instant keeps them here, and one
that breaks them for as long as a sample is caught.
"""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom_controllers.arms import Arm

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_ROUNDING = 1e-6
"""What rounding may add to a figure, as a share of its limit."""


@attrs.frozen(kw_only=True, eq=False)
class Allowed:
    """What every joint may do.

    Attributes:
        arm: Its range, and how slow it has to be near the ends of it.
        speed: (n,) rad/s.
        acceleration: (n,) rad/s^2.
        jerk: (n,) rad/s^3.
    """

    arm: Arm
    speed: FloatArray
    acceleration: FloatArray
    jerk: FloatArray


def allowed(
    arm: Arm, *, speed_deg: float = 300.0, acceleration_deg: float = 900.0, jerk_deg: float = 15000.0
) -> Allowed:
    """Return the smaller of an arm's own limits and these, in degrees with their seconds."""
    limits = arm.limits
    return Allowed(
        arm=arm,
        speed=np.minimum(limits.velocity, np.radians(speed_deg)),
        acceleration=np.minimum(limits.acceleration, np.radians(acceleration_deg)),
        jerk=np.minimum(limits.jerk, np.radians(jerk_deg)),
    )


@attrs.frozen(kw_only=True)
class Violations:
    """How many samples break which limit; the largest figure as a share of its limit."""

    position: int = 0
    velocity: int = 0
    acceleration: int = 0
    jerk: int = 0
    not_finite: int = 0
    velocity_share: float = 0.0
    acceleration_share: float = 0.0
    jerk_share: float = 0.0

    @property
    def total(self) -> int:
        """Return how many there are in all."""
        return self.position + self.velocity + self.acceleration + self.jerk + self.not_finite

    def __add__(self, other: Violations) -> Violations:
        mine, theirs = attrs.asdict(self), attrs.asdict(other)
        return Violations(
            **{
                name: max(mine[name], theirs[name]) if name.endswith("_share") else mine[name] + theirs[name]
                for name in mine
            }
        )


def judge(
    limits: Allowed, start: FloatArray, q: FloatArray, *, period_s: float = 0.01, periods: IntArray | None = None
) -> Violations:
    """Count what a motion breaks.

    Args:
        limits: What it may do.
        start: (n,) rad, where it rested before.
        q: (N, n) rad, the positions that were sent.
        period_s: True time of a control period.
        periods: (N,) how many of them went by from the position before; one each where this is left out. Where it
            is 0, the position has to be the one before.
    """
    finite = np.isfinite(q).all(axis=1)
    if not finite.all():
        return Violations(not_finite=int((~finite).sum()))
    went = np.ones(len(q), dtype=np.int64) if periods is None else periods
    leaps = int((np.diff(q, axis=0, prepend=start[None])[went == 0] != 0).any(axis=1).sum())
    # Three samples of the rest before: a motion that begins with a step is caught too.
    points = np.concatenate([np.repeat(start[None], 3, axis=0), q[went > 0]])
    times = period_s * np.concatenate([[0, 1, 2], 2 + np.cumsum(went[went > 0])])[:, None]
    velocity = np.diff(points, axis=0) / np.diff(times, axis=0)
    acceleration = 2 * np.diff(velocity, axis=0) / (times[2:] - times[:-2])
    jerk = 3 * np.diff(acceleration, axis=0) / (times[3:] - times[:-3])
    shares = [
        np.abs(each) / limit
        for each, limit in (
            (velocity, limits.speed),
            (acceleration, limits.acceleration),
            (jerk, limits.jerk),
        )
    ]
    return Violations(
        position=_outside(limits, start, points),
        velocity=_beyond(shares[0]) + _hurried(limits, points, velocity) + leaps,
        acceleration=_beyond(shares[1]),
        jerk=_beyond(shares[2]),
        velocity_share=float(shares[0].max(initial=0.0)),
        acceleration_share=float(shares[1].max(initial=0.0)),
        jerk_share=float(shares[2].max(initial=0.0)),
    )


def _beyond(shares: FloatArray) -> int:
    return int((shares > 1 + _ROUNDING).any(axis=1).sum())


def _outside(limits: Allowed, start: FloatArray, points: FloatArray) -> int:
    """Count samples outside the range; whoever began outside may be as far out as that."""
    lower = np.minimum(limits.arm.limits.lower, start) - 1e-9
    upper = np.maximum(limits.arm.limits.upper, start) + 1e-9
    return int(((points < lower) | (points > upper)).any(axis=1).sum())


def _hurried(limits: Allowed, points: FloatArray, velocity: FloatArray) -> int:
    """Count samples that are too fast so near the end of the range."""
    near = limits.arm.near_range
    if near is None:
        return 0
    least, greatest = near.velocities(limits.arm.limits, points)
    # A mean over a step is held against the looser of its two ends.
    fast = velocity > np.maximum(greatest[1:], greatest[:-1]) + 1e-6
    slow = velocity < np.minimum(least[1:], least[:-1]) - 1e-6
    return int((fast | slow).any(axis=1).sum())
