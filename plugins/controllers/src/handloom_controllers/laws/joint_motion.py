"""Commanded joint positions that move within their range, velocity and acceleration, whatever is wanted."""

from __future__ import annotations

import numpy as np

from handloom_controllers.laws.kinematics import Struct
from handloom_controllers.laws.rotation import Float64Array

LONGEST_PERIODS = 10.0
"""No cycle counts for more than so many periods; what is left before a limit is reckoned with that."""


class JointMotion:
    """The commanded joints of an `hl_following_config`.

    Attributes:
        q: (n,) rad commanded last.
    """

    def __init__(self, config: Struct) -> None:
        n = int(config["joints"])
        self._lower, self._upper = config["q_lower"][:n], config["q_upper"][:n]
        self._fastest, self._hardest = config["dq_max"][:n], config["ddq_max"][:n]
        self._longest_s = LONGEST_PERIODS * float(config["period_s"])
        self.q = self._dq = np.zeros(n)

    def begin(self, q: Float64Array) -> None:
        """Begin at rest at (n,) q."""
        self.q, self._dq = q, np.zeros(len(q))

    def move(self, wanted: Float64Array, dt_s: float, events: set[str]) -> tuple[Float64Array, Float64Array]:
        """Return positions and velocities (n,) after a cycle towards the wanted velocities (n,)."""
        share = float((np.abs(wanted) / self._fastest).max())
        slowed = wanted / share if share > 1 else wanted  # the direction stays
        most, least = self._stoppable(self._upper - self.q), -self._stoppable(self.q - self._lower)
        inside = np.clip(slowed, least, most)
        step = self._hardest * dt_s
        self._dq = np.clip(inside, self._dq - step, self._dq + step)
        self.q = self.q + self._dq * dt_s
        if share > 1:
            events.add("velocity_damping")
        if (inside != slowed).any():
            events.add("joint_repulsion")
        return self.q, self._dq

    def _stoppable(self, room: Float64Array) -> Float64Array:
        """Return the greatest speeds (n,) from which each joint still comes to rest within its room.

        v h + v^2 / 2a = room, for the longest cycle h that may come before the braking begins.
        """
        room, a, h = np.maximum(room, 0.0), self._hardest, self._longest_s
        speed: Float64Array = a * (np.sqrt(h * h + 2.0 * room / a) - h)
        return speed
