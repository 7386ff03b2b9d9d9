"""Calls a C library through ctypes: needs no compiler when it runs."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from handloom_controllers.native.arguments import Slot
from handloom_controllers.native.errors import NativeLibraryError
from handloom_controllers.native.signatures import Signature

_NUMBERS: Mapping[str, Any] = {
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
    "double": ctypes.c_double,
    "address": ctypes.c_size_t,
}


_ELF_64 = b"\x7fELF\x02\x01"
_ELF_HEAD = struct.Struct("<40xQ10xHH2x")
"""Where the table of sections begins, the size of an entry, and how many there are."""


class CtypesBackend:
    """A library loaded by ctypes.

    Args:
        path: The library file.
        blocking: Functions that may block; Python's lock is given up while they run, and held in all others.
    """

    name = "ctypes"

    def __init__(self, path: Path, blocking: Collection[str]) -> None:
        self._path = path
        self._blocking = blocking
        self._locked = open_library(path, ctypes.PyDLL)
        self._unlocked = open_library(path, ctypes.CDLL)
        self._functions: dict[str, tuple[Any, list[Any]]] = {}

    def bind(self, signature: Signature, slots: list[Slot]) -> Callable[[], int]:
        """Return a call whose arguments are fixed."""
        if signature.name not in self._functions:
            self._functions[signature.name] = self._prepare(signature)
        function, types = self._functions[signature.name]
        # A number stays where it is kept, and ctypes reads it there at each call.
        call = partial(
            function,
            *(
                slot.address if type_ is None else type_.from_address(slot.address)
                for type_, slot in zip(types, slots, strict=True)
            ),
        )
        call.__dict__["kept"] = slots
        return call

    def _prepare(self, signature: Signature) -> tuple[Any, list[Any]]:
        """Return a function that knows its types, and the type of each number it takes, None for a pointer."""
        library = self._unlocked if signature.name in self._blocking else self._locked
        function = find(library, self._path, signature.name)
        types = [None if parameter.pointer else _NUMBERS[parameter.base] for parameter in signature.parameters]
        function.argtypes = [type_ or ctypes.c_void_p for type_ in types]
        function.restype = _nothing if signature.result == "void" else _NUMBERS[signature.result]
        return function, types


def open_library(path: Path, way: Callable[[str], ctypes.CDLL] = ctypes.CDLL) -> ctypes.CDLL:
    """Load a library file.

    Raises:
        NativeLibraryError: It can't be loaded, or is cut short.
    """
    try:
        _check_whole(path)
        return way(str(path))
    except OSError as error:
        raise NativeLibraryError(f"The compiled library {path} can't be loaded: {error}.") from error


def _check_whole(path: Path) -> None:
    """Refuse a file that was cut short, as by a full disk: the system's loader dies of one.

    Source: System V ABI, ELF-64 object file format: the table of sections ends a file that a linker wrote.
    """
    with path.open("rb") as file:
        head = file.read(_ELF_HEAD.size)
    if len(head) < _ELF_HEAD.size or not head.startswith(_ELF_64):
        return  # what is no ELF at all, the loader says in words of its own
    start, size, count = _ELF_HEAD.unpack(head)
    if start + size * count > path.stat().st_size:
        raise NativeLibraryError(f"The compiled library {path} is cut short. Install it again.")


def find(library: ctypes.CDLL, path: Path, name: str) -> Any:
    """Return a function of a loaded library.

    Raises:
        NativeLibraryError: The library does not have it.
    """
    try:
        return getattr(library, name)
    except AttributeError:
        raise NativeLibraryError(
            f"{path} has no function {name}, which its header declares; it is of another build. Install it again."
        ) from None


def _nothing(_: int) -> int:
    return 0
