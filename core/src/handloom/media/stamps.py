"""Exact stamps from a container's ticks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

_NS = 1_000_000_000


def ticks_to_ns(ticks: npt.ArrayLike, time_base: Fraction) -> npt.NDArray[np.int64]:
    """Return ticks * time_base in nanoseconds, rounded to the nearest in integer arithmetic.

    Whole seconds and the rest are scaled apart, so that neither float rounding nor int64 overflow can touch the
    last nanosecond, whatever epoch the container counts from.

    Args:
        ticks: int64, any shape.
        time_base: Seconds that one tick lasts.
    """
    seconds, rest = np.divmod(np.asarray(ticks, dtype=np.int64) * time_base.numerator, time_base.denominator)
    nanoseconds: npt.NDArray[np.int64] = seconds * _NS + (2 * rest * _NS + time_base.denominator) // (
        2 * time_base.denominator
    )
    return nanoseconds


def tick_to_ns(ticks: int, time_base: Fraction) -> int:
    """Return one tick count in nanoseconds, as `ticks_to_ns` does."""
    return (2 * ticks * time_base.numerator * _NS + time_base.denominator) // (2 * time_base.denominator)
