"""Which part of a picture a view shows, as a box in the upright picture and in the picture as coded."""

from __future__ import annotations

import re
from typing import Any

from handloom.errors import MediaError

Crop = str | tuple[int, int, int, int]
"""(x, y, width, height) in pixels of the upright picture, or "W:H" for the largest centred box of that ratio."""

Box = tuple[int, int, int, int]
"""x, y, width, height in pixels."""

WHOLE = ""
_RATIO = re.compile(r"([1-9]\d*):([1-9]\d*)")


def check_crop(_: object, __: object, crop: Any) -> None:
    """Refuse what is no crop.

    Raises:
        MediaError: It is neither four numbers that span a box nor a ratio "W:H".
    """
    if isinstance(crop, str):
        if crop == WHOLE or _RATIO.fullmatch(crop):
            return
    elif len(crop) == 4 and min(crop) >= 0 and min(crop[2:]) > 0:
        return
    raise MediaError(f"A crop is (x, y, width, height) in pixels or a ratio such as '4:3'; found {crop!r}.")


def upright_box(crop: Crop, width: int, height: int) -> Box:
    """Return the box that a crop cuts out of an upright picture of this size.

    Raises:
        MediaError: The box reaches past the picture.
    """
    if crop == WHOLE:
        return 0, 0, width, height
    if isinstance(crop, str):
        return _centred(crop, width, height)
    x, y, wide, high = crop
    if x + wide > width or y + high > height:
        raise MediaError(
            f"A view shows {wide}x{high} pixels from ({x}, {y}) on, but the picture is {width}x{height}; "
            f"choose a crop inside it."
        )
    return x, y, wide, high


def coded_box(box: Box, width: int, height: int, quarter_turns: int) -> Box:
    """Return where a box of the upright picture lies in the picture as coded.

    Args:
        box: In the upright picture.
        width: Of the coded picture.
        height: Of the coded picture.
        quarter_turns: Counterclockwise, from coded to upright, 0 to 3.
    """
    x, y, wide, high = box
    if quarter_turns == 1:
        return width - y - high, x, high, wide
    if quarter_turns == 2:
        return width - x - wide, height - y - high, wide, high
    if quarter_turns == 3:
        return y, height - x - wide, high, wide
    return box


def _centred(ratio: str, width: int, height: int) -> Box:
    across, down = map(int, ratio.split(":"))
    wide, high = min(width, height * across // down), min(height, width * down // across)
    return (width - wide) // 2, (height - high) // 2, wide, high
