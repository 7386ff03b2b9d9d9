"""Turn however a command ends into an exit code, and what went wrong into a sentence on stderr."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from importlib import metadata
from types import TracebackType

from handloom.errors import HandloomError
from handloom.host import discover

FAILED = 1
MISTAKEN = 2
BROKEN = 3
INTERRUPTED = 130
PIPE_CLOSED = 141


def exit_code(command: Callable[[], int]) -> int:
    """Run a command and return its exit code; never raises but for what no program may catch."""
    try:
        code = command()
        sys.stdout.flush()
    except HandloomError as error:
        print(error, file=sys.stderr)
        return MISTAKEN
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        return PIPE_CLOSED
    except SystemExit as end:
        return _of_exit(end)
    except Exception as error:  # noqa: BLE001  the last stop: the reader gets the traceback and an address
        if isinstance(error, OSError) and error.filename:
            print(f"{error.filename}: {error.strerror}.", file=sys.stderr)  # the system's no, not our mistake
            return MISTAKEN
        traceback.print_exception(error)
        print(where_to_report(error), file=sys.stderr)
        return BROKEN
    return code


def where_to_report(error: BaseException) -> str:
    """Say whose mistake it is, judged by the innermost frame that belongs to Handloom or to one of its plugins."""
    owners = {plugin.target.partition(".")[0]: plugin.distribution for plugin in discover()}
    owners["handloom"] = "handloom"
    frames = [owners[package] for package in _packages(error.__traceback__) if package in owners]
    distribution = frames[-1] if frames else "handloom"
    version, address = _known_of(distribution)
    return (
        f"This is a mistake in {distribution} {version}, not in what you asked for. "
        f"Please report it, with the lines above, to {address}."
    )


def _packages(trace: TracebackType | None) -> list[str]:
    names = [str(frame.f_globals.get("__name__", "")) for frame, _ in traceback.walk_tb(trace)]
    return [name.partition(".")[0] for name in names]


def _known_of(distribution: str) -> tuple[str, str]:
    """Return a distribution's version, and where its metadata wants mistakes reported."""
    try:
        known = metadata.metadata(distribution)
    except metadata.PackageNotFoundError:
        return "(not installed)", "its authors"
    for line in known.get_all("Project-URL") or []:
        label, _, address = line.partition(",")
        if label.strip().lower() in {"issues", "bug tracker", "tracker", "bugs"}:
            return known["Version"], address.strip()
    return known["Version"], "its authors"


def _of_exit(end: SystemExit) -> int:
    if end.code is None or isinstance(end.code, int):
        return int(end.code or 0)
    print(end.code, file=sys.stderr)
    return FAILED
