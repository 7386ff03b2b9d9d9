"""Clocks that move only when told to, so that a test of an hour takes no time and no two runs differ."""

from __future__ import annotations

from handloom.errors import ClockError
from handloom.time import ClockMap, Stamp


class FakeClock:
    """A clock that stands still until somebody advances it or sleeps on it."""

    def __init__(self, name: str = "simulation", *, start_ns: int = 0) -> None:
        self._name = name
        self._now_ns = start_ns

    @property
    def name(self) -> str:
        """The name that its stamps carry."""
        return self._name

    def now(self) -> Stamp:
        """Return the present instant."""
        return Stamp(self._now_ns, self._name)

    def advance(self, ns: int) -> None:
        """Let time pass.

        Raises:
            ClockError: The time is negative; a clock never goes back.
        """
        if ns < 0:
            raise ClockError(f"Clock '{self._name}' can't go back by {-ns} ns.")
        self._now_ns += ns

    def sleep_until(self, stamp: Stamp) -> None:
        """Jump to the stamp; stay when it is past.

        Raises:
            ClockError: The stamp is on another clock.
        """
        if stamp.clock != self._name:
            raise ClockError(f"Clock '{self._name}' can't wait for a stamp on clock '{stamp.clock}'.")
        self._now_ns = max(self._now_ns, stamp.ns)


class DriftingClock:
    """A device's clock, moved by another one through a map: it has an offset and runs fast or slow.

    Args:
        moved_by: The clock that moves it; the map's source.
        by: The map from that clock to this one.

    Raises:
        ClockError: The map starts on another clock.
    """

    def __init__(self, moved_by: FakeClock, *, by: ClockMap) -> None:
        if by.source != moved_by.name:
            raise ClockError(f"A map from clock '{by.source}' can't be moved by clock '{moved_by.name}'.")
        self._moved_by = moved_by
        self._map = by

    @property
    def name(self) -> str:
        """The name that its stamps carry."""
        return self._map.target

    def now(self) -> Stamp:
        """Return the present instant."""
        return Stamp(int(self._map.apply(self._moved_by.now().ns)), self.name)

    def sleep_until(self, stamp: Stamp) -> None:
        """Let the other clock jump to where this one shows the stamp; stay when it is past.

        Raises:
            ClockError: The stamp is on another clock.
        """
        if stamp.clock != self.name:
            raise ClockError(f"Clock '{self.name}' can't wait for a stamp on clock '{stamp.clock}'.")
        self._moved_by.sleep_until(Stamp(int(self._map.inverse().apply(stamp.ns)), self._moved_by.name))
        # Rounding of the inverse map may stop a nanosecond short.
        while self.now() < stamp:
            self._moved_by.advance(1)
