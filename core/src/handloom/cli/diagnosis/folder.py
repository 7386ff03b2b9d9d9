"""Whether a folder is a good place for scenes: room, and files that get a second name instead of being copied."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from pathlib import Path

from handloom.cli.diagnosis.levels import Diagnosis, ok, problem, warning

LITTLE_BYTES = 20 * 10**9
"""Below this there is a warning: an hour of GoPro video at 45 Mbit/s takes 20 GB."""

_FICLONE = 0x40049409  # Source: ioctl_ficlone(2)
_NO_ROOM_BYTES = 10**9


def folder(path: Path) -> list[Diagnosis]:
    """Look at the room in a folder, and at what keeping a recording beside itself costs there."""
    if not path.is_dir():
        return [problem("folder", f"{path} is not a folder. Make it, or name another.")]
    return [_room(path, shutil.disk_usage(path).free), _keeping(path)]


def _room(path: Path, free: int) -> Diagnosis:
    found = f"{free / 1e9:.1f} GB are free at {path}"
    if free < _NO_ROOM_BYTES:
        return problem("room", f"{found}; make room before you ingest anything.")
    if free < LITTLE_BYTES:
        return warning("room", f"{found}; that is less than an hour of video.")
    return ok("room", f"{found}.")


def _keeping(path: Path) -> Diagnosis:
    try:
        with tempfile.TemporaryDirectory(prefix=".handloom-doctor-", dir=path) as scratch:
            original = Path(scratch) / "original"
            original.write_bytes(b"handloom" * 512)
            if _clones(original, Path(scratch) / "clone"):
                return ok("keeping", "recordings on the same file system are kept as clones, which take no room.")
            if _links(original, Path(scratch) / "link"):
                return ok(
                    "keeping", "recordings on the same file system are kept as hard links, which take no room."
                )
    except OSError as error:
        return problem("folder", f"Nothing can be written at {path}: {error.strerror or error}.")
    return warning(
        "keeping", f"the file system at {path} knows neither clones nor hard links: recordings are copied."
    )


def _clones(original: Path, clone: Path) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    import fcntl

    with original.open("rb") as old, clone.open("xb") as new:
        try:
            fcntl.ioctl(new.fileno(), _FICLONE, old.fileno())
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise
            return False
    return True


def _links(original: Path, link: Path) -> bool:
    try:
        os.link(original, link)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        return False
    return True
