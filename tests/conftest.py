"""What the whole-system tests share: the command line in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def native_library() -> None:
    """Skip a test that needs the compiled real-time library where it was not built."""
    from handloom_controllers.native import NoNativeLibraryError, library

    try:
        library("ctypes")
    except NoNativeLibraryError as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def handloom() -> Command:
    """Return a function that runs `handloom WORDS` in a process of its own, warnings being errors there too."""

    def run(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-W", "error", "-m", "handloom", *map(str, words)],
            cwd=cwd,
            env={**os.environ, "PYTHONWARNINGS": "error"},
            capture_output=True,
            text=True,
            check=False,
        )

    return run
