"""Widths over time: moved to the frames' stamps, and bridged over short gaps only."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


def at_stamps(values: FloatArray, stamps: Int64Array, late_s: FloatArray) -> FloatArray:
    """Return values at the stamps of frames, of values measured a little later in each frame.

    A value is moved along the slope to its neighbours, the mean of both where both are there; one without a
    measured neighbour stays as it is.

    Args:
        values: (N,), NaN where there is none.
        stamps: (N,) int64 ns.
        late_s: (N,) how much later than its stamp each value holds.
    """
    times = (stamps - stamps[0]) * 1e-9 + np.where(np.isfinite(late_s), late_s, 0.0)
    slopes = np.full((2, len(values)), np.nan)
    if len(values) > 1:
        slopes[0, 1:] = np.diff(values) / np.diff(times)
        slopes[1, :-1] = slopes[0, 1:]
    known = np.isfinite(slopes).sum(axis=0)
    slope = np.nansum(slopes, axis=0) / np.maximum(known, 1)
    moved: FloatArray = values - slope * np.where(np.isfinite(late_s), late_s, 0.0)
    return moved


def bridged(values: FloatArray, stamps: Int64Array, max_gap_s: float) -> tuple[FloatArray, BoolArray]:
    """Fill gaps by straight lines where the good frames on both sides are at most so far apart; never the ends.

    Returns:
        (N,) values, and (N,) which of them were filled in.
    """
    good = np.flatnonzero(np.isfinite(values))
    filled = np.zeros(len(values), dtype=bool)
    if len(good) < 2:
        return values.copy(), filled
    rows = np.arange(len(values))
    after = np.clip(np.searchsorted(good, rows), 1, len(good) - 1)
    before, after = good[after - 1], good[after]
    inside = (rows > before) & (rows < after)
    filled = inside & (stamps[after] - stamps[before] <= round(max_gap_s * 1e9))
    since = (stamps - stamps[0]) * 1e-9
    return np.where(filled, np.interp(since, since[good], values[good]), values), filled
