"""What is handed to a C function: each argument checked against its parameter and turned into an address."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from handloom.errors import HandloomError
from handloom_controllers.native.signatures import SCALARS, Parameter
from handloom_controllers.native.structs import STRUCTS

_CHARACTERS = "char"


class Slot(NamedTuple):
    """One argument, ready for the call.

    Attributes:
        address: Of the buffer, for a pointer; of where the number is kept, for a number.
        kept: What must live as long as the call may happen.
    """

    address: int
    kept: Any


def slot(function: str, parameter: Parameter, argument: Any) -> Slot:
    """Check one argument and make it ready.

    Raises:
        HandloomError: It is not what the parameter takes.
    """
    place = f"{function}({parameter.name})"
    if not parameter.pointer:
        return _number(place, parameter, argument)
    if isinstance(argument, np.ndarray):
        return _buffer(place, parameter, argument)
    if argument is None:
        return Slot(0, None)
    if isinstance(argument, bytes) and parameter.base == _CHARACTERS and parameter.const:
        text = np.frombuffer(argument + b"\0", dtype=np.uint8)
        return Slot(_address(text), text)
    try:
        return Slot(operator.index(argument), None)
    except TypeError:
        raise HandloomError(
            f"{place} takes {_wanted(parameter)}, the address of one, or None; it was given {argument!r}."
        ) from None


def _number(place: str, parameter: Parameter, argument: Any) -> Slot:
    dtype = np.dtype(SCALARS[parameter.base])
    if isinstance(argument, np.ndarray):
        # A number in an array of no dimension is read anew at each call.
        if argument.shape == () and argument.dtype == dtype:
            return Slot(_address(argument), argument)
        raise HandloomError(
            f"{place} takes a number, or an array of shape () and dtype {dtype}; "
            f"it was given one of shape {argument.shape} and dtype {argument.dtype}."
        )
    try:
        kept = np.array(float(argument) if dtype.kind == "f" else operator.index(argument), dtype=dtype)
    except (TypeError, ValueError, OverflowError):
        raise HandloomError(
            f"{place} takes a number of C's {parameter.base}; it was given {argument!r}."
        ) from None
    return Slot(_address(kept), kept)


def _buffer(place: str, parameter: Parameter, array: np.ndarray[Any, Any]) -> Slot:
    wanted = STRUCTS.get(parameter.base, SCALARS.get(parameter.base))
    if not array.flags.c_contiguous:
        raise HandloomError(f"{place}: an array of shape {array.shape} is not C-contiguous; copy it first.")
    if wanted is not None and array.dtype != wanted:
        raise HandloomError(f"{place} takes {_wanted(parameter)}; it was given an array of dtype {array.dtype}.")
    if not (parameter.const or array.flags.writeable):
        raise HandloomError(f"{place} is written to; it was given an array that is read-only.")
    return Slot(_address(array), array)


def _wanted(parameter: Parameter) -> str:
    if parameter.base in STRUCTS:
        return f"structs of new('{parameter.base}')"
    if parameter.base in SCALARS:
        return f"an array of dtype {np.dtype(SCALARS[parameter.base])}"
    return f"a {parameter.base}"


def _address(array: np.ndarray[Any, Any]) -> int:
    # Several times as fast as array.ctypes.data.
    address: int = array.__array_interface__["data"][0]
    return address
