"""How much time a tick covers: measured on the caller's clock, in whole periods, bounded."""

from __future__ import annotations

import attrs

from handloom.api import Fault
from handloom_controllers.gate.settings import GateSettings


@attrs.frozen(kw_only=True)
class Tick:
    """One call.

    Attributes:
        elapsed_s: Time that it covers; whole periods, 0 or more.
        restarted: The calls were too far apart.
        faults: What was wrong with the clock.
    """

    elapsed_s: float
    restarted: bool = False
    faults: tuple[Fault, ...] = ()


class Ticks:
    """Counts periods since the first call, and how long no target was taken.

    A call that comes early or late by less than half a period covers one period: the arm takes the commands one
    a period, and a jitter of the caller must not become one of the arm. A call that comes later covers as many
    periods as have passed. None covers more than the longest gap: whoever was not commanded for so long rests.
    """

    def __init__(self, settings: GateSettings) -> None:
        self._period_ns = round(settings.period_s * 1e9)
        self._longest_ns = round(settings.longest_gap_s * 1e9)
        self._silence_ns = round(settings.silence_s * 1e9)
        self.begin()

    def begin(self) -> None:
        """Forget everything; the next call is the first, and covers one period."""
        self._stamp: int | None = None
        self._silent_ns: int | None = None

    def next(self, now: int) -> Tick:
        """Count a call at `now`, int64 ns."""
        if self._stamp is None:
            self._stamp = now
            return Tick(elapsed_s=self._period_ns * 1e-9)
        passed = now - self._stamp
        if passed < -self._period_ns:
            self._stamp = now
            return Tick(elapsed_s=0.0, faults=(_back(passed, now),))
        if passed > self._longest_ns + self._period_ns // 2:
            self._stamp = now
            return Tick(elapsed_s=0.0, restarted=True, faults=(_missed(passed, now),))
        periods = max((passed + self._period_ns // 2) // self._period_ns, 0)
        self._stamp += periods * self._period_ns
        if self._silent_ns is not None:
            self._silent_ns += periods * self._period_ns
        return Tick(elapsed_s=periods * self._period_ns * 1e-9)

    def silent(self, *, taken: bool) -> bool:
        """Return whether the targets have just been lost: once for each time that happens.

        Args:
            taken: Whether a target was taken in this tick.
        """
        if taken:
            self._silent_ns = 0
        if self._silent_ns is None or self._silent_ns < self._silence_ns:
            return False
        self._silent_ns = None
        return True


def _back(passed: int, now: int) -> Fault:
    message = f"The clock went back by {-passed * 1e-9:.3g} s; the motion waits for one tick and goes on."
    return Fault(kind="clock_jump", message=message, stamp=now)


def _missed(passed: int, now: int) -> Fault:
    message = (
        f"No command was asked for during {passed * 1e-9:.3g} s; the motion begins anew, at rest where it was."
    )
    return Fault(kind="missed_slots", message=message, stamp=now)
