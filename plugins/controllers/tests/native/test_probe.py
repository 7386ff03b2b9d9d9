"""cppyy is tried in another process before it is imported here, and a good verdict is remembered."""

from importlib import metadata

import pytest

from handloom_controllers.native import probe


@pytest.fixture
def interpreter(tmp_path, monkeypatch):
    """Return a function that makes the interpreter of the child a script, and counts its runs."""
    runs = tmp_path / "runs"
    runs.write_text("")

    def make(script):
        file = tmp_path / "python"
        file.write_text(f"#!/bin/sh\necho run >>'{runs}'\n{script}\n")
        file.chmod(0o755)
        monkeypatch.setattr(probe.sys, "executable", str(file))
        return lambda: len(runs.read_text().splitlines())

    return make


@pytest.fixture(autouse=True)
def _a_machine_of_its_own(monkeypatch, tmp_path):
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    (bin_folder / "c++").write_text("#!/bin/sh\n")
    (bin_folder / "c++").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_folder}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(probe.metadata, "version", lambda name: "3.5.0")


def why():
    return probe.why_not_cppyy.__wrapped__()


def test_a_good_verdict_is_remembered(interpreter):
    runs = interpreter("exit 0")
    assert [why(), why()] == [None, None]
    assert runs() == 1


def test_a_process_that_ends_is_a_reason_and_is_tried_again(interpreter):
    runs = interpreter("echo 'no stddef.h' >&2; kill -ABRT $$")
    assert why() == "cppyy does not run here (exit code -6: no stddef.h)"
    assert why() is not None
    assert runs() == 2


def test_a_verdict_does_not_outlive_its_compiler(interpreter, tmp_path):
    runs = interpreter("exit 0")
    why()
    (tmp_path / "bin" / "c++").unlink()
    (tmp_path / "bin" / "c++").write_text("#!/bin/sh\n# another\n")
    (tmp_path / "bin" / "c++").chmod(0o755)
    why()
    assert runs() == 2


def test_without_a_compiler_nothing_is_tried(interpreter, monkeypatch, tmp_path):
    runs = interpreter("exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "no C++ compiler" in why()
    assert runs() == 0


def test_a_folder_that_can_not_be_written_costs_only_time(interpreter, monkeypatch, tmp_path):
    runs = interpreter("exit 0")
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert [why(), why()] == [None, None]
    assert runs() == 2


def test_a_damaged_verdict_is_none(interpreter, tmp_path):
    runs = interpreter("exit 0")
    why()
    for file in (tmp_path / "cache" / "handloom").iterdir():
        file.write_text("{")
    assert why() is None
    assert runs() == 2


def test_a_user_without_a_home_still_gets_a_verdict(interpreter, monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    interpreter("exit 0")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(probe.Path, "home", homeless)
    assert why() is None


def test_cppyy_that_is_not_installed_is_told(interpreter, monkeypatch):
    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(probe.metadata, "version", absent)
    assert why().startswith("cppyy is not installed")
