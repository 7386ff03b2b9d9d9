"""Checks of array shapes and lost rows that the geometry modules share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.errors import FrameError

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Int64Array = npt.NDArray[np.int64]


def rows(values: npt.ArrayLike, length: int, what: str) -> FloatArray:
    """Return values as float64 (..., length).

    Raises:
        FrameError: The last axis is not that long.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] != length:
        raise FrameError(f"{what} must have shape (..., {length}); found {array.shape}.")
    return array


def square(values: npt.ArrayLike, size: int, what: str) -> FloatArray:
    """Return values as float64 (..., size, size).

    Raises:
        FrameError: The last two axes are not that long.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.shape[-2:] != (size, size):
        raise FrameError(f"{what} must have shape (..., {size}, {size}); found {array.shape}.")
    return array


def cross(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the vector products (..., 3); leading axes broadcast.

    `np.cross` gives the same bits in two to five times the time: it moves axes about before it multiplies.
    """
    product = np.empty(np.broadcast_shapes(first.shape, second.shape))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        product[..., i] = first[..., j] * second[..., k] - first[..., k] * second[..., j]
    return product


def lose_broken_rows(result: FloatArray) -> FloatArray:
    """Make every row of (..., K) that holds a NaN all NaN, so that a lost pose can't come back as half of one."""
    return np.where(np.isnan(result).any(axis=-1, keepdims=True), np.nan, result)
