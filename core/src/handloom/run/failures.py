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

_LONGEST = 2000  # characters of a reason that somebody can still read


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
        reason = reason.replace(str(path), path.name or str(path))
    for folder in (scene, scene.parent):
        reason = reason.replace(f"{folder}{os.sep}", "")
    return reason


def attempt(call: Callable[[], T]) -> T | Failure:
    """Call; return what it returns, or why it failed."""
    try:
        return call()
    except HandloomError as error:
        return Failure(_text_of(error), is_disk_full(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  a plugin may raise anything, SystemExit too; the others go on
        return _unforeseen(error)


def full_disk_sentence(error: BaseException) -> str:
    """Return the sentence about a disk without room; what the store says of it stands as it is."""
    if isinstance(error, HandloomError):
        return str(error)
    return f"Disk full: {_text_of(error)}. Free space and run again; earlier results are untouched."


def _unforeseen(error: BaseException) -> Failure:
    if is_disk_full(error):
        return Failure(full_disk_sentence(error), disk_full=True)
    if isinstance(error, OSError) and error.filename:
        return Failure(sentence(error))  # the system's no, not a mistake in the plugin
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{place.name}, line {place.lineno} of {_module(place.filename)}"
    return Failure(
        f"{type(error).__name__}: {_text_of(error)} ({where}); "
        f"this is a mistake in the plugin, report it to its authors."
    )


def sentence(error: Exception) -> str:
    """Return what an error says, of the system's with the file it is about."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename2 or error.filename}: {error.strerror}."
    return _text_of(error)


def _text_of(error: BaseException) -> str:
    """Return what an exception says as one line that can be printed and kept anywhere."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  an exception that can't even say what it is must not end the run
        return "(it can't be told what)"
    line = "".join(c if c.isprintable() else " " if c in "\n\t" else ascii(c)[1:-1] for c in text[:_LONGEST])
    return f"{line}…" if len(text) > _LONGEST else line


def _module(filename: str) -> str:
    """Name a source file by package and module, without the machine's folders."""
    return "/".join(filename.replace("\\", "/").split("/")[-2:])
