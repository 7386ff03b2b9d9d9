"""A folder that has its name only once all is in it: half a recording is taken for none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from handloom.errors import RecordingError


@contextmanager
def unfinished(final: Path) -> Iterator[Path]:
    """Give a hidden folder beside the final one; it gets its name when the body ends, and goes when that fails.

    What a killed process has left under the hidden name is removed first.

    Raises:
        RecordingError: Something has the name already, or the folder can't be made.
    """
    if final.exists() or final.is_symlink():
        raise RecordingError(f"{final} is there already and is not touched; delete it, or choose another folder.")
    partial = final.with_name(f".partial-{final.name}")
    try:
        if partial.exists():
            shutil.rmtree(partial)
        partial.mkdir(parents=True)
    except OSError as error:
        raise RecordingError(f"{error.filename}: {error.strerror}; nothing was recorded.") from error
    try:
        yield partial
        partial.rename(final)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)  # the error that is under way matters more
        raise
