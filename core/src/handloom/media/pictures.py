"""Makes the asked pictures of a decoded frame: each once, scaled while it is converted, upright, read-only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.media.luma import JPEG_RANGE, has_eight_bit_luma, has_full_range
from handloom.media.opening import pyav
from handloom.media.views import View, Views

Picture = npt.NDArray[np.uint8]
_Key = tuple[str, int, int]

# Averaging over the area each small pixel covers: as sharp as cv2.INTER_AREA, without aliasing, and in swscale
# half the work of its bilinear filter, which reaches twice as far. Source: libswscale/swscale.h, enum SwsFlags.
_BILINEAR = 2
_AREA = 0x20


class PictureMaker:
    """Makes pictures for one set of wanted views; keeps one swscale context for each size and format.

    Two views of the same format and size are one picture, converted once and shared.
    """

    def __init__(self, wanted: Mapping[str, View], *, rotation_deg: int) -> None:
        self._names: dict[_Key, list[tuple[str, int]]] = {}
        self._quarter_turns = -rotation_deg // 90 % 4
        for name, view in wanted.items():
            size = (0, 0) if view.format == "luma" else (view.width, view.height)
            self._names.setdefault((view.format, *size), []).append((name, view.every))
        self._scalers: dict[_Key, Any] = {}

    def make(self, index: int, frame: Any) -> Views:
        """Return the views that are due on a frame.

        Args:
            index: Index of the frame in the video.
            frame: What PyAV decoded.
        """
        pictures: dict[str, Picture] = {}
        for key, names in self._names.items():
            due = [name for name, every in names if index % every == 0]
            if due:
                pictures.update(dict.fromkeys(due, self._picture(key, frame)))
        return Views(pictures)

    def _picture(self, key: _Key, frame: Any) -> Picture:
        kind, width, height = key
        if kind == "luma" and has_eight_bit_luma(frame) and has_full_range(frame):
            picture = plane_as_array(frame, channels=1)
        else:
            picture = plane_as_array(self._convert(key, frame, width, height), channels=3 if kind == "rgb" else 1)
        return np.rot90(picture, self._quarter_turns) if self._quarter_turns else picture

    def _convert(self, key: _Key, frame: Any, width: int, height: int) -> Any:
        scaler = self._scalers.get(key)
        if scaler is None:
            scaler = self._scalers[key] = pyav().video.reformatter.VideoReformatter()
        if self._quarter_turns % 2:
            width, height = height, width
        width, height = _size(frame, width, height)
        scaled = (width, height) != (frame.width, frame.height)
        return scaler.reformat(
            frame,
            width=width,
            height=height,
            format="rgb24" if key[0] == "rgb" else "gray",
            interpolation=_AREA if scaled else _BILINEAR,
            src_color_range=JPEG_RANGE if has_full_range(frame) else None,
            dst_color_range=JPEG_RANGE,
            threads=1,
        )


def _size(frame: Any, width: int, height: int) -> tuple[int, int]:
    """Fill in what is 0: the other side and the frame's aspect ratio decide, or the frame's own size."""
    if not width and not height:
        return frame.width, frame.height
    ratio = frame.width / frame.height
    return width or max(1, round(height * ratio)), height or max(1, round(width / ratio))


def plane_as_array(frame: Any, *, channels: int) -> Picture:
    """Return a frame's first plane as a read-only array on the decoder's own memory, without the line padding."""
    plane = frame.planes[0]
    shape = (frame.height, frame.width) if channels == 1 else (frame.height, frame.width, channels)
    strides = (plane.line_size, 1) if channels == 1 else (plane.line_size, channels, 1)
    picture: Picture = np.ndarray(shape, dtype=np.uint8, buffer=plane, strides=strides)
    picture.flags.writeable = False
    return picture
