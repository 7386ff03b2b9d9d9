"""Calls a C library through cppyy: loads it and its headers, and calls each function by a small caller.

A caller takes its arguments from a row of 64-bit words, the function's own address first: a pointer is in its
word, a number is where its word points to. So cppyy itself converts two integers a call, whatever is called.
A library may bring its callers along, as ours does; those that it has not are compiled here, a millisecond each.
"""

from __future__ import annotations

import ctypes
import hashlib
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from handloom_controllers.native.arguments import Slot
from handloom_controllers.native.by_ctypes import find, open_library
from handloom_controllers.native.errors import NativeLibraryError
from handloom_controllers.native.location import include_dir
from handloom_controllers.native.signatures import Parameter, Signature

_COMPILING = threading.Lock()
_CALLER_OF = "hl_caller_of"
"""Function of a library that brings callers along: answers the address of a function's caller, 0 for none."""

_ENTRIES = """
inline int64_t invoke(uint64_t caller, uint64_t words) {
  return reinterpret_cast<int64_t (*)(const uint64_t *)>(caller)(reinterpret_cast<const uint64_t *>(words));
}
inline int64_t invoke_unlocked(uint64_t caller, uint64_t words) { return invoke(caller, words); }
"""
"""Python's lock is held in the first and given up in the second."""


@attrs.frozen(eq=False)
class CppyyBackend:
    """A library loaded by cppyy.

    Attributes:
        path: The library file.
        callers: Addresses of the callers, by function.
        blocking: Functions that may block; Python's lock is given up while they run, and held in all others.
    """

    name = "cppyy"
    path: Path
    callers: Mapping[str, int]
    blocking: Collection[str]
    _library: ctypes.CDLL
    _invoke: Any
    _invoke_unlocked: Any
    _addresses: dict[str, int] = attrs.field(factory=dict)

    def bind(self, signature: Signature, slots: list[Slot]) -> Callable[[], int]:
        """Return a call whose arguments are fixed."""
        name = signature.name
        words = (ctypes.c_uint64 * (1 + len(slots)))(self._address(name), *(slot.address for slot in slots))
        invoke = self._invoke_unlocked if name in self.blocking else self._invoke
        call = partial(invoke, self.callers[name], ctypes.addressof(words))
        call.__dict__["kept"] = (words, slots)
        return call

    def _address(self, name: str) -> int:
        if name not in self._addresses:
            function = find(self._library, self.path, name)
            self._addresses[name] = ctypes.cast(function, ctypes.c_void_p).value or 0
        return self._addresses[name]


def load_by_cppyy(
    path: Path, headers: Iterable[Path], signatures: Collection[Signature], blocking: Collection[str]
) -> CppyyBackend:
    """Load a library and its headers; call this only where the probe has said that cppyy runs.

    Everything that cppyy compiles, it compiles here, so that no thread meets its compiler later.

    Args:
        path: The library file.
        headers: Its C headers, none of which may need a library of templates: that would take seconds.
        signatures: The functions that the headers declare.
        blocking: Names of those that may block.

    Raises:
        NativeLibraryError: The library can't be loaded, or its headers can't be read.
    """
    import cppyy

    library = open_library(path)
    callers = _brought_along(library, signatures)
    missing = [signature for signature in signatures if signature.name not in callers]
    code = callers_code(missing)
    space = f"handloom_{hashlib.sha256(code.encode()).hexdigest()[:16]}"
    try:
        with _COMPILING:
            cppyy.add_include_path(str(include_dir()))
            defined = "" if hasattr(cppyy.gbl, space) else f"namespace {space} {{\n{code}\n}}\n"
            # All at once: cppyy takes its time to begin. cppyy.load_library does the same as the first line.
            included = "".join(f'#include "{header.as_posix()}"\n' for header in headers)
            cppyy.cppdef(f'#pragma cling load("{path.as_posix()}")\n{included}{defined}')
            compiled = getattr(cppyy.gbl, space)
            # One call compiles all callers at once.
            callers |= {signature.name: int(compiled.caller(place)) for place, signature in enumerate(missing)}
    except (RuntimeError, ImportError, SyntaxError) as error:
        raise NativeLibraryError(f"cppyy can't take {path} with its headers: {error}.") from error
    compiled.invoke_unlocked.__release_gil__ = True
    return CppyyBackend(path, callers, blocking, library, compiled.invoke, compiled.invoke_unlocked)


def _brought_along(library: ctypes.CDLL, signatures: Iterable[Signature]) -> dict[str, int]:
    """Return the addresses of the callers that a library has itself, by function."""
    caller_of = getattr(library, _CALLER_OF, None)
    if caller_of is None:
        return {}
    caller_of.argtypes, caller_of.restype = [ctypes.c_char_p], ctypes.c_uint64
    found = {signature.name: int(caller_of(signature.name.encode())) for signature in signatures}
    return {name: address for name, address in found.items() if address}


def callers_code(signatures: Collection[Signature]) -> str:
    """Return C++ that defines the callers, `caller(place)` that tells their addresses, and the two entries."""
    listed = ", ".join(f"(uint64_t)&call_{signature.name}" for signature in signatures) or "0"
    table = f"static const uint64_t all[] = {{{listed}}};"
    told = f"inline uint64_t caller(int64_t place) {{ {table} return all[place]; }}"
    return "\n".join([*map(_caller, signatures), told, _ENTRIES])


def _caller(signature: Signature) -> str:
    # The function's type is the header's own, so that a header which was read wrongly does not compile.
    taken = ", ".join(_argument(place, parameter) for place, parameter in enumerate(signature.parameters, start=1))
    call = f"((decltype(&::{signature.name}))words[0])({taken})"
    body = f"{call}; return 0" if signature.result == "void" else f"return (int64_t){call}"
    return f"inline int64_t call_{signature.name}(const uint64_t *words) {{ {body}; }}"


def _argument(place: int, parameter: Parameter) -> str:
    if parameter.pointer:
        return f"({'const ' if parameter.const else ''}{parameter.base} *)words[{place}]"
    return f"*(const {parameter.base} *)words[{place}]"
