"""What a message may cost: caps that are checked before anything is allocated for it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import attrs

ITEM_SIZES: Mapping[str, int] = MappingProxyType(
    {
        "bool": 1,
        "uint8": 1,
        "uint16": 2,
        "uint32": 4,
        "uint64": 8,
        "int8": 1,
        "int16": 2,
        "int32": 4,
        "int64": 8,
        "float16": 2,
        "float32": 4,
        "float64": 8,
    }
)
"""Bytes of one element of each dtype that may travel: plain numbers only, no objects, text or structures."""

DTYPES: tuple[str, ...] = tuple(ITEM_SIZES)


@attrs.frozen(kw_only=True)
class Limits:
    """Caps on one message.

    Attributes:
        header_bytes: Length of the header frame.
        arrays: Number of arrays.
        total_bytes: Size of all arrays together; also of any one counted without its axes of length 0.
        dimensions: Number of axes of an array.
        name_length: Characters of a name: of an array, a stamp, a kind or a clock.
        stamps: Number of stamps.
        text_length: Characters of the text.
        dtypes: Allowed names, a part of `DTYPES`.
    """

    header_bytes: int = 256 * 1024
    arrays: int = 64
    total_bytes: int = 64 * 1024 * 1024
    dimensions: int = 8
    name_length: int = 128
    stamps: int = 64
    text_length: int = 64 * 1024
    dtypes: tuple[str, ...] = DTYPES
