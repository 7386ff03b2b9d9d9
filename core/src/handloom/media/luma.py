"""What the numbers of a decoded luma plane mean: the whole of 0 to 255, or the studio range 16 to 235."""

from __future__ import annotations

from typing import Any

JPEG_RANGE = 2
"""AVCOL_RANGE_JPEG: luma uses 0 to 255. Source: libavutil/pixfmt.h."""

_EIGHT_BIT = frozenset(
    {"yuvj420p", "yuvj422p", "yuvj444p", "yuv420p", "yuv422p", "yuv444p", "nv12", "nv21", "nv16", "gray"}
)
"""Pixel formats whose first plane is the 8-bit luma and nothing else."""


def has_full_range(frame: Any) -> bool:
    """Say whether a decoded frame's luma uses 0 to 255.

    The frame is asked and not the container: GoPro's header says one thing and the stream inside another.
    """
    return bool(frame.color_range == JPEG_RANGE or frame.format.name.startswith(("yuvj", "gray")))


def has_eight_bit_luma(frame: Any) -> bool:
    """Say whether a decoded frame's first plane is its luma, one byte a pixel."""
    return frame.format.name in _EIGHT_BIT
