"""The torques of a cycle: those of the loop where they may be given, else what brings the arm to rest."""

from __future__ import annotations

import math
from collections.abc import Sequence

from handloom.api import JointLimits
from handloom_controllers.native.structs import MODE_DAMPED, MODE_TORQUE, REFLEXES
from handloom_controllers.realtime.states import Struct

MOST_STEP_NM = 0.999
"""Change of a torque in a cycle. The arm stops itself at 1 Nm, and the torques it tells are rounded to float32."""

NOT_FINITE = 1 << REFLEXES.index("command_not_finite")
RANGE = 1 << REFLEXES.index("tau_j_range_violation")


class Torques:
    """Limits torques in rate against those that the arm itself says it goes by.

    libfranka limits nothing on this way; only its callback loops do.

    Attributes:
        tau: Seven torques of this cycle, Nm.
        refused: Bits of HL_REFLEX_* of what was commanded and not given on.
        limited: Cycles in which a torque was held back by its rate.
        stopped: It damps, and stays so: it was told to, or something was refused.
        positions_asked: Joint positions were commanded.
    """

    def __init__(self, limits: JointLimits, damping: Sequence[float]) -> None:
        self._most = [float(value) for value in limits.torque]
        self._damping = [float(value) for value in damping]
        self.tau = [0.0] * 7
        self.refused = 0
        self.limited = 0
        self.stopped = False
        self.positions_asked = False

    def step(self, command: Struct, applied: Sequence[float], velocities: Sequence[float]) -> bool:
        """Work out the torques of a cycle.

        Args:
            command: The newest `hl_command`.
            applied: The arm's `tau_J_d`, Nm.
            velocities: Its joints', rad/s.

        Returns:
            Whether they are those of the command; otherwise they damp.
        """
        wanted = None if self.stopped else self._wanted(command)
        follows = wanted is not None
        if wanted is None:
            self.stopped = True
            # Half of what a motor can give is plenty, and never out of range.
            wanted = [
                min(max(-gain * speed, -0.5 * most), 0.5 * most)
                for gain, speed, most in zip(self._damping, velocities, self._most, strict=True)
            ]
        limited = False
        for joint in range(7):
            step = wanted[joint] - applied[joint]
            if abs(step) > MOST_STEP_NM:
                limited, step = True, math.copysign(MOST_STEP_NM, step)
            self.tau[joint] = applied[joint] + step
        self.limited += limited and follows
        return follows

    def _wanted(self, command: Struct) -> list[float] | None:
        mode = int(command["mode"])
        if mode == MODE_DAMPED:
            return None
        if mode != MODE_TORQUE:
            self.positions_asked = True
            self.refused |= RANGE
            return None
        tau: list[float] = command["tau"][:7].tolist()
        if not all(map(math.isfinite, tau)):
            self.refused |= NOT_FINITE
        elif any(abs(value) > most * (1 + 1e-9) for value, most in zip(tau, self._most, strict=True)):
            self.refused |= RANGE
        else:
            return tau
        return None
