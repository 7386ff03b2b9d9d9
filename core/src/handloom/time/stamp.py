"""A stamp: an instant in whole nanoseconds on a named clock."""

from __future__ import annotations

import operator
from typing import Any, overload

import attrs

from handloom.errors import ClockError

INT64_LIMIT = 2**63


def whole_ns(value: Any) -> int:
    """Return a count of nanoseconds as a Python integer, or refuse it.

    Args:
        value: An integer, Python's or numpy's, that fits in int64.

    Raises:
        ClockError: It is a float, a bool, something else, or too large.
    """
    if not isinstance(value, bool):
        try:
            ns = operator.index(value)
        except TypeError:
            pass
        else:
            if -INT64_LIMIT <= ns < INT64_LIMIT:
                return ns
    raise ClockError(f"Nanoseconds must be whole and fit in int64; found {type(value).__name__} {value!r}.")


def named_clock(_: object, attribute: attrs.Attribute[str], name: str) -> None:
    """Refuse a clock that has no name."""
    if not isinstance(name, str) or not name:
        raise ClockError(f"`{attribute.name}` must name a clock; found {name!r}.")


@attrs.frozen
class Stamp:
    """An instant on a clock.

    Order and difference exist only between stamps of one clock. Equality compares the values, clock included, so
    that stamps can be keys: as with naive and aware `datetime`, stamps of two clocks are unequal but not in order.

    Attributes:
        ns: Nanoseconds since the clock's zero, within int64.
        clock: Name of the clock.

    Raises:
        ClockError: `ns` is not whole, or the clock has no name.
    """

    ns: int = attrs.field(converter=whole_ns)
    clock: str = attrs.field(validator=named_clock)

    def __add__(self, ns: int) -> Stamp:
        return Stamp(self.ns + whole_ns(ns), self.clock)

    @overload
    def __sub__(self, other: Stamp) -> int: ...
    @overload
    def __sub__(self, other: int) -> Stamp: ...
    def __sub__(self, other: Stamp | int) -> int | Stamp:
        if isinstance(other, Stamp):
            return self.ns - self._same_clock(other, "subtracted")
        return Stamp(self.ns - whole_ns(other), self.clock)

    def __lt__(self, other: Stamp) -> bool:
        return self.ns < self._same_clock(other, "compared")

    def __le__(self, other: Stamp) -> bool:
        return self.ns <= self._same_clock(other, "compared")

    def __gt__(self, other: Stamp) -> bool:
        return self.ns > self._same_clock(other, "compared")

    def __ge__(self, other: Stamp) -> bool:
        return self.ns >= self._same_clock(other, "compared")

    def __str__(self) -> str:
        return f"{self.ns} ns on clock {self.clock}"

    def _same_clock(self, other: Stamp, what: str) -> int:
        if not isinstance(other, Stamp):
            raise ClockError(f"A stamp on clock '{self.clock}' can't be {what} with {other!r}, which is no stamp.")
        if other.clock != self.clock:
            raise ClockError(
                f"A stamp on clock '{self.clock}' can't be {what} with one on clock '{other.clock}'; "
                f"map one of them to the other's clock first."
            )
        return other.ns
