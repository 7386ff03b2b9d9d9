"""Decode the values of items: simple types, fixed point, and structures that a TYPE describes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.errors import RecordingError
from handloom_sensors.gpmf.klv import COMPLEX, DTYPES, NESTED, TEXT_TYPES, Item, malformed

FIXED_POINT = {"q": 2.0**-16, "Q": 2.0**-32}
"""Worth of one unit of the fixed-point types Q15.16 and Q31.32."""

_MOST_FIELDS = 255
_FIELD = re.compile(r"([A-Za-z])(?:\[(\d+)\])?")


def expand_type(letters: str) -> str:
    """Write out the repeats of a TYPE: "f[3]L" becomes "fffL".

    Raises:
        RecordingError: It is not a list of type letters, or names more than 255 fields.
    """
    fields: list[str] = []
    position = 0
    while position < len(letters):
        match = _FIELD.match(letters, position)
        if match is None or match[1] not in DTYPES:
            raise RecordingError(f"GPMF TYPE {letters!r} is not a list of type letters such as 'fL' or 'f[3]L'.")
        count = int((match[2] or "1")[:4])
        if count + len(fields) > _MOST_FIELDS:
            raise RecordingError(f"GPMF TYPE {letters!r} names more than {_MOST_FIELDS} fields.")
        fields += [match[1]] * count
        position = match.end()
    return "".join(fields)


def field_types(item: Item, structure: str = "") -> str:
    """Return the type letter of each field of one sample of an item.

    Args:
        item: An item that is not nested.
        structure: TYPE that was in force, for complex items.

    Raises:
        RecordingError: The item's sample size is not what its type needs, or a complex item has no TYPE.
    """
    if item.type == NESTED:
        raise malformed(item.offset, f"item {item.key} holds items, not values")
    if item.type == COMPLEX:
        return _complex_fields(item, structure)
    width = np.dtype(DTYPES[item.type]).itemsize
    if item.size % width:
        raise malformed(
            item.offset, f"item {item.key} has samples of {item.size} bytes; '{item.type}' needs {width}"
        )
    return item.type * (item.size // width)


def _complex_fields(item: Item, structure: str) -> str:
    if not structure:
        raise malformed(item.offset, f"item {item.key} holds structures but no TYPE item describes them")
    letters = expand_type(structure)
    width = sum(np.dtype(DTYPES[letter]).itemsize for letter in letters)
    if width != item.size:
        raise malformed(
            item.offset, f"item {item.key} has samples of {item.size} bytes but TYPE {structure!r} needs {width}"
        )
    return letters


def columns(item: Item, structure: str = "") -> tuple[npt.NDArray[Any], ...]:
    """Decode the value of an item, one array a field.

    Args:
        item: An item that is not nested.
        structure: TYPE that was in force, for complex items.

    Returns:
        One (repeat,) array a field, in the machine's byte order; fixed-point types as float64, text as bytes.

    Raises:
        RecordingError: The item's size and its type do not agree.
    """
    letters = field_types(item, structure)
    if not letters:
        return ()
    dtype = np.dtype([(f"field{index}", DTYPES[letter]) for index, letter in enumerate(letters)])
    table = np.frombuffer(item.data, dtype)
    return tuple(_native(table[name], letter) for name, letter in zip(dtype.names or (), letters, strict=True))


def _native(column: npt.NDArray[Any], letter: str) -> npt.NDArray[Any]:
    if letter in FIXED_POINT:
        return column.astype(np.float64) * FIXED_POINT[letter]
    if letter in TEXT_TYPES:
        return column.copy()
    return column.astype(column.dtype.newbyteorder("="))


def as_table(fields: Sequence[npt.NDArray[Any]], dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
    """Put columns side by side, (n, fields), in a type that holds them all.

    Unsigned 64 bits beside signed or broken numbers become float64, as numpy has no other type for both.

    Args:
        fields: Columns of one length.
        dtype: The type wanted; None for the smallest that holds them all.
    """
    if not fields:
        return np.empty((0, 0))
    common = np.result_type(*fields) if dtype is None else np.dtype(dtype)
    # Damaged floats may be signalling NaN, which numpy warns of when it widens them; NaN they stay.
    with np.errstate(invalid="ignore"):
        return np.stack([field.astype(common) for field in fields], axis=1)


def numbers(item: Item) -> npt.NDArray[np.float64]:
    """Decode all the numbers of a simple item, (repeat * fields,) float64; empty for text.

    Raises:
        RecordingError: The item's size and its type do not agree.
    """
    if item.type in TEXT_TYPES or item.type == COMPLEX:
        return np.empty(0)
    return as_table(columns(item), np.float64).reshape(-1)


def whole_number(item: Item | None) -> int | None:
    """Return the first number of an item as an int, exact to 64 bits; None where there is none."""
    if item is None or item.type in TEXT_TYPES or item.type in (COMPLEX, NESTED):
        return None
    table = columns(item)
    if not table or not len(table[0]) or not math.isfinite(table[0][0]):
        return None
    return int(table[0][0])
