"""A way to rest: each joint moves with piecewise constant jerk, known to its end before it begins."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from handloom_controllers.gate.settings import Bounds

Float64Array = npt.NDArray[np.float64]

STEP_S = 0.01
"""Time between points that a path is taken to be straight between: a t^2/8 is 2e-4 rad at 900 deg/s^2."""

_TINY = 1e-9
"""What rounding may add to a bound, as a share of it; rad for positions."""


class Motion(NamedTuple):
    """Where all joints are, and how they move.

    Attributes:
        q: (n,) rad.
        dq: (n,) rad/s.
        ddq: (n,) rad/s^2.
    """

    q: Float64Array
    dq: Float64Array
    ddq: Float64Array


def at_rest(q: Float64Array) -> Motion:
    """Return a motion that is none."""
    return Motion(q, np.zeros_like(q), np.zeros_like(q))


class Path:
    """Integrates jerks from a motion on; after the last segment the joints rest.

    Nothing but durations and jerks is taken from whoever planned it, so that what is checked is what is done.

    Attributes:
        duration_s: When the last joint comes to rest.
        end: (n,) rad, where it does.
    """

    def __init__(self, start: Motion, durations: Float64Array, jerks: Float64Array) -> None:
        """Integrate.

        Args:
            start: Where it begins.
            durations: (S, n) s of the segments of each joint, 0 or more.
            jerks: (S, n) rad/s^3.
        """
        segments, joints = durations.shape
        self._knots = knots = np.zeros((5, segments + 1, joints))
        times, q, dq, ddq, jerk = knots
        jerk[:-1] = jerks
        q[0], dq[0], ddq[0] = start
        # Each knot is the start and what the segments before have added.
        change = jerks * durations
        durations.cumsum(axis=0, out=times[1:])
        change.cumsum(axis=0, out=ddq[1:])
        ddq[1:] += start.ddq
        ((ddq[:-1] + 0.5 * change) * durations).cumsum(axis=0, out=dq[1:])
        dq[1:] += start.dq
        moved = (dq[:-1] + (0.5 * ddq[:-1] + change / 6) * durations) * durations
        moved.cumsum(axis=0, out=q[1:])
        q[1:] += start.q
        # What rounding has left of the motion at the end; from there on the joints rest.
        self._left = (float(np.abs(dq[-1]).max()), float(np.abs(ddq[-1]).max()))
        dq[-1] = ddq[-1] = 0.0
        self._points: Motion | None = None
        self._joints = np.arange(joints)
        self.duration_s = float(times[-1].max())
        self.end: Float64Array = q[-1]

    def at(self, time_s: float) -> Motion:
        """Return the motion at a time after the beginning."""
        if time_s >= self.duration_s:
            return at_rest(self.end.copy())
        segment = (self._knots[0, 1:] <= time_s).sum(axis=0)
        start, q, dq, ddq, jerk = self._knots[:, segment, self._joints]
        return _moved(time_s - start, q, dq, ddq, jerk)

    def points(self) -> Motion:
        """Return the motions at K times, STEP_S apart at most, each of them (K, n); the first is the start."""
        if self._points is None:
            steps = max(int(np.ceil(self.duration_s / STEP_S)), 1)
            times = np.linspace(0.0, self.duration_s, steps + 1)
            # One joint after the other: comparing all times with all ends costs more.
            segment = np.zeros((len(times), len(self._joints)), dtype=np.intp)
            for joint, ends in enumerate(self._knots[0, 1:].T):
                segment[:, joint] = ends.searchsorted(times, side="right")
            start, q, dq, ddq, jerk = self._knots[:, segment, self._joints]
            self._points = _moved(times[:, None] - start, q, dq, ddq, jerk)
        return self._points

    def breach(self, bounds: Bounds) -> str:
        """Return what the path does that it may not do, or "".

        Holds for every instant, not for samples: extremes of each segment are where the derivative is 0. Only how
        slow it has to be near the end of the range is looked at in steps.
        """
        times, _, _, ddq, jerk = self._knots
        left_speed, left_acceleration = self._left
        if not (np.isfinite(self._knots).all() and (times[1:] >= times[:-1]).all()):
            return "is not finite"
        if (np.abs(jerk) > bounds.jerk * (1 + _TINY)).any():
            return "has too much jerk"
        if (np.abs(ddq) > bounds.acceleration * (1 + _TINY)).any():
            return "accelerates too much"
        if left_speed > 1e-6 or left_acceleration > 1e-4:
            return "does not come to rest"
        return self._excess(bounds)

    def _excess(self, bounds: Bounds) -> str:
        """Return whether it goes too fast or too far, or ""."""
        fastest = self._fastest()
        if (fastest > bounds.speed * (1 + _TINY)).any():
            return "is too fast"
        lowest, highest = self._furthest()
        if (highest > bounds.upper + _TINY).any() or (lowest < bounds.lower - _TINY).any():
            return "leaves the range"
        # Where the fastest is slow enough for the furthest, nothing between need be looked at.
        if not bounds.too_fast_there(np.stack([lowest, highest]), np.stack([-fastest, fastest])):
            return ""
        passing = self.points()
        return "is too fast near the end of the range" if bounds.too_fast_there(passing.q, passing.dq) else ""

    def _fastest(self) -> Float64Array:
        """Return (n,) rad/s the greatest speed of each joint: at a knot, or where the acceleration is 0."""
        _, _, dq, ddq, jerk = self._knots[:, :-1]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            turning = self._inside(-ddq / jerk)
        between = np.abs(dq + (ddq + 0.5 * jerk * turning) * turning)
        fastest: Float64Array = np.maximum(between, np.abs(dq)).max(axis=0)
        return fastest

    def _furthest(self) -> tuple[Float64Array, Float64Array]:
        """Return (n,) rad the least and the greatest position of each joint: at a knot or where it turns."""
        _, q, dq, ddq, jerk = self._knots[:, :-1]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            root = np.sqrt(np.maximum(ddq * ddq - 2 * jerk * dq, 0.0))
            # Of the two forms of each root of the quadratic, the one without a difference of equals.
            pole = -(ddq + np.copysign(root, ddq))
            first, second = self._inside(pole / jerk), self._inside(2 * dq / pole)
        turned = np.stack([first, second])
        extremes = q + (dq + (0.5 * ddq + jerk / 6 * turned) * turned) * turned
        lowest = np.minimum(extremes.min(axis=(0, 1)), self._knots[1].min(axis=0))
        highest = np.maximum(extremes.max(axis=(0, 1)), self._knots[1].max(axis=0))
        return lowest, highest

    def _inside(self, times_s: Float64Array) -> Float64Array:
        """Return times after the beginning of each segment that lie inside it; 0 for those that do not."""
        begins = self._knots[0]
        return np.where((times_s > 0) & (times_s < begins[1:] - begins[:-1]), times_s, 0.0)


def _moved(time: Float64Array, q: Float64Array, dq: Float64Array, ddq: Float64Array, jerk: Float64Array) -> Motion:
    speeding = jerk * time
    return Motion(
        q + (dq + (0.5 * ddq + speeding / 6) * time) * time,
        dq + (ddq + 0.5 * speeding) * time,
        ddq + speeding,
    )
