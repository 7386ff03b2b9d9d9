"""Makes the asked pictures of a decoded frame: each once, scaled while it is converted, upright, read-only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.media.cropping import Cropper
from handloom.media.crops import WHOLE, Box, Crop, coded_box, upright_box
from handloom.media.luma import JPEG_RANGE, has_eight_bit_luma, has_full_range
from handloom.media.opening import pyav
from handloom.media.views import View, Views

Picture = npt.NDArray[np.uint8]
_Key = tuple[str, int, int, Crop]

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
            self._names.setdefault((view.format, *size, view.crop), []).append((name, view.every))
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
        kind, width, height, crop = key
        if kind == "luma":
            picture = self._luma(key, frame)
        else:
            convert = self._convert if crop == WHOLE else self._cut
            picture = plane_as_array(convert(key, frame, width, height), channels=3 if kind == "rgb" else 1)
        return np.rot90(picture, self._quarter_turns) if self._quarter_turns else picture

    def _luma(self, key: _Key, frame: Any) -> Picture:
        as_it_is = has_eight_bit_luma(frame) and has_full_range(frame)
        plane = plane_as_array(frame if as_it_is else self._convert(key, frame, 0, 0), channels=1)
        x, y, width, height = self._box(key, frame)
        return plane[y : y + height, x : x + width]

    def _box(self, key: _Key, frame: Any) -> Box:
        """Return the part of the coded picture that a view shows."""
        width, height = frame.width, frame.height
        upright = (height, width) if self._quarter_turns % 2 else (width, height)
        return coded_box(upright_box(key[3], *upright), width, height, self._quarter_turns)

    def _cut(self, key: _Key, frame: Any, width: int, height: int) -> Any:
        box = self._box(key, frame)
        if self._quarter_turns % 2:
            width, height = height, width
        cropper = self._scalers.get(key)
        if cropper is None:
            cropper = self._scalers[key] = Cropper(key[0])
        return cropper.cut(frame, box, *_size(box[2], box[3], width, height))

    def _convert(self, key: _Key, frame: Any, width: int, height: int) -> Any:
        scaler = self._scalers.get(key)
        if scaler is None:
            scaler = self._scalers[key] = pyav().video.reformatter.VideoReformatter()
        if self._quarter_turns % 2:
            width, height = height, width
        width, height = _size(frame.width, frame.height, width, height)
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


def _size(own_width: int, own_height: int, width: int, height: int) -> tuple[int, int]:
    """Fill in what is 0: the other side and the picture's aspect ratio decide, or the picture's own size."""
    if not width and not height:
        return own_width, own_height
    ratio = own_width / own_height
    return width or max(1, round(height * ratio)), height or max(1, round(width / ratio))


def plane_as_array(frame: Any, *, channels: int) -> Picture:
    """Return a frame's first plane as a read-only array on the decoder's own memory, without the line padding."""
    plane = frame.planes[0]
    shape = (frame.height, frame.width) if channels == 1 else (frame.height, frame.width, channels)
    strides = (plane.line_size, 1) if channels == 1 else (plane.line_size, channels, 1)
    picture: Picture = np.ndarray(shape, dtype=np.uint8, buffer=plane, strides=strides)
    picture.flags.writeable = False
    return picture
