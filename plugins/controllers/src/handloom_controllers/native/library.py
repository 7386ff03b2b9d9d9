"""A loaded C library: its functions called by name, with numpy buffers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Protocol

import attrs

from handloom.errors import HandloomError, did_you_mean
from handloom_controllers.native.arguments import Slot, slot
from handloom_controllers.native.by_ctypes import CtypesBackend
from handloom_controllers.native.signatures import Signature, read_signatures


class Backend(Protocol):
    """One way to call a loaded library."""

    name: str

    def bind(self, signature: Signature, slots: list[Slot]) -> Callable[[], int]:
        """Return a call whose arguments are fixed, and which keeps them alive."""


@attrs.frozen(eq=False)
class Library:
    """A loaded library.

    Attributes:
        path: The library file.
        why: Which backend it is called by, and why by no better one; a sentence.
        signatures: Its functions, by name.
    """

    path: Path
    why: str
    signatures: Mapping[str, Signature] = attrs.field(repr=False)
    _backend: Backend = attrs.field(repr=False)

    @property
    def backend(self) -> str:
        """Return "cppyy" or "ctypes"."""
        return self._backend.name

    def call(self, name: str, *arguments: Any) -> int:
        """Call a function once; see `bound` for what the arguments may be, and for what is called often."""
        return self.bound(name, *arguments)()

    def bound(self, name: str, *arguments: Any) -> Callable[[], int]:
        """Return a call without arguments whose buffers are fixed, for what is called often.

        The call keeps what it was given alive. How long a buffer must be only the function knows: whoever wraps
        one has to see to it.

        Args:
            name: Name in C.
            arguments: One for each parameter. For a number: a number, or an array of shape () that is read anew at
                each call. For a pointer: a C-contiguous array of the type, structs of `new(...)`, an address (a
                handle that another function returned), None, or bytes for text.

        Returns:
            A callable that answers what C answers: addresses and numbers as int, 0 from a function without answer.

        Raises:
            HandloomError: There is no such function, or an argument is not what it takes.
        """
        signature = self.signatures.get(name)
        if signature is None:
            raise HandloomError(f"{self.path.name} has no function {name}{did_you_mean(name, self.signatures)}")
        if len(arguments) != len(signature.parameters):
            taken = ", ".join(parameter.name for parameter in signature.parameters) or "nothing"
            raise HandloomError(f"{name} takes {taken}; it was given {len(arguments)} arguments.")
        slots = [slot(name, *pair) for pair in zip(signature.parameters, arguments, strict=True)]
        return self._backend.bind(signature, slots)


def open_library(
    path: Path, declared_in: Collection[Path], *, backend: str, why: str, blocking: Collection[str] = ()
) -> Library:
    """Load any library with a plain C interface, such as another distribution's robot or law.

    Args:
        path: The library file.
        declared_in: Its C headers: numbers of fixed size and plain pointers only.
        backend: "cppyy" or "ctypes"; `choose` says which.
        why: A sentence for `Library.why`.
        blocking: Functions that may block, during which other Python threads shall run.

    Raises:
        NativeLibraryError: It can't be loaded.
    """
    signatures = read_signatures(declared_in)
    if backend == "ctypes":
        return Library(path, why, signatures, CtypesBackend(path, blocking))
    from handloom_controllers.native.by_cppyy import load_by_cppyy

    return Library(path, why, signatures, load_by_cppyy(path, declared_in, signatures.values(), blocking))
