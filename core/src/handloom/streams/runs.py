"""Runs of rows that have something in common, one after the other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def runs_of(flags: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return (R, 2) first and one past the last index of each run of true in flags (N,), in order."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return edges.astype(np.int64).reshape(-1, 2)
