"""Commanded joint positions that keep their range, velocity, acceleration and jerk, whatever is wanted."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from handloom_controllers.laws.joint_curve import Bounds, Step, advance
from handloom_controllers.laws.kinematics import Struct
from handloom_controllers.laws.rotation import Float64Array

STIFFNESS = 0.25
"""Of the velocity loop, a period: the most without overshoot is 0.34."""

SMOOTHING = 0.25
"""Of the wished acceleration, a cycle."""

GENTLE = 0.8
"""Share of the greatest deceleration that is planned with, beside half of the greatest jerk."""

NEAR_LIMIT = 0.025
"""Share of the way to the end of its range that a joint goes in a period."""


class JointMotion:
    """The commanded joints of an `hl_following_config`.

    Attributes:
        q: (n,) rad commanded last.
    """

    def __init__(self, config: Struct) -> None:
        n = int(config["joints"])
        self._near, self._offset = config["near_deceleration"][:n], config["near_offset"][:n]
        self._margin = self._offset * self._offset / (2 * self._near)  # nearer no speed is left at all
        self._lower, self._upper = config["q_lower"][:n] + self._margin, config["q_upper"][:n] - self._margin
        self._fastest, self._hardest = config["dq_max"][:n], config["ddq_max"][:n]
        self._jerk = config["jerk_max"][:n]
        self._period_s = float(config["period_s"])
        self._gain = max(*config["gain"].tolist(), float(config["posture_gain"]))
        self.begin(np.zeros(n))

    def begin(self, q: Float64Array) -> None:
        """Begin at rest at (n,) q; a joint that is outside its range may be as far out as it is."""
        none = np.zeros(len(q))
        self.q, self._step = q, Step(none, none, none)
        self._wished = self._trend = none
        self._bounds = Bounds(
            lower=np.minimum(self._lower, q),
            upper=np.maximum(self._upper, q),
            fastest=self._fastest,
            hardest=self._hardest,
            jerk=self._jerk,
            near=self._near,
            offset=self._offset,
        )

    def move(
        self, onward: Float64Array, chase: Float64Array, periods: int, events: set[str]
    ) -> tuple[Float64Array, Float64Array]:
        """Return positions and velocities (n,) after so many periods.

        Args:
            onward: (n,) rad/s of the reference.
            chase: (n,) rad/s that make the error good.
            periods: How many.
            events: Gets the names of what was met.
        """
        if periods:
            velocity = self._wish(onward, chase, events)
            change = (velocity - self._wished) / (periods * self._period_s)
            self._trend = self._trend + SMOOTHING * (np.clip(change, -self._hardest, self._hardest) - self._trend)
            self._wished = velocity
            for _ in range(periods):
                self._advance(velocity, events)
        return self.q, self._step.v

    def _wish(self, onward: Float64Array, chase: Float64Array, events: set[str]) -> Float64Array:
        """Return the velocities (n,) to go for: from each of them a joint can brake in time."""
        speeds, slowest = np.abs(chase), 1.0
        if speeds.any():
            moves = speeds > 0
            most = brakeable(speeds, self._gain, gentle(self._hardest, self._jerk, self._gain))
            slowest = min(1.0, float((most[moves] / speeds[moves]).min()))
        velocity = onward + slowest * chase
        share = float((np.abs(velocity) / self._fastest).max())
        if share > 1:
            events.add("velocity_damping")
            velocity = velocity / share  # the direction stays
        inside = np.clip(velocity, -self._towards(self.q - self._lower), self._towards(self._upper - self.q))
        if (inside != velocity).any():
            events.add("joint_repulsion")
        return inside

    def _towards(self, room: Float64Array) -> Float64Array:
        """Return the greatest speeds (n,) towards the ends of the range."""
        gain = NEAR_LIMIT / self._period_s
        most = np.minimum(self._near, gentle(self._hardest, self._jerk, gain))
        speed: Float64Array = brakeable(gain * np.maximum(room + self._margin, 0.0), gain, most) - self._offset
        return np.maximum(speed, 0.0)

    def _advance(self, velocity: Float64Array, events: set[str]) -> None:
        """Go on by one period towards the velocities (n,)."""
        stiffness = STIFFNESS / self._period_s
        left = velocity - self._step.v
        pull = brakeable(stiffness * np.abs(left), stiffness, self._jerk / 2)
        sought = self._trend + np.copysign(pull, left)
        if (np.abs(sought) > self._hardest).any():
            events.add("acceleration_limit")
        change = (np.clip(sought, -self._hardest, self._hardest) - self._step.a) / self._period_s
        jerk = np.clip(change, -self._jerk, self._jerk)
        self.q, self._step, held = advance(self._bounds, self.q, self._step, jerk, self._period_s)
        if held.any():
            events.add("joint_repulsion")
        self._come_in()

    def _come_in(self) -> None:
        """Let no joint that began outside its range, and moves back in, be as far out again."""
        v, a, bounds = self._step.v, self._step.a, self._bounds
        left = v + a * np.abs(a) / (2 * self._jerk)
        upper = np.maximum(self._upper, np.minimum(bounds.upper, self.q))
        lower = np.minimum(self._lower, np.maximum(bounds.lower, self.q))
        self._bounds = attrs.evolve(
            bounds,
            upper=np.where((v <= 0) & (left <= 0), upper, bounds.upper),
            lower=np.where((v >= 0) & (left >= 0), lower, bounds.lower),
        )


def brakeable(linear: Float64Array, gain: float, most: Float64Array) -> Float64Array:
    """Return the speeds (n,) from which distances can be braked in.

    gain * distance where it is near, then the root of it. At the seam both have the deceleration `most`, and
    beyond it none is greater.

    Args:
        linear: (n,) gain * distance.
        gain: 1/s.
        most: (n,) deceleration.
    """
    if not gain > 0:
        return linear
    seam = most / gain
    root = np.sqrt(seam) * np.sqrt(np.maximum(2 * linear - seam, 0.0))
    speed: Float64Array = np.where(linear <= seam, linear, root)
    return speed


def gentle(hardest: Any, jerk: Any, gain: float) -> Any:
    """Return the deceleration to plan with, so that its onset needs no more than half of the jerk."""
    return np.minimum(GENTLE * hardest, jerk / (2 * gain))
