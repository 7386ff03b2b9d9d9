"""The lag at which two turning speeds agree best: their correlation over the part that overlaps, at every lag."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.streams import masked_correlation, top_between

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


@attrs.frozen(kw_only=True)
class Peak:
    """Where two speeds agree best.

    Attributes:
        lag: By how many cells the second lags the first, with a fraction.
        correlation: Pearson's, over the overlap.
        runner_up: The highest correlation at least half a second away.
        pinned: Whether it lies at the end of the allowed lags.
    """

    lag: float
    correlation: float
    runner_up: float
    pinned: bool


def correlate(
    first: FloatArray, first_known: BoolArray, second: FloatArray, second_known: BoolArray, *, fewest: int
) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """Return lags in cells, and Pearson's correlation of what both know at each: NaN of fewer than `fewest` cells.

    A lag at which one of them stands still correlates by 0.
    """
    one, two = np.where(first_known, first, np.nan), np.where(second_known, second, np.nan)
    correlation, count = masked_correlation(two, one)
    lags = np.arange(len(correlation)) - (len(one) - 1)
    return lags, np.where(count >= fewest, np.nan_to_num(correlation), np.nan)


def best_lag(
    lags: npt.NDArray[np.int64], values: FloatArray, *, expected: float, most: float, apart: float
) -> Peak:
    """Return the highest correlation within `most` cells of an expected lag; `apart` sets off the runner-up."""
    allowed = np.flatnonzero((abs(lags - expected) <= most) & np.isfinite(values))
    if not len(allowed):
        return Peak(lag=expected, correlation=float("nan"), runner_up=float("nan"), pinned=False)
    top = int(allowed[np.argmax(values[allowed])])
    pinned = top in (allowed[0], allowed[-1])
    others = allowed[abs(lags[allowed] - lags[top]) >= apart]
    share = 0.0 if pinned else top_between(*values[top - 1 : top + 2])
    return Peak(
        lag=float(lags[top]) + share,
        correlation=float(values[top]),
        runner_up=float(values[others].max()) if len(others) else 0.0,
        pinned=pinned,
    )
