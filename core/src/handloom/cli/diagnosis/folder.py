"""Whether a folder is a good place for scenes: room, and files that get a second name instead of being copied."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from handloom.cli.diagnosis.levels import Diagnosis, ok, problem, warning

LITTLE_BYTES = 20 * 10**9
"""Below this there is a warning: an hour of GoPro video at 45 Mbit/s takes 20 GB."""

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
    from handloom.store import Disk  # imports numpy, which the other findings do without

    try:
        with tempfile.TemporaryDirectory(prefix=".handloom-doctor-", dir=path) as scratch:
            original = Path(scratch) / "original"
            original.write_bytes(b"handloom" * 512)
            way = Disk().place(original, Path(scratch) / "kept")
    except OSError as error:
        return problem("folder", f"Nothing can be written at {path}: {error.strerror or error}.")
    if way == "copy":
        return warning(
            "keeping", f"{path} knows neither clones nor hard links: recordings are copied, and take room."
        )
    kept = {"clone": "clones", "link": "hard links"}[way]
    return ok("keeping", f"recordings on the same file system are kept as {kept}, which take no room.")
