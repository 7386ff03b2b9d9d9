"""Splice a new chunk into a running trajectory without a step in pose or velocity."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Chunk
from handloom.geometry import quaternion
from handloom_controllers.hermite import Knot, turn_between
from handloom_controllers.trajectory import AT_REST, Trajectory, knot_at

Float64Array = npt.NDArray[np.float64]

_STEEPEST = 3.0
"""How much steeper than the straight line a cubic may start or end without leaving it by more than a third.

Source: Fritsch and Carlson, "Monotone piecewise cubic interpolation", SIAM J. Numer. Anal. 17 (1980): a cubic
whose end slopes are at most 3 times that of the chord is monotone.
"""


_NEGLIGIBLE = 1e-3
"""Metres or radians by which a curve may swing out without being braked first."""


@attrs.frozen(kw_only=True)
class Limits:
    """How fast and how hard the curve may move.

    Attributes:
        speeds: (linear m/s, angular rad/s) at a waypoint.
        braking: (linear m/s^2, angular rad/s^2) at which it brakes when it is carried away from the next waypoint.
    """

    speeds: tuple[float, float]
    braking: tuple[float, float]


def splice(
    running: Trajectory, chunk: Chunk, now: int, limits: Limits, *, from_pose: Knot | None = None
) -> Trajectory:
    """Return the trajectory that goes on from the present pose and velocity through pending and new waypoints.

    Args:
        running: The present trajectory.
        chunk: New waypoints, the last one after `now`; those not after it are dropped.
        now: int64 ns.
        limits: Speeds at waypoints, and braking.
        from_pose: Where the tool really is, when it could not keep up with the curve; the curve otherwise.
    """
    start = from_pose or knot_at(running, now)
    fresh = chunk.stamps > now
    first = int(chunk.stamps[fresh][0])
    pending = [knot for knot in running.knots if now < knot.stamp < first]
    waypoints = [
        Knot(stamp=int(stamp), pose=_unit(pose), velocity=AT_REST, width_m=float(width))
        for stamp, pose, width in zip(chunk.stamps[fresh], chunk.poses[fresh], chunk.widths_m[fresh], strict=True)
    ]
    # The last pending knot has a new neighbour, so that its velocity is chosen anew, as those of the new ones.
    kept = max(len(pending) - 1, 0) + 1
    knots = _with_velocities([start, *pending, *waypoints], kept, limits.speeds)
    return Trajectory(knots=_braked(knots, limits), interpolation=running.interpolation)


def _with_velocities(knots: Sequence[Knot], kept: int, speeds: tuple[float, float]) -> tuple[Knot, ...]:
    """Choose the velocities of all knots but the first `kept`; the last one is at rest."""
    slopes = [_slope(start, end) for start, end in pairwise(knots)]
    chosen = list(knots)
    for index in range(kept, len(knots) - 1):
        before_s = knots[index].stamp - knots[index - 1].stamp
        after_s = knots[index + 1].stamp - knots[index].stamp
        # The slope of the parabola through three points: the nearer neighbour counts more.
        mean = (after_s * slopes[index - 1] + before_s * slopes[index]) / (before_s + after_s)
        velocity = _bounded(mean, slopes[index - 1], slopes[index], speeds)
        chosen[index] = attrs.evolve(knots[index], velocity=velocity)
    chosen[-1] = attrs.evolve(knots[-1], velocity=AT_REST)
    return tuple(chosen)


def _slope(start: Knot, end: Knot) -> Float64Array:
    """Return the (6,) mean velocity between two knots: linear in base axes, angular in the tool's own."""
    way = np.concatenate([end.pose[:3] - start.pose[:3], turn_between(start.pose, end.pose)])
    velocity: Float64Array = way / ((end.stamp - start.stamp) * 1e-9)
    return velocity


def _bounded(
    velocity: Float64Array, before: Float64Array, after: Float64Array, speeds: tuple[float, float]
) -> Float64Array:
    """Limit a velocity to the caps, and on each axis to what keeps both neighbouring cubics between their ends.

    Where the way turns back on an axis the velocity on it is 0.
    """
    steepest = _STEEPEST * np.minimum(np.abs(before), np.abs(after))
    inside = np.where(before * after > 0, np.clip(velocity, -steepest, steepest), 0.0)
    parts = []
    for part, cap in zip((slice(0, 3), slice(3, 6)), speeds, strict=True):
        length = _norm(inside[part])
        parts.append(inside[part] * (cap / length) if length > cap else inside[part])
    return np.concatenate(parts)


def _braked(knots: tuple[Knot, ...], limits: Limits) -> tuple[Knot, ...]:
    """Come to rest first where the present velocity would carry the curve away from the next waypoint."""
    start, end = knots[0], knots[1]
    duration_s = (end.stamp - start.stamp) * 1e-9
    way = _slope(start, end) * duration_s
    braking_s = 0.0
    for part, braking in zip((slice(0, 3), slice(3, 6)), limits.braking, strict=True):
        speed = _norm(start.velocity[part])
        if _swings_out(speed, duration_s, _norm(way[part]), braking):
            braking_s = _braking_s(start.velocity, limits)
    if not 0 < braking_s < duration_s / 2:
        return knots
    return (start, _stop_after(start, braking_s), *knots[1:])


def _braking_s(velocity: Float64Array, limits: Limits) -> float:
    """Return how long it takes to come to rest, in position and orientation at once."""
    return max(_norm(velocity[:3]) / limits.braking[0], _norm(velocity[3:]) / limits.braking[1])


def _swings_out(speed: float, duration_s: float, way: float, braking: float) -> bool:
    """Say whether a cubic that starts fast and has long to go leaves its ends further behind than braking would.

    It swings out by 4/27 of speed times duration when its ends are equal; constant braking takes v^2 / 2a.
    """
    drift = speed * duration_s
    return drift > _STEEPEST * way and drift * 4 / 27 > speed**2 / (2 * braking) + _NEGLIGIBLE


def _stop_after(start: Knot, braking_s: float) -> Knot:
    """Return the knot at which constant braking from a knot's velocity comes to rest."""
    half = start.velocity * (braking_s / 2)
    turned = quaternion.normalize(quaternion.multiply(start.pose[3:], quaternion.from_rotvec(half[3:])))
    return Knot(
        stamp=start.stamp + max(round(braking_s * 1e9), 1),
        pose=np.concatenate([start.pose[:3] + half[:3], turned]),
        velocity=AT_REST,
        width_m=start.width_m,
    )


def _unit(pose: npt.NDArray[np.float64]) -> Float64Array:
    return np.concatenate([pose[:3], quaternion.normalize(pose[3:])])


def _norm(vector: Float64Array) -> float:
    return float(np.linalg.norm(vector))
