"""A plugin's exception turned into a sentence that is kept with the episode."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import attrs

from handloom.errors import HandloomError
from handloom.store import is_disk_full

T = TypeVar("T")


@attrs.frozen
class Failure:
    """Why a step ended without a result.

    Attributes:
        reason: One sentence; behind an unforeseen exception, the place in the plugin's code.
        disk_full: Whether the disk was full, so that nothing else can work either.
    """

    reason: str
    disk_full: bool = False


def portable(reason: str, files: Iterable[Path], scene: Path) -> str:
    """Return a sentence that a store may keep: it names files, and no folder of this machine.

    Args:
        reason: What a person is told now, with whole paths.
        files: The recorded files it may name.
        scene: The scene directory; what lies in it or beside it is named from there.
    """
    for path in sorted(files, key=lambda path: -len(str(path))):
        reason = reason.replace(str(path), path.name)
    for folder in (scene, scene.parent):
        reason = reason.replace(f"{folder}{os.sep}", "")
    return reason


def attempt(call: Callable[[], T]) -> T | Failure:
    """Call; return what it returns, or why it failed."""
    try:
        return call()
    except HandloomError as error:
        return Failure(str(error), is_disk_full(error))
    except Exception as error:  # noqa: BLE001  a plugin may raise anything, and the others must go on
        return _unforeseen(error)


def _unforeseen(error: Exception) -> Failure:
    if is_disk_full(error):
        return Failure(
            f"Disk full: {error}. Free space and run again; earlier results are untouched.", disk_full=True
        )
    place = traceback.extract_tb(error.__traceback__)[-1]
    return Failure(
        f"{type(error).__name__}: {error} ({place.name}, line {place.lineno} of {_module(place.filename)}); "
        f"this is a mistake in the plugin, report it to its authors."
    )


def _module(filename: str) -> str:
    """Name a source file by package and module, without the machine's folders."""
    return "/".join(filename.replace("\\", "/").split("/")[-2:])
