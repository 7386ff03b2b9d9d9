"""What an arm's joints may bear: repulsion from their limits, braking near their greatest speed, torque bounds."""

from __future__ import annotations

import numpy as np

from handloom_controllers.laws.kinematics import Struct
from handloom_controllers.laws.rotation import Float64Array


class TorqueBounds:
    """The limits of an `hl_impedance_config`, applied to joint torques."""

    def __init__(self, config: Struct) -> None:
        n = int(config["joints"])
        self._lower, self._upper = config["q_lower"][:n], config["q_upper"][:n]
        self._fastest, self._greatest = config["dq_max"][:n], config["tau_max"][:n]
        self._step, self._push = config["tau_step"][:n], config["repulsion_torque"][:n]
        self._margin, self._speed_share = float(config["repulsion_margin"]), float(config["velocity_margin"])

    def repulsion(self, q: Float64Array, events: set[str]) -> Float64Array:
        """Return torques (n,) away from the ends of the range, linear from 0 at the margin."""
        if self._margin <= 0:
            return np.zeros(len(q))
        below = np.maximum(0.0, (self._lower + self._margin - q) / self._margin)
        above = np.maximum(0.0, (q - (self._upper - self._margin)) / self._margin)
        if (below > 0).any() or (above > 0).any():
            events.add("joint_repulsion")
        pushed: Float64Array = self._push * (below - above)
        return pushed

    def braking(self, dq: Float64Array, events: set[str]) -> Float64Array:
        """Return torques (n,) against joints that near their greatest speed, linear from 0 likewise."""
        begin = self._speed_share * self._fastest
        fast = np.abs(dq) > begin
        torque = np.zeros(len(dq))
        if fast.any():
            events.add("velocity_damping")
            excess = (np.abs(dq) - begin)[fast] / (self._fastest - begin)[fast]
            torque[fast] = -np.copysign(self._push[fast] * excess, dq[fast])
        return torque

    def bounded(
        self, wanted: Float64Array, before: Float64Array, applied: Float64Array, events: set[str]
    ) -> Float64Array:
        """Return the torques (n,) nearest to the wanted ones that every bound allows.

        Args:
            wanted: (n,) Nm.
            before: (n,) the command before.
            applied: (n,) what the robot applied last; NaN where it does not tell.
            events: Takes the names of what was met.
        """
        held = np.clip(wanted, before - self._step, before + self._step)
        # What is beyond the limit, or NaN, can't have been applied: it tells nothing.
        told = np.where(np.abs(applied) <= self._greatest, applied, held)
        held = np.clip(held, told - self._step, told + self._step)
        torque: Float64Array = np.clip(held, -self._greatest, self._greatest)
        if (held != wanted).any():
            events.add("torque_rate")
        if (torque != held).any():
            events.add("torque_limit")
        return torque

    def told(self, applied: Float64Array) -> Float64Array:
        """Return what the robot applied (n,), within the limits; 0 where it does not tell."""
        finite = np.where(np.isfinite(applied), applied, 0.0)
        torque: Float64Array = np.clip(finite, -self._greatest, self._greatest)
        return torque
