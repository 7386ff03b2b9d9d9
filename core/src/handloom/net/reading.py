"""Reading a header from bytes that anybody may have sent: every claim is checked, none is believed."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable
from typing import Any

import attrs

from handloom.errors import WireError
from handloom.net.header import VERSION, ArraySpec, Header
from handloom.net.limits import ITEM_SIZES, Limits
from handloom.net.packing import unpack

_INT64 = range(-(2**63), 2**63)

_SHORT = reprlib.Repr()
_SHORT.maxlevel = 3
_SHORT.maxstring = 60


def read_header(frame: memoryview, limits: Limits) -> Header:
    """Return the header that a frame holds.

    Raises:
        WireError: It is not one, or it announces more than the limits allow.
    """
    if len(frame) > limits.header_bytes:
        raise WireError(f"The header has {len(frame)} bytes; at most {limits.header_bytes} are read.")
    fields = unpack(frame, limits)
    if not isinstance(fields, dict):
        raise WireError(f"The header must be a map; found {type(fields).__name__}.")
    _check_version(fields.get("version"))
    _check_keys(fields)
    return Header(
        version=VERSION,
        kind=_name(fields["kind"], "kind", limits),
        sequence=_integer(fields["sequence"], "sequence"),
        clock=_text(fields["clock"], "clock", limits.name_length),
        stamps=_stamps(fields["stamps"], limits),
        deadline_ns=None if fields["deadline_ns"] is None else _integer(fields["deadline_ns"], "deadline_ns"),
        contract_hash=_text(fields["contract_hash"], "contract_hash", limits.name_length),
        text=_text(fields["text"], "text", limits.text_length),
        arrays=_arrays(fields["arrays"], limits),
    )


def _check_version(version: Any) -> None:
    if type(version) is not int or version != VERSION:
        raise WireError(
            f"The message is of version {_short(version)}; this side speaks {VERSION}. "
            f"Install the same version of handloom on both sides."
        )


def _check_keys(fields: dict[str, Any]) -> None:
    expected = {field.name for field in attrs.fields(Header)}
    if set(fields) != expected:
        missing, unknown = sorted(expected - set(fields)), sorted(set(fields) - expected)
        raise WireError(f"The header lacks {_listed(missing)} and has {_listed(unknown)} that it should not.")


def _arrays(rows: Any, limits: Limits) -> tuple[ArraySpec, ...]:
    if not isinstance(rows, list) or len(rows) > limits.arrays:
        raise WireError(f"The array table must be a list of at most {limits.arrays} rows; found {_short(rows)}.")
    specs = tuple(_array(row, limits) for row in rows)
    names = [spec.name for spec in specs]
    if len(set(names)) != len(names):
        raise WireError(f"Two arrays have one name among {_listed(names)}.")
    total = sum(spec.nbytes for spec in specs)
    if total > limits.total_bytes:
        raise WireError(f"The arrays have {total} bytes together; at most {limits.total_bytes} are taken.")
    return specs


def _array(row: Any, limits: Limits) -> ArraySpec:
    if not isinstance(row, list) or len(row) != 3:
        raise WireError(f"A row of the array table must be [name, dtype, shape]; found {_short(row)}.")
    name = _name(row[0], "name of an array", limits)
    dtype = row[1]
    if not isinstance(dtype, str) or dtype not in limits.dtypes or dtype not in ITEM_SIZES:
        raise WireError(f"Array '{name}' has dtype {_short(dtype)}; only {', '.join(limits.dtypes)} are taken.")
    shape = row[2]
    if not isinstance(shape, list) or len(shape) > limits.dimensions:
        raise WireError(
            f"Array '{name}' must have a shape of at most {limits.dimensions} axes; found {_short(shape)}."
        )
    if not all(type(length) is int and length >= 0 for length in shape):
        raise WireError(f"Array '{name}' must have axes of whole lengths, not negative; found {_short(shape)}.")
    # An axis of length 0 makes any other axis free of cost, and numpy still refuses sizes beyond memory.
    if math.prod(max(length, 1) for length in shape) * ITEM_SIZES[dtype] > limits.total_bytes:
        raise WireError(f"Array '{name}' of shape {_short(shape)} is larger than {limits.total_bytes} bytes.")
    return ArraySpec(name=name, dtype=dtype, shape=tuple(shape))


def _stamps(stamps: Any, limits: Limits) -> dict[str, int]:
    if not isinstance(stamps, dict) or len(stamps) > limits.stamps:
        raise WireError(f"The stamps must be a map of at most {limits.stamps}; found {_short(stamps)}.")
    return {_name(name, "name of a stamp", limits): _integer(ns, f"stamp '{name}'") for name, ns in stamps.items()}


def _name(value: Any, what: str, limits: Limits) -> str:
    name = _text(value, what, limits.name_length)
    if not name or not name.isprintable():
        raise WireError(f"The {what} must be a printable word; found {_short(value)}.")
    return name


def _text(value: Any, what: str, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise WireError(f"The {what} must be a text of at most {longest} characters; found {_short(value)}.")
    return value


def _integer(value: Any, what: str) -> int:
    if type(value) is not int or value not in _INT64:
        raise WireError(f"The {what} must be an integer that fits in int64; found {_short(value)}.")
    return value


def _listed(names: Iterable[str]) -> str:
    return _short(", ".join(names)) if names else "nothing"


def _short(value: Any) -> str:
    """Show a value without repeating a megabyte of somebody's, or following it down a thousand levels."""
    shown = _SHORT.repr(value)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."
