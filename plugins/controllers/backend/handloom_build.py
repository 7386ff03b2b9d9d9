"""Builds handloom-controllers: looks for a C++ compiler before anything else, then lets scikit-build-core do it.

Three ways lead from here. A wheel is scikit-build-core's, with the compiled library in it. An editable install is
hatchling's, a path to the source tree; the library is compiled into that tree, where it belongs to the sources
beside it: all environments share it, and it is compiled only when a source has changed. With
HANDLOOM_CONTROLLERS_PURE set, and on systems other than Linux, a wheel is hatchling's too and holds Python alone.
It does not ask for cppyy then, which would have nothing to call, and which pip would have to compile as well.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

PURE = "HANDLOOM_CONTROLLERS_PURE"
COMPILERS = ("c++", "g++", "clang++")
LEAST_CMAKE = (3, 22)
EIGEN = "HANDLOOM_EIGEN"

_PACKAGE = Path("src/handloom_controllers/native")
_SOURCES = runpy.run_path(str(Path(__file__).parents[1] / _PACKAGE / "sources.py"))
_HOW = (
    "install one with `sudo apt install g++` (Debian, Ubuntu), `sudo dnf install gcc-c++` (Fedora) or "
    f"`conda install gxx`, or set {PURE}=1 to have the numpy reference without real time."
)


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return what building a wheel needs, after a look for a compiler: pip downloads nothing before this."""
    return ["hatchling"] if _is_pure() else _native_requirements()


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    """Return what an editable install needs, after a look for a compiler."""
    return ["hatchling"] if _is_pure() or _is_compiled() else ["hatchling", *_native_requirements()]


def get_requires_for_build_sdist(config_settings: Any = None) -> list[str]:
    """Return what a source distribution needs; nothing is compiled for one."""
    return ["hatchling"]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    """Build a wheel, with the compiled library unless asked for none."""
    if _is_pure():
        return _without_cppyy(wheel_directory, _hatchling().build_wheel(wheel_directory, config_settings))
    return _compiled_wheel(wheel_directory, config_settings)


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    """Compile the library into the source tree where it is not up to date, and build a path to that tree."""
    if not (_is_pure() or _is_compiled()):
        with tempfile.TemporaryDirectory() as folder:
            wheel = Path(folder) / _compiled_wheel(folder, config_settings)
            _take_out(wheel, _SOURCES["LIBRARY"])
    made = str(_hatchling().build_editable(wheel_directory, config_settings))
    return _without_cppyy(wheel_directory, made) if _is_pure() else made


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Build a source distribution."""
    return str(_hatchling().build_sdist(sdist_directory, config_settings))


def _native_metadata(metadata_directory: str, config_settings: Any = None) -> str:
    from scikit_build_core import build

    return str(build.prepare_metadata_for_build_wheel(metadata_directory, config_settings))


def _is_pure() -> bool:
    return os.environ.get(PURE, "0") not in {"", "0"} or not sys.platform.startswith("linux")


def _is_compiled() -> bool:
    """Tell whether the library in the source tree was made of the very sources beside it."""
    return bool(_SOURCES["is_made_of"](_PACKAGE / _SOURCES["LIBRARY"], Path()))


def _native_requirements() -> list[str]:
    wrong = why_no_compiler()
    if wrong:
        sys.exit(f"handloom-controllers needs a C++ compiler, and {wrong}: {_HOW}")
    tools = [] if _has_cmake() else [f"cmake>={'.'.join(map(str, LEAST_CMAKE))}"]
    tools += [] if shutil.which("ninja") else ["ninja>=1.10"]
    return ["scikit-build-core>=0.10", "cmeel-eigen>=3.4", *tools]


def why_no_compiler() -> str:
    """Say why no C++ can be compiled here, as a clause; "" where it can."""
    named = os.environ.get("CXX")
    compiler = next(filter(None, map(shutil.which, [named] if named else COMPILERS)), None)
    if compiler is None:
        return f"there is none ({named or f'{COMPILERS[0]}, {COMPILERS[1]} or {COMPILERS[2]}'}) on the PATH"
    tried = subprocess.run(
        [compiler, "-x", "c++", "-std=c++17", "-fsyntax-only", "-"],
        input="#include <cmath>\n",
        capture_output=True,
        text=True,
        check=False,
    )
    said = (tried.stderr.strip().splitlines() or [f"exit code {tried.returncode}"])[0]
    return f"{compiler} compiles nothing ({said})" if tried.returncode else ""


def _has_cmake() -> bool:
    try:
        said = subprocess.run(["cmake", "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return False
    version = re.search(r"version (\d+)\.(\d+)", said)
    return version is not None and (int(version[1]), int(version[2])) >= LEAST_CMAKE


def _compiled_wheel(folder: str, config_settings: Any) -> str:
    from scikit_build_core import build

    places = (Path(entry, "cmeel.prefix") for entry in sys.path)
    found = next((place for place in places if place.is_dir()), None)
    if found is not None:
        os.environ.setdefault(EIGEN, str(found))
    return str(build.build_wheel(folder, config_settings))


def _take_out(wheel: Path, name: str) -> None:
    """Put the library of a wheel into the source tree, at once: a process that uses the old one keeps it."""
    fresh = _PACKAGE / f".{name}.{os.getpid()}"
    with zipfile.ZipFile(wheel) as archive:
        inside = next(entry for entry in archive.namelist() if entry.endswith(f"/{name}"))
        fresh.write_bytes(archive.read(inside))
    fresh.chmod(0o755)
    fresh.replace(_PACKAGE / name)


def _without_cppyy(folder: str, name: str) -> str:
    """Take the need for cppyy out of a wheel's metadata, and note the change in its list of files."""
    wheel = Path(folder) / name
    with zipfile.ZipFile(wheel) as archive:
        files = {info: archive.read(info) for info in archive.infolist()}
    metadata = next(info for info in files if info.filename.endswith(".dist-info/METADATA"))
    record = next(info for info in files if info.filename.endswith(".dist-info/RECORD"))
    kept = [line for line in files[metadata].splitlines(True) if not line.startswith(b"Requires-Dist: cppyy")]
    files[metadata] = b"".join(kept)
    digest = base64.urlsafe_b64encode(hashlib.sha256(files[metadata]).digest()).rstrip(b"=").decode()
    noted = f"{metadata.filename},sha256={digest},{len(files[metadata])}\n".encode()
    lines = files[record].splitlines(True)
    files[record] = b"".join(noted if line.startswith(metadata.filename.encode()) else line for line in lines)
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for info, content in files.items():
            archive.writestr(info, content)
    return name


def _hatchling() -> Any:
    from hatchling import build

    return build


if not _is_pure():
    # Without this hook pip would compile once for the metadata and once more; hatchling's wheels are made at once.
    prepare_metadata_for_build_wheel = _native_metadata
