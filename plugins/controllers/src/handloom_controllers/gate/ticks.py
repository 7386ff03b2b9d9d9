"""What the stamps of the calls tell: a clock that was set, a caller that stalled, targets that stopped coming.

They never tell how far the motion goes on. An arm takes one command each control period, so each call covers one,
whatever its stamp says: a clock can be set and calls can jitter, and what is sent stays smooth.
"""

from __future__ import annotations

from handloom.api import Fault
from handloom_controllers.gate.settings import GateSettings

_AHEAD_PERIODS = 10
"""How many periods calls may be ahead of the clock; more is not jitter but another rate."""

_FORGETS = 100
"""Ticks after which that is forgotten: a caller may be faster for good by _AHEAD_PERIODS in so many, a tenth."""


class Ticks:
    """Looks after the stamps of the calls, and counts for how many of them no target was taken."""

    def __init__(self, settings: GateSettings) -> None:
        self._period_ns = round(settings.period_s * 1e9)
        self._longest_ns = round(settings.longest_gap_s * 1e9)
        self._silence_ns = round(settings.silence_s * 1e9)
        self.begin()

    def begin(self) -> None:
        """Forget everything; the next call is the first."""
        self._stamp: int | None = None
        self._silent_ns: int | None = None
        self._ahead_ns = 0

    def next(self, now: int) -> Fault | None:
        """Count a call at `now`, int64 ns, and say what is so wrong with the clock that the arm has to rest."""
        if self._silent_ns is not None:
            self._silent_ns += self._period_ns
        before, self._stamp = self._stamp, now
        if before is None:
            return None
        passed = now - before
        if passed < -self._period_ns:
            return _back(passed, now)
        if passed > self._longest_ns + self._period_ns // 2:
            return _missed(passed, now)
        self._ahead_ns = max(self._ahead_ns - self._ahead_ns // _FORGETS + self._period_ns - passed, 0)
        if self._ahead_ns <= _AHEAD_PERIODS * self._period_ns:
            return None
        self._ahead_ns = 0
        return _hurried(self._period_ns, now)

    def silent(self, *, taken: bool) -> bool:
        """Return whether the targets have just been lost: once for each time that happens.

        Args:
            taken: Whether a target was taken in this tick.
        """
        if taken:
            self._silent_ns = 0
        if self._silent_ns is None or self._silent_ns < self._silence_ns:
            return False
        self.forget_targets()
        return True

    def forget_targets(self) -> None:
        """Wait for a first target again; until then there is no silence to tell of."""
        self._silent_ns = None


_THEN = "the arm brakes, rests, and begins anew from there."


def _back(passed: int, now: int) -> Fault:
    return Fault(kind="clock_jump", message=f"The clock went back by {-passed * 1e-9:.3g} s; {_THEN}", stamp=now)


def _missed(passed: int, now: int) -> Fault:
    message = f"No command was asked for during {passed * 1e-9:.3g} s, or the clock was set; {_THEN}"
    return Fault(kind="missed_slots", message=message, stamp=now)


def _hurried(period_ns: int, now: int) -> Fault:
    found = f"Commands are asked for more often than every {period_ns * 1e-9:g} s, which is the gate's period_s"
    return Fault(kind="clock_jump", message=f"{found}; {_THEN}", stamp=now)
