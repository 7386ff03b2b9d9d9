"""Installing the controllers needs a compiler and says so in one sentence, before pip downloads anything."""

import base64
import hashlib
import runpy
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from handloom_controllers.native.sources import SOURCES, is_made_of, sources_digest

ROOT = Path(__file__).resolve().parents[1]
BACKEND = ROOT / "backend" / "handloom_build.py"
WHEEL = "handloom_controllers-0.1.0"

pytestmark = pytest.mark.skipif(not BACKEND.is_file(), reason="needs the source tree")


@pytest.fixture
def backend(monkeypatch):
    """Return the names of the build backend, as on a machine where nothing was chosen."""
    for name in ("HANDLOOM_CONTROLLERS_PURE", "CXX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(ROOT)
    return runpy.run_path(str(BACKEND))


@pytest.fixture
def nothing_there(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))


def compiler(folder, script):
    file = folder / "c++"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def test_without_a_compiler_there_is_one_sentence_that_says_what_to_install(backend, nothing_there):
    with pytest.raises(SystemExit) as ended:
        backend["get_requires_for_build_wheel"]()
    said = str(ended.value)
    assert "there is none (c++, g++ or clang++) on the PATH" in said
    assert "`sudo apt install g++`" in said
    assert (said.count("\n"), said.count(". ")) == (0, 0)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the library is for Linux")
def test_pip_shows_the_sentence_before_it_downloads_anything(backend, nothing_there, tmp_path):
    install = [sys.executable, "-m", "pip", "install", "--no-index", "--target", str(tmp_path / "to"), str(ROOT)]
    ended = subprocess.run(install, capture_output=True, text=True, check=False)
    told = ended.stdout + ended.stderr
    assert ended.returncode != 0
    assert "handloom-controllers needs a C++ compiler, and there is none" in told
    assert "Collecting" not in told
    assert "Traceback" not in told


def test_a_compiler_without_headers_is_none(backend, nothing_there, tmp_path):
    compiler(tmp_path, "echo 'fatal error: cmath: No such file' >&2; exit 1")
    assert "compiles nothing (fatal error: cmath: No such file)" in backend["why_no_compiler"]()


def test_a_named_compiler_is_the_one_that_counts(backend, nothing_there, tmp_path, monkeypatch):
    compiler(tmp_path, "exit 0")
    assert backend["why_no_compiler"]() == ""
    monkeypatch.setenv("CXX", "special-c++")
    assert "there is none (special-c++)" in backend["why_no_compiler"]()


def test_cmake_and_ninja_come_from_pip_only_where_they_are_missing(backend, nothing_there, tmp_path):
    compiler(tmp_path, "exit 0")
    assert backend["get_requires_for_build_wheel"]() == [
        "scikit-build-core>=0.10",
        "cmeel-eigen>=3.4",
        "cmake>=3.22",
        "ninja>=1.10",
    ]
    for name, script in {"cmake": "echo cmake version 3.25.1", "ninja": "exit 0"}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    assert backend["get_requires_for_build_wheel"]() == ["scikit-build-core>=0.10", "cmeel-eigen>=3.4"]


def test_who_asks_for_python_alone_needs_no_compiler(backend, nothing_there, monkeypatch):
    monkeypatch.setenv("HANDLOOM_CONTROLLERS_PURE", "1")
    assert backend["get_requires_for_build_wheel"]() == ["hatchling"]
    assert backend["get_requires_for_build_editable"]() == ["hatchling"]


def test_a_wheel_of_python_alone_does_not_need_cppyy(backend, tmp_path):
    files = {
        "code.py": b"\n",
        f"{WHEEL}.dist-info/METADATA": b"Name: x\nRequires-Dist: cppyy==3.5.0; x\nRequires-Dist: numpy\n",
        f"{WHEEL}.dist-info/RECORD": b"code.py,sha256=a,1\n%b.dist-info/METADATA,sha256=b,2\n" % WHEEL.encode(),
    }
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    assert backend["_without_cppyy"](str(tmp_path), "a.whl") == "a.whl"
    with zipfile.ZipFile(tmp_path / "a.whl") as archive:
        assert archive.read("code.py") == b"\n"
        assert archive.read(f"{WHEEL}.dist-info/METADATA") == b"Name: x\nRequires-Dist: numpy\n"
        noted = archive.read(f"{WHEEL}.dist-info/RECORD").decode().splitlines()
    assert noted[0] == "code.py,sha256=a,1"
    digest = (
        base64.urlsafe_b64encode(hashlib.sha256(b"Name: x\nRequires-Dist: numpy\n").digest()).decode().rstrip("=")
    )
    assert noted[1] == f"{WHEEL}.dist-info/METADATA,sha256={digest},29"


def test_a_library_knows_the_sources_it_was_made_of(native_once):
    assert is_made_of(native_once.path, ROOT)


def test_a_library_of_other_sources_is_told_from_one_of_these(tmp_path):
    (tmp_path / "cpp").mkdir()
    (tmp_path / "cpp" / "a.cpp").write_text("int a;\n")
    library = tmp_path / "made.so"
    library.write_bytes(b"\0handloom-sources:" + sources_digest(tmp_path).encode() + b"\0")
    assert is_made_of(library, tmp_path) is True
    (tmp_path / "cpp" / "a.cpp").write_text("int b;\n")
    assert is_made_of(library, tmp_path) is False
    assert is_made_of(library, tmp_path / "nowhere") is None


def test_cmake_takes_the_hash_of_the_same_files():
    listed = next(line for line in (ROOT / "CMakeLists.txt").read_text().splitlines() if "GLOB hashed" in line)
    assert tuple(listed.removeprefix("file(GLOB hashed CONFIGURE_DEPENDS ").rstrip(")").split()) == SOURCES
