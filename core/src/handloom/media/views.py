"""What a consumer wants to see of a frame, made by the decoder so that nobody copies a full-size picture."""

from __future__ import annotations

from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from handloom.media.crops import WHOLE, Crop, check_crop

Format = Literal["rgb", "gray", "luma"]


@attrs.frozen(kw_only=True)
class View:
    """One rendition of a frame.

    Attributes:
        format: "rgb" is (height, width, 3) uint8; "gray" is (height, width) uint8, full range, scaled;
            "luma" is the unscaled full-range 8-bit luma plane, without a copy where the file allows it.
        width: Width in pixels, of the upright picture; 0 follows from the height and the picture's aspect ratio.
        height: Height in pixels; 0 follows from the width. Both 0 keep the full size, which "luma" always has.
        crop: The part of the upright picture to show: (x, y, width, height) in its pixels, or "W:H" for the
            largest centred box of that aspect ratio, "1:1" a square; "" shows all of it.
        every: Only frames whose index is a multiple of this have the picture; the others are not converted.
    """

    format: Format
    width: int = 0
    height: int = 0
    crop: Crop = attrs.field(default=WHOLE, validator=check_crop)
    every: int = attrs.field(default=1, validator=attrs.validators.ge(1))


class Views:
    """The pictures of one frame, by the names the consumer gave them; read-only and valid inside the call only.

    A picture is reached as an attribute or as an item: `views.luma`, `views["luma"]`; `"thumb" in views` says
    whether this frame has it.
    """

    __slots__ = ("_pictures",)

    def __init__(self, pictures: dict[str, npt.NDArray[np.uint8]]) -> None:
        self._pictures = pictures

    def __contains__(self, name: str) -> bool:
        return name in self._pictures

    def __getitem__(self, name: str) -> npt.NDArray[np.uint8]:
        try:
            return self._pictures[name]
        except KeyError:
            raise KeyError(self._absent(name)) from None

    def __getattr__(self, name: str) -> npt.NDArray[np.uint8]:
        try:
            return self._pictures[name]
        except KeyError:
            raise AttributeError(self._absent(name)) from None

    def _absent(self, name: str) -> str:
        there = ", ".join(self._pictures) or "none"
        return f"This frame has no view '{name}': never asked for, or not due on this frame; it has: {there}."
