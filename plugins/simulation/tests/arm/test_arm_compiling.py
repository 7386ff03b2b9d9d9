"""The compiled part is built once, by whoever comes first, and what is missing is said in a sentence."""

import os
import shutil
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from handloom_simulation.arm import compiling, structs
from handloom_simulation.arm.compiling import ArmBuildError, compiled
from handloom_simulation.arm.library import library

# A compiler that writes its last output argument and counts how often it was called.
FAKE = """#!/bin/sh
if [ "$1" = --version ]; then echo fake 1; exit 0; fi
echo called >> "${0%/*}/calls"
sleep 0.1
while [ "$1" != -o ]; do shift; done
echo library > "$2"
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    compiler = tmp_path / "fake++"
    compiler.write_text(FAKE)
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def test_structs_are_those_that_were_compiled(compiler):
    for name, dtype in structs.STRUCTS.items():
        assert library().hl_arm_size_of(name.encode()) == dtype.itemsize, name


def test_it_is_built_once(fake):
    first = compiled()
    assert first.read_text() == "library\n"
    assert compiled() == first
    assert len((fake / "calls").read_text().split()) == 1


def test_builders_that_meet_leave_one_whole_library_and_nothing_else(fake):
    with ThreadPoolExecutor(4) as several:
        made = set(several.map(lambda _: compiled(), range(4)))
    assert len(made) == 1
    assert [path.name for path in made.pop().parent.iterdir()] == [next(iter({compiled().name}))]


def test_another_source_is_another_library(fake, tmp_path, monkeypatch):
    before = compiled()
    changed = tmp_path / "cpp"
    shutil.copytree(compiling.SOURCES, changed)
    (changed / "noise.hpp").write_text((changed / "noise.hpp").read_text() + "// changed\n")
    monkeypatch.setattr(compiling, "SOURCES", changed)
    assert compiled() != before


def test_without_a_compiler_it_says_what_to_install(fake, monkeypatch):
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", str(fake / "empty"))
    with pytest.raises(ArmBuildError, match="apt install g\\+\\+"):
        compiled()


def test_a_compiler_that_is_named_and_not_there_is_named(fake, monkeypatch):
    monkeypatch.setenv("CXX", "/no/such/compiler")
    with pytest.raises(ArmBuildError, match="CXX names /no/such/compiler, which is not there"):
        compiled()


def test_without_a_compiler_what_was_built_before_is_taken(fake, monkeypatch):
    before = compiled()
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", str(fake / "empty"))
    assert compiled() == before


def test_a_compiler_that_fails_is_quoted(fake):
    (fake / "fake++").write_text('#!/bin/sh\n[ "$1" = --version ] || { echo no such header >&2; exit 3; }\n')
    with pytest.raises(ArmBuildError, match=r"exit code 3.*\n.*no such header|no such header"):
        compiled()
    left = [path for path in (fake / "cache").rglob("*") if path.is_file()]
    assert left == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_cache_that_cant_be_written_is_named(fake):
    (fake / "cache").mkdir()
    (fake / "cache").chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(ArmBuildError, match="XDG_CACHE_HOME"):
        compiled()


def test_simulating_recordings_needs_neither_compiler_nor_controllers():
    code = (
        "import sys; sys.modules['handloom_controllers'] = None\n"
        "import handloom_simulation.simulate, handloom_simulation.simulating\n"
        "from handloom_simulation.arm.robots import MujocoFr3\n"
        "try: MujocoFr3().limits\n"
        "except Exception as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install 'handloom-simulation[arm]'" in done.stdout, done.stderr


def test_the_arm_is_no_part_of_what_listing_imports():
    code = "import sys, handloom_simulation.arm.robots as _; print('mujoco' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_sources_are_beside_the_package():
    assert {path.suffix for path in Path(compiling.SOURCES).iterdir()} == {".cpp", ".hpp", ".h"}
