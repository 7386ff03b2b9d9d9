"""Build the arm's C++ on first use against the MuJoCo that is installed, and keep it for the next time.

The result is named after MuJoCo's version, a hash of the sources and headers, and the compiler, so that no
stale one is ever loaded. It lies under the user's cache folder (`XDG_CACHE_HOME`); builders that meet there do no
harm.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from handloom.errors import HandloomError

SOURCES = Path(__file__).parent / "cpp"
COMPILERS = ("g++", "c++", "clang++")
# No fast-math: the finite checks must stay.
FLAGS = ("-std=c++17", "-O2", "-fno-math-errno", "-Wall", "-Wextra", "-fPIC", "-shared", "-fvisibility=hidden")

_INSTALL = "install one (Debian, Ubuntu: `apt install g++`; Fedora: `dnf install gcc-c++`), or name it in CXX"


class ArmBuildError(HandloomError):
    """Raised when the simulated arm can't be built here; says what to install."""


def compiled() -> Path:
    """Return the library for this machine, building it where that was not done before (a few seconds).

    Raises:
        ArmBuildError: There is no compiler, it failed, the cache can't be written, or a distribution is missing.
    """
    headers = (*_mujoco_headers(), controllers_headers())
    folder = cache_folder() / f"{_mujoco_version()}-{_digest(headers)}"
    compiler = find_compiler(os.environ)
    if compiler is None:
        # Whatever compiler made it, what was built of the same sources is as good.
        found = next(iter(sorted(folder.glob("*.so"))), None)
        if found:
            return found
        named = os.environ.get("CXX")
        looked_for = (
            f"CXX names {named}, which is not there" if named else f"none of {', '.join(COMPILERS)} is there"
        )
        raise ArmBuildError(
            f"The simulated arm is built on first use, and no C++ compiler was found: {looked_for}; {_INSTALL}."
        )
    library = folder / f"{_compiler_key(compiler)}.so"
    if not library.exists():
        _build(compiler, headers, library)
    return library


def cache_folder() -> Path:
    """Return the folder that built libraries are kept in."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "handloom" / "arm"


def find_compiler(variables: Mapping[str, str]) -> str | None:
    """Return the compiler named in CXX, else the first that is on the PATH; None where there is none."""
    names = (variables["CXX"],) if variables.get("CXX") else COMPILERS
    return next((path for path in map(shutil.which, names) if path), None)


def controllers_headers() -> Path:
    """Return the folder of handloom_rt.h.

    Raises:
        ArmBuildError: handloom-controllers is not installed.
    """
    try:
        from handloom_controllers.native import include_dir
    except ImportError as error:
        raise ArmBuildError(
            f"The simulated arm needs handloom-controllers ({error}); pip install 'handloom-simulation[arm]'."
        ) from error
    return include_dir()


def _mujoco_headers() -> tuple[Path]:
    import mujoco

    return (Path(mujoco.__file__).parent / "include",)


def _mujoco_version() -> str:
    import mujoco

    return str(mujoco.__version__)


def _mujoco_library() -> Path:
    import mujoco

    folder = Path(mujoco.__file__).parent
    found = sorted(folder.glob("libmujoco.so*"))
    if not found:
        raise ArmBuildError(f"No libmujoco.so is in {folder}; the simulated arm runs on Linux with pip's mujoco.")
    return found[0]


def _digest(headers: tuple[Path, ...]) -> str:
    total = hashlib.sha256(" ".join(FLAGS).encode())
    for path in (*sorted(SOURCES.glob("*")), *_contract(headers[-1])):
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()[:16]


def _contract(folder: Path) -> Iterator[Path]:
    """Yield our own headers; MuJoCo's are told apart by its version."""
    yield folder / "handloom_rt.h"


def _compiler_key(compiler: str) -> str:
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False).stdout
    return hashlib.sha256(f"{compiler}\n{said}".encode()).hexdigest()[:12]


def _build(compiler: str, headers: tuple[Path, ...], library: Path) -> None:
    """Compile beside the place and rename, so that whoever looks finds a whole library or none."""
    try:
        library.parent.mkdir(parents=True, exist_ok=True)
        folder = tempfile.mkdtemp(prefix=".building-", dir=library.parent)
    except OSError as error:
        raise ArmBuildError(
            f"The simulated arm can't be kept in {library.parent} ({error.strerror}); make that folder "
            "writable or set XDG_CACHE_HOME to one that is."
        ) from error
    try:
        _compile(compiler, headers, Path(folder) / library.name)
        (Path(folder) / library.name).replace(library)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _compile(compiler: str, headers: tuple[Path, ...], output: Path) -> None:
    mujoco = _mujoco_library()
    sources = [str(path) for path in sorted(SOURCES.glob("*.cpp"))]
    includes = [word for folder in headers for word in ("-I", str(folder))]
    # No rpath: `import mujoco` has loaded that very library already, and the loader finds it by its name.
    link = ["-L", str(mujoco.parent), f"-l:{mujoco.name}"]
    command = [compiler, *FLAGS, *includes, *sources, "-o", str(output), *link]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        words = "\n".join(done.stderr.splitlines()[:20])
        raise ArmBuildError(
            f"{compiler} could not build the simulated arm (exit code {done.returncode}); a compiler for C++17 "
            f"with its headers is needed: {_INSTALL}. It said:\n{words}"
        )
