"""msgpack with the doors shut: text keys only, no extensions, no binary, no key twice."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import attrs

from handloom.errors import WireError
from handloom.net.header import Header
from handloom.net.limits import Limits

_BYTES_PER_CHARACTER = 4  # the most that UTF-8 takes


def pack(fields: dict[str, Any]) -> bytes:
    """Return plain values as msgpack.

    Raises:
        WireError: A value has no place in a header, or msgpack is not installed.
    """
    try:
        packed: bytes = _msgpack().packb(fields)
    except (OverflowError, TypeError, ValueError) as error:
        raise WireError(f"The header can't be packed: {error}.") from error
    return packed


def unpack(frame: memoryview, limits: Limits) -> Any:
    """Return the plain values in a frame.

    Raises:
        WireError: The bytes are not msgpack, hold more than a header can, or name a key twice.
    """
    msgpack = _msgpack()
    try:
        return msgpack.unpackb(
            frame,
            raw=False,
            strict_map_key=True,
            object_pairs_hook=_unique,
            max_str_len=_BYTES_PER_CHARACTER * max(limits.text_length, limits.name_length),
            max_bin_len=0,
            max_ext_len=0,
            max_array_len=max(limits.arrays, limits.dimensions, len(attrs.fields(Header))),
            max_map_len=max(limits.stamps, len(attrs.fields(Header))),
        )
    except (ValueError, TypeError, RecursionError, msgpack.UnpackException) as error:
        reason = str(error) or type(error).__name__
        raise WireError(f"The header is not msgpack of the kind that headers are made of: {reason}.") from error


def _unique(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise WireError("The header names a key twice.")
    return fields


def _msgpack() -> Any:
    try:
        return import_module("msgpack")  # an extra, and without types: hence not an import statement
    except ModuleNotFoundError as error:
        raise WireError("The wire needs msgpack: pip install 'handloom[net]'.") from error
