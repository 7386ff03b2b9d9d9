"""Clocks: what code asks for the time, so that a replay or a test can put another in its place."""

from __future__ import annotations

import time
from typing import Protocol, runtime_checkable

from handloom.errors import ClockError
from handloom.time.stamp import Stamp


@runtime_checkable
class Clock(Protocol):
    """A named time base that can be read and waited on."""

    @property
    def name(self) -> str:
        """The name that its stamps carry."""

    def now(self) -> Stamp:
        """Return the present instant; never before an earlier answer."""

    def sleep_until(self, stamp: Stamp) -> None:
        """Return once `now()` has reached the stamp; at once when it is past.

        Raises:
            ClockError: The stamp is on another clock.
        """


class MonotonicClock:
    """The machine's monotonic clock: its zero is arbitrary, it never jumps and has nothing to do with the date."""

    def __init__(self, name: str = "monotonic") -> None:
        self._name = name

    @property
    def name(self) -> str:
        """The name that its stamps carry."""
        return self._name

    def now(self) -> Stamp:
        """Return the present instant."""
        return Stamp(time.monotonic_ns(), self._name)

    def sleep_until(self, stamp: Stamp) -> None:
        """Return once `now()` has reached the stamp; at once when it is past.

        Raises:
            ClockError: The stamp is on another clock.
        """
        if stamp.clock != self._name:
            raise ClockError(f"Clock '{self._name}' can't wait for a stamp on clock '{stamp.clock}'.")
        # A sleep may end a little early on some systems, so what is left is slept again.
        while (left_ns := stamp - self.now()) > 0:
            time.sleep(left_ns * 1e-9)
