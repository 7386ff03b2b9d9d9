"""The size of a JPEG picture by its own header, and whether the file is whole."""

from __future__ import annotations

import struct

import attrs

_START = b"\xff\xd8"
_END = b"\xff\xd9"
_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD9)})
_NO_SIZE = frozenset({0xC4, 0xC8, 0xCC})
"""Markers between 0xC0 and 0xCF that are no frame header: Huffman tables, JPG, arithmetic coding conditions."""


@attrs.frozen
class Picture:
    """What the bytes say.

    Attributes:
        size: (width, height); (0, 0) when there is no frame header.
        fault: What is wrong with the file, as the end of a sentence; "" when it is whole.
    """

    size: tuple[int, int]
    fault: str = ""


def picture_of(data: bytes) -> Picture:
    """Read a picture's header.

    Source: ITU-T T.81, annex B.

    Args:
        data: A whole JPEG file.
    """
    if not data:
        return Picture((0, 0), "is empty")
    if not data.startswith(_START):
        return Picture((0, 0), "is no JPEG")
    size = _frame_size(data)
    if size == (0, 0):
        return Picture(size, "has no frame header")
    if not data.rstrip(b"\0").endswith(_END):
        return Picture(size, "breaks off")
    return Picture(size)


def _frame_size(data: bytes) -> tuple[int, int]:
    at = len(_START)
    # A walk from segment to segment: each says where the next one begins.
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif marker in _WITHOUT_LENGTH:
            at += 2
        elif 0xC0 <= marker <= 0xCF and marker not in _NO_SIZE:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        else:
            at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return 0, 0
