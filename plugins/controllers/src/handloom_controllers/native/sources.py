"""Whether a compiled library was made of the sources that lie here: it holds the hash that CMake took of them.

Only the standard library is imported, because the build reads this file before anything is installed.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

LIBRARY = "libhandloom_rt.so"
SOURCES = ("CMakeLists.txt", "cpp/*.cpp", "cpp/*.hpp", "src/handloom_controllers/native/include/*.h")
"""What the library is made of, below the distribution's folder; CMakeLists.txt has the same list."""

_MARK = b"handloom-sources:"


def sources_digest(root: Path) -> str | None:
    """Return the hash of the sources below a distribution's folder; None where they do not lie there."""
    paths = [path for pattern in SOURCES for path in root.glob(pattern)]
    if not any(path.suffix == ".cpp" for path in paths):
        return None
    lines = sorted(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in paths)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def is_made_of(library: Path, root: Path) -> bool | None:
    """Tell whether a library was compiled from the sources below a folder; None where there are no sources."""
    digest = sources_digest(root)
    if digest is None:
        return None
    return library.is_file() and _MARK + digest.encode() in library.read_bytes()
