"""Writes a frame's number into its pixels and reads it back, at any scale: the truth that tests compare to."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.errors import MediaError

DATA_BITS = 16
CHECK_BITS = 4
CELLS = DATA_BITS + CHECK_BITS
"""Cells side by side along the top of the picture, most significant first, white for one."""
HEIGHT_SHARE = 8
"""The strip is one part in this many of the picture's height."""

Picture = npt.NDArray[np.uint8]


def paint_number(luma: Picture, number: int) -> None:
    """Paint a number into the top strip of a picture, in place.

    Args:
        luma: (H, W) full-range luma of the upright picture.
        number: 0 to 65535.
    """
    word = number << CHECK_BITS | _check(number)
    bits = (word >> np.arange(CELLS - 1, -1, -1)) & 1
    cell_of_column = np.arange(luma.shape[1]) * CELLS // luma.shape[1]
    luma[: luma.shape[0] // HEIGHT_SHARE] = (bits[cell_of_column] * 255).astype(np.uint8)


def read_number(picture: npt.NDArray[Any]) -> int:
    """Read the number that `paint_number` painted.

    Args:
        picture: (H, W) or (H, W, 3) uint8, upright, at least 40 wide and 16 high.

    Raises:
        MediaError: The cells don't hold a number: another picture, or one scaled too small.
    """
    strip = picture[: max(picture.shape[0] // HEIGHT_SHARE, 1)]
    row = strip[len(strip) // 4 : max(3 * len(strip) // 4, len(strip) // 4 + 1)].mean(axis=0)
    levels = row.mean(axis=1) if row.ndim == 2 else row
    centres = ((np.arange(CELLS) + 0.5) * len(levels) / CELLS).astype(int)
    word = int("".join("1" if level > 127.5 else "0" for level in levels[centres]), 2)
    number, check = word >> CHECK_BITS, word & (1 << CHECK_BITS) - 1
    if check != _check(number):
        raise MediaError(f"The top of this picture holds no frame number (read {number} with check {check}).")
    return number


def _check(number: int) -> int:
    """Return a check of a number that a picture of one colour, or of noise, does not keep."""
    return (sum((number >> shift & 15) * (weight) for shift, weight in ((0, 1), (4, 3), (8, 5), (12, 7))) + 9) % 16
