"""Stamps of a regular stream, kept as a few knots instead of one stamp a sample."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.errors import StreamError

Int64Array = npt.NDArray[np.int64]


def check_knots(knots: Int64Array) -> Int64Array:
    """Return the knots as int64 (K, 2), or refuse them.

    Args:
        knots: (K, 2) of [sample index, stamp in ns], K >= 2, both columns strictly increasing.

    Raises:
        StreamError: Fewer than two knots, or one that does not come after the one before.
    """
    array = np.asarray(knots)
    if array.ndim != 2 or array.shape[1] != 2 or len(array) < 2:
        raise StreamError(f"Knots must be (K, 2) with K >= 2, [sample index, ns]; found shape {array.shape}.")
    if not np.issubdtype(array.dtype, np.integer):
        raise StreamError(f"Knots must be integers, [sample index, ns]; found {array.dtype}.")
    if not (np.diff(array, axis=0) > 0).all():
        row = int(np.argmin((np.diff(array, axis=0) > 0).all(axis=1))) + 1
        raise StreamError(f"Knot {row} {array[row].tolist()} does not come after {array[row - 1].tolist()}.")
    return array.astype(np.int64)


def stamps_at(knots: Int64Array, indices: npt.ArrayLike) -> Int64Array:
    """Return the stamps of samples, straight between knots and on with the end slopes outside them.

    The arithmetic is relative to the knot before, so that nanoseconds of an epoch clock keep their last digit.

    Args:
        knots: (K, 2) int64 of [sample index, stamp in ns].
        indices: (N,) sample indices, whole or fractional.

    Returns:
        (N,) int64 ns, each rounded to the nearest.
    """
    knots = check_knots(knots)
    index = np.asarray(indices)
    segment = np.clip(np.searchsorted(knots[:, 0], index, side="right") - 1, 0, len(knots) - 2)
    start, end = knots[segment], knots[segment + 1]
    slope = (end[..., 1] - start[..., 1]) / (end[..., 0] - start[..., 0])
    return start[..., 1] + np.rint((index - start[..., 0]) * slope).astype(np.int64)


def indices_at(knots: Int64Array, stamps: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return the fractional sample indices at stamps: the inverse of `stamps_at`.

    Args:
        knots: (K, 2) int64 of [sample index, stamp in ns].
        stamps: (N,) int64 ns on the stream's clock.

    Returns:
        (N,) float64 sample indices; below 0 or past the end where the stamp lies outside the stream.
    """
    knots = check_knots(knots)
    stamp = np.asarray(stamps, dtype=np.int64)
    segment = np.clip(np.searchsorted(knots[:, 1], stamp, side="right") - 1, 0, len(knots) - 2)
    start, end = knots[segment], knots[segment + 1]
    slope = (end[..., 0] - start[..., 0]) / (end[..., 1] - start[..., 1])
    index: npt.NDArray[np.float64] = start[..., 0] + (stamp - start[..., 1]) * slope
    return index


def rate_hz(knots: Int64Array) -> float:
    """Return the mean sample rate between the first knot and the last.

    Args:
        knots: (K, 2) int64 of [sample index, ns].
    """
    knots = check_knots(knots)
    samples, duration_ns = knots[-1] - knots[0]
    return float(samples / (duration_ns * 1e-9))
