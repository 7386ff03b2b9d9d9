"""The speed limit after a rest: it grows from a share of itself to its full size."""

from __future__ import annotations

import numpy as np

from handloom_controllers.gate.path import Motion
from handloom_controllers.gate.settings import Bounds, GateSettings


class Ramp:
    """Counts the time since targets are followed again."""

    def __init__(self, settings: GateSettings) -> None:
        self._settings = settings
        self.restart()

    def restart(self) -> None:
        """Begin small with the next target."""
        self._first: float | None = None
        self._engaged_s = 0.0

    def engage(self, share: float) -> None:
        """Say that a target is followed, at a share of the speed limit."""
        if self._first is None:
            self._first = share

    def advance(self, elapsed_s: float) -> None:
        """Let time pass."""
        if self._first is not None:
            self._engaged_s += elapsed_s

    def share(self, motion: Motion, limits: Bounds) -> float:
        """Return the share of the speed limit that holds now.

        An arm that still moves is not braked by it: the first share is what it moves at, at least.
        """
        if self._first is None:
            # What each joint is about to move at, once its acceleration is taken back.
            coming = motion.dq + motion.ddq * np.abs(motion.ddq) / (2 * limits.jerk)
            present = np.maximum(np.abs(motion.dq), np.abs(coming)) / limits.speed
            return min(max(self._settings.ramp_from, float(present.max())), 1.0)
        if self._settings.ramp_s <= self._engaged_s:
            return 1.0
        return min(self._first + (1 - self._first) * self._engaged_s / self._settings.ramp_s, 1.0)
