"""Rows that repeat the one before to the last digit: what a tracker writes when it has stopped looking."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.streams.runs import runs_of

Float64Array = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]


def repeated_rows(values: Float64Array, *, at_least: int) -> BoolArray:
    """Say which rows repeat the row before them, where at least so many do so one after the other.

    The first row of such a run was measured and is not among them. A row with a NaN repeats nothing.

    Args:
        values: (N, k).
        at_least: Fewest repetitions that count; 1 or more.

    Returns:
        (N,) bool.
    """
    same = np.zeros(len(values), dtype=np.bool_)
    same[1:] = (values[1:] == values[:-1]).all(axis=1)
    frozen = np.zeros_like(same)
    # One turn for each run, of which there are few.
    for start, end in runs_of(same):
        frozen[start:end] = end - start >= at_least
    return frozen
