"""What a consumer wants to see of a frame, made by the decoder so that nobody copies a full-size picture."""

from __future__ import annotations

from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

Format = Literal["rgb", "gray", "luma"]


@attrs.frozen(kw_only=True)
class View:
    """One rendition of a frame.

    Attributes:
        format: "rgb" is (height, width, 3) uint8; "gray" is (height, width) uint8, full range, scaled;
            "luma" is the full-size full-range 8-bit luma plane, without a copy where the file allows it.
        width: Width in pixels, of the upright picture; 0 keeps the source's. "luma" is always full size.
        height: Height in pixels; 0 keeps the source's.
    """

    format: Format
    width: int = 0
    height: int = 0


class Views:
    """The pictures of one frame, by the names the consumer gave them; read-only and valid inside the call only.

    A picture is reached as an attribute or as an item: `views.luma`, `views["luma"]`.
    """

    __slots__ = ("_pictures",)

    def __init__(self, pictures: dict[str, npt.NDArray[np.uint8]]) -> None:
        self._pictures = pictures

    def __getitem__(self, name: str) -> npt.NDArray[np.uint8]:
        return self._pictures[name]

    def __getattr__(self, name: str) -> npt.NDArray[np.uint8]:
        try:
            return self._pictures[name]
        except KeyError:
            raise AttributeError(
                f"This frame has no view '{name}'; asked for: {', '.join(self._pictures)}."
            ) from None
