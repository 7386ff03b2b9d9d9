"""Whether cppyy runs here, found out without importing it: it ends the whole process where it can't."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

COMPILER = "c++"
"""The command that cppyy asks where the C++ headers are."""

_TRIED_FOR_S = 300.0
_CODE = (
    "import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); "
    "import cppyy; cppyy.cppdef('#include <utility>\\nint handloom_probe() { return 7; }'); "
    "raise SystemExit(cppyy.gbl.handloom_probe() != 7)"
)
_HEADERS = Path("/usr/include/c++")


@cache
def why_not_cppyy() -> str | None:
    """Say why cppyy can't be used in this process; None when it can.

    The answer of the child process that tries it is remembered in the user's cache folder, for this Python, this
    cppyy and this compiler; only a good one is, so that what was missing can be installed.
    """
    try:
        version = metadata.version("cppyy")
    except metadata.PackageNotFoundError:
        beyond = "; it is for Python up to 3.12" if sys.version_info >= (3, 13) else ""
        return f"cppyy is not installed{beyond}"
    compiler = shutil.which(COMPILER)
    if compiler is None:
        return f"there is no C++ compiler ({COMPILER}) on the PATH, and cppyy needs its headers: `apt install g++`"
    if not sys.executable:
        return "this Python does not know its own interpreter, so cppyy can't be tried in another process first"
    remembered = _verdicts() / f"cppyy-{_key(version, Path(compiler))}.json"
    if _is_good(remembered):
        return None
    said = _try()
    if said is None:
        _remember(remembered, version)
    return said


def _key(version: str, compiler: Path) -> str:
    """Return a name for all that the verdict hangs on."""
    told = [sys.executable, sys.prefix, sys.version, version, _state(compiler.resolve()), _state(_HEADERS)]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:24]


def _state(path: Path) -> str:
    return f"{path} {path.stat().st_mtime_ns}" if path.exists() else f"{path} absent"


def _verdicts() -> Path:
    named = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(named) if named else Path.home() / ".cache") / "handloom"
    except RuntimeError:  # there is no home; then there is no file either
        return Path(os.devnull)


def _is_good(file: Path) -> bool:
    try:
        return bool(json.loads(file.read_text())["runs"])
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _remember(file: Path, version: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps({"runs": True, "cppyy": version, "python": sys.version.split()[0]}))
        fresh.replace(file)
    except OSError:
        return  # a folder that can't be written costs a second at each start, no more


def _try() -> str | None:
    try:
        ended = subprocess.run(
            [sys.executable, "-c", _CODE], capture_output=True, text=True, check=False, timeout=_TRIED_FOR_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"cppyy could not be tried in a process of its own: {error}"
    if ended.returncode == 0:
        return None
    said = ended.stderr.strip().splitlines()
    return f"cppyy does not run here (exit code {ended.returncode}: {said[-1] if said else 'no word'})"
