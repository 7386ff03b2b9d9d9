"""Media files in a scene are named by their content."""

from __future__ import annotations

import re
from pathlib import PurePath

from handloom.store.digests import SourceFile

_DIGITS = 32  # 128 bits: no two recordings of a lab meet by chance


def media_name(file: SourceFile) -> str:
    """Return the name under which a recorded file is kept: the head of its sha256, and its ending."""
    ending = re.sub(r"[^a-z0-9]", "", PurePath(file.name).suffix.lower())[:8]
    return f"{file.sha256[:_DIGITS]}.{ending or 'bin'}"
