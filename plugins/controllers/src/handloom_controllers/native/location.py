"""Where the compiled library and its headers lie."""

from __future__ import annotations

import os
from pathlib import Path

from handloom_controllers.native.errors import NativeLibraryError, NoNativeLibraryError
from handloom_controllers.native.sources import LIBRARY, is_made_of

OVERRIDE = "HANDLOOM_RT_LIBRARY"
"""Environment variable that names another library file to load."""


def include_dir() -> Path:
    """Return the folder with handloom_rt.h, to compile a robot or a law against."""
    return Path(__file__).parent / "include"


def headers() -> tuple[Path, ...]:
    """Return the C headers of the library, the one that the others need first."""
    return tuple(sorted(include_dir().glob("h*.h")))


def library_path() -> Path:
    """Return the library file: the one named in HANDLOOM_RT_LIBRARY, else the one that was installed.

    Raises:
        NoNativeLibraryError: There is none.
        NativeLibraryError: The one that is named is not there.
    """
    named = os.environ.get(OVERRIDE)
    path = Path(named) if named else Path(__file__).parent / LIBRARY
    if path.is_file():
        return path
    if named:
        raise NativeLibraryError(f"{OVERRIDE} names {named}, which is no file; mend or unset it.")
    raise NoNativeLibraryError(
        f"handloom-controllers is here without its compiled library {LIBRARY}: it was installed with "
        "HANDLOOM_CONTROLLERS_PURE, or runs from a folder. Install a C++ compiler (`apt install g++`), and then "
        "handloom-controllers again."
    )


def is_stale(path: Path) -> bool:
    """Tell whether a library was compiled from other sources than those that lie beside this package."""
    return is_made_of(path, Path(__file__).parents[3]) is False
