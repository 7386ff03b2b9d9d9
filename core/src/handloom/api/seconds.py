"""Seconds as people write them, turned into whole nanoseconds without passing through a float."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

from handloom.time.stamp import INT64_LIMIT


def nanoseconds(seconds: Any) -> int | None:
    """Return the nanoseconds of a number of seconds, rounded to the nearest; None when it is none.

    A float is taken as the digits that a person would have typed for it, so 0.1 is 100000000 ns and the whole
    seconds of an epoch are exact. Digits in quotes keep more than a float's sixteen.

    Args:
        seconds: An int, float, Decimal, or a string of digits.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int | float | str | Decimal):
        return None
    try:
        exact = Decimal(str(seconds))
    except (InvalidOperation, ValueError):  # ValueError: an integer of more digits than Python prints
        return None
    if not exact.is_finite() or abs(exact) > INT64_LIMIT // 10**9:
        return None
    # The number has at most 10 digits before the point, so scaling can't round; only the last step does.
    return int(exact.scaleb(9).to_integral_value())
