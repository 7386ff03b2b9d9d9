"""Loads the real-time library by the best backend that runs here, and says which and why."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from handloom.errors import HandloomError
from handloom_controllers.native.errors import NativeLibraryError, NoNativeLibraryError
from handloom_controllers.native.library import Library, open_library
from handloom_controllers.native.location import headers, library_path
from handloom_controllers.native.probe import why_not_cppyy
from handloom_controllers.native.structs import ABI, STRUCTS

BACKEND = "HANDLOOM_RT_BACKEND"
"""Environment variable that chooses the backend, where the caller leaves the choice."""

BACKENDS = ("cppyy", "ctypes")
BLOCKING = frozenset(
    {
        "hl_loop_destroy",
        "hl_loop_join",
        "hl_loop_run",
        "hl_loop_start",
        "hl_robot_read",
        "hl_shared_serve_robot",
        "hl_shared_serve_take",
        "hl_shared_wait",
    }
)
"""Functions of the library that may block, during which other Python threads run."""


def library(backend: str = "auto") -> Library:
    """Load the real-time library, once for each backend.

    Args:
        backend: "cppyy", "ctypes", or "auto": the one that HANDLOOM_RT_BACKEND names, else the best that runs.

    Raises:
        NoNativeLibraryError: There is no library, or not the backend that the caller asks for.
        NativeLibraryError: The library is broken, or not the one that this package goes with.
    """
    return _load(library_path(), *choose(backend))


def choose(backend: str = "auto") -> tuple[str, str]:
    """Return the backend to use, and why that one, as a sentence.

    Raises:
        NoNativeLibraryError: The caller asks for cppyy, which does not run here.
        NativeLibraryError: HANDLOOM_RT_BACKEND does.
    """
    asked, by = (backend, "the caller") if backend != "auto" else (os.environ.get(BACKEND) or "auto", BACKEND)
    if asked not in (*BACKENDS, "auto"):
        raise HandloomError(f"There is no backend '{asked}' ({by} asks for it); there are: cppyy, ctypes, auto.")
    if asked == "ctypes":
        return asked, f"It is called through ctypes, because {by} asks for that."
    wrong = why_not_cppyy()
    if wrong is None:
        return "cppyy", "It is called through cppyy, which runs here."
    if asked == "cppyy":
        refused = NativeLibraryError if by == BACKEND else NoNativeLibraryError
        raise refused(f"{by} asks for the backend cppyy, but {wrong}.")
    return "ctypes", f"It is called through ctypes and not through cppyy, because {wrong}."


@cache
def _load(path: Path, backend: str, why: str) -> Library:
    loaded = open_library(path, headers(), backend=backend, why=why, blocking=BLOCKING)
    _check(loaded)
    return loaded


def _check(loaded: Library) -> None:
    found = loaded.call("hl_abi")
    if found != ABI:
        raise NativeLibraryError(f"{loaded.path} has ABI {found}; this package goes with {ABI}. Install it again.")
    for name, dtype in STRUCTS.items():
        size = loaded.call("hl_size_of", name.encode())
        if size != dtype.itemsize:
            raise NativeLibraryError(
                f"{loaded.path}: {name} has {size} bytes, this package takes it for {dtype.itemsize}. "
                "Install it again."
            )
