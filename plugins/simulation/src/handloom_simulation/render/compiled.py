"""How the renderer's inner loops are compiled; the modules that use this are imported when a frame is asked for.

Numba makes no float32 of a Python number beside a float32, hence the named constants in those modules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, cast

from handloom.errors import PluginError

Function = TypeVar("Function", bound=Callable[..., Any])

Array = Any
"""An array inside compiled code, whose type numba finds out."""

Int = Any
"""A whole number inside compiled code, of whatever size."""

Real = Any
"""A float32 inside compiled code."""

_OPTIONS: Mapping[str, Any] = MappingProxyType(
    {"nogil": True, "error_model": "numpy", "fastmath": {"contract", "nsz", "arcp", "reassoc", "afn"}}
)
"""NaN and infinity keep their meaning; a division by nothing gives infinity, which no test of a hit passes."""


def compiled(function: Function) -> Function:
    """Compile a function at its first call and keep the machine code beside its module.

    Where that folder can't be written numba keeps it in the user's cache folder, or where NUMBA_CACHE_DIR says;
    where there is neither, the code is compiled once per process.

    Raises:
        PluginError: Numba is missing.
    """
    njit = _numba_njit()
    try:
        dispatcher = njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # numba found no folder to cache in
        return cast(Function, njit(**_OPTIONS)(function))
    # Numba asks whether the function's own file has changed; what is compiled into it comes from the files beside.
    kept: Any = getattr(dispatcher._cache, "_cache_file", None)
    if not hasattr(kept, "_source_stamp"):  # another numba: better compiled anew than stale
        return cast(Function, njit(**_OPTIONS)(function))
    kept._source_stamp = _digest_of_sources()
    return cast(Function, dispatcher)


@cache
def _digest_of_sources() -> str:
    digest = sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def inlined(function: Function) -> Function:
    """Compile a function into its callers: handing it their tables would take longer than its work.

    Raises:
        PluginError: Numba is missing.
    """
    return cast(Function, _numba_njit()(forceinline=True, **_OPTIONS)(function))


def _numba_njit() -> Callable[..., Any]:
    try:
        from numba import njit
    except ImportError as error:
        raise PluginError(
            "The lab's renderer is compiled by numba, which is missing; pip install handloom-simulation."
        ) from error
    return cast(Callable[..., Any], njit)
