"""Arrays of stamps: int64 nanoseconds in, differences from an origin out, nothing lost on the way."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.errors import ClockError

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

_LARGEST_NS = 9.2e18
"""Int64 ends at 9.223e18; what is between is room for the rounding of the floats that are checked against this."""


def as_stamps(stamps: npt.ArrayLike) -> Int64Array:
    """Return stamps (...) as int64 ns, refusing floats, which can't hold an epoch's nanoseconds.

    Raises:
        ClockError: They are not integers or do not fit in int64.
    """
    array = np.asarray(stamps)
    if array.size == 0:
        return array.astype(np.int64)
    if not np.issubdtype(array.dtype, np.integer):
        raise ClockError(f"Stamps must be int64 nanoseconds; found {array.dtype}.")
    check_fits(array.astype(np.float64))
    return array.astype(np.int64, copy=False)


def since(stamps: Int64Array, origin_ns: int) -> FloatArray:
    """Return stamps - origin_ns, subtracted as integers: exact up to 2**53 ns (104 days) of distance.

    Raises:
        ClockError: A difference does not fit in int64.
    """
    check_fits(stamps.astype(np.float64) - origin_ns)
    return np.subtract(stamps, np.int64(origin_ns)).astype(np.float64)


def check_fits(rough: npt.ArrayLike) -> None:
    """Refuse nanoseconds, computed roughly, that leave int64.

    Raises:
        ClockError: One does, and would wrap around silently.
    """
    largest = float(np.max(np.abs(rough), initial=0.0))
    if not largest < _LARGEST_NS:
        raise ClockError(f"A stamp or difference of {largest:.4g} ns does not fit in int64.")
