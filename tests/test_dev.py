"""`dev.py` installs when something changed and only then, and says what is wrong in sentences."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import dev


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "a path with spaces"
    (root / "core" / "src").mkdir(parents=True)
    (root / "core" / "pyproject.toml").write_text("[project]\n")
    monkeypatch.setattr(dev, "ROOT", root)
    return root


@pytest.fixture
def installs(tree: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    calls: list[list[str]] = []

    def pip(venv: Path, words: list[str], variables: Mapping[str, str]) -> None:
        calls.append([*words, *variables])
        dev.python_of(venv).touch()

    monkeypatch.setattr(
        dev, "make_venv", lambda venv, python, version: dev.python_of(venv).parent.mkdir(parents=True)
    )
    monkeypatch.setattr(dev, "pip_install", pip)
    return calls


def test_a_second_call_installs_nothing(tree: Path, installs: list[list[str]]) -> None:
    first = dev.ready("demo", tree / ".venv")
    assert dev.ready("demo", tree / ".venv") == first
    assert len(installs) == 1


def test_the_demo_runs_in_what_the_tests_installed(tree: Path, installs: list[list[str]]) -> None:
    dev.ready("test", tree / ".venv")
    dev.ready("demo", tree / ".venv")
    assert len(installs) == 1


def test_the_tests_need_more_than_the_demo(tree: Path, installs: list[list[str]]) -> None:
    dev.ready("demo", tree / ".venv")
    dev.ready("test", tree / ".venv")
    assert len(installs) == 2


@pytest.mark.parametrize(
    ("file", "asks_for_an_install"),
    [
        ("core/pyproject.toml", True),
        ("plugins/controllers/CMakeLists.txt", True),
        ("plugins/controllers/src/loop.cpp", True),
        ("plugins/controllers/include/loop.hpp", True),
        ("plugins/controllers/backend/handloom_build.py", True),
        ("tests/requirements.txt", True),
        ("core/src/handloom/errors.py", False),
        ("plugins/controllers/build/made.h", False),
        ("core/.cache/made.h", False),
        ("README.md", False),
    ],
)
def test_only_what_is_built_asks_for_an_install(
    tree: Path, installs: list[list[str]], file: str, asks_for_an_install: bool
) -> None:
    dev.ready("test", tree / ".venv")
    (tree / file).parent.mkdir(parents=True, exist_ok=True)
    (tree / file).write_text("changed\n")
    dev.ready("test", tree / ".venv")
    assert (len(installs) == 2) is asks_for_an_install


def test_an_install_that_fails_is_done_again(
    tree: Path, installs: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    works: Callable[[Path, list[str], Mapping[str, str]], None] = dev.pip_install

    def fails(venv: Path, words: list[str], variables: Mapping[str, str]) -> None:
        raise KeyboardInterrupt

    dev.ready("demo", tree / ".venv")
    (tree / "core" / "pyproject.toml").write_text("changed\n")
    monkeypatch.setattr(dev, "pip_install", fails)
    with pytest.raises(KeyboardInterrupt):
        dev.ready("demo", tree / ".venv")
    (tree / "core" / "pyproject.toml").write_text("[project]\n")
    monkeypatch.setattr(dev, "pip_install", works)
    monkeypatch.setattr(dev, "make_venv", lambda venv, python, version: None)
    dev.ready("demo", tree / ".venv")
    assert len(installs) == 2


def test_a_failure_of_pip_is_a_sentence_with_its_last_words(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def pip(
        command: list[str], variables: object, stdout: object, stderr: int
    ) -> subprocess.CompletedProcess[str]:
        stdout.write("WARNING: odd\nERROR: no such package\n")  # type: ignore[attr-defined]
        return subprocess.CompletedProcess(command, 1)

    (tree / ".venv").mkdir()
    monkeypatch.setattr(dev, "run", pip)
    with pytest.raises(SystemExit, match=r"pip could not install \(exit code 1\)"):
        dev.pip_install(tree / ".venv", ["nothing"], {})
    assert "ERROR: no such package" in capsys.readouterr().err


@pytest.fixture
def compiler(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that says why there is no compiler, "" for one that is there."""
    monkeypatch.delenv(dev.PURE, raising=False)
    backend = tree / dev.BUILD_BACKEND
    backend.parent.mkdir(parents=True)

    def set_(why_not: str) -> None:
        monkeypatch.setattr(dev.runpy, "run_path", lambda path: {"why_no_compiler": lambda: why_not})

    return set_


def test_without_a_compiler_the_tests_run_on_python_alone_and_it_is_said(
    tree: Path,
    installs: list[list[str]],
    compiler: Callable[[str], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    compiler("there is none")
    assert dev.tested_set() == "pure"
    assert "it needs a C++ compiler, and there is none. To have it, `apt install g++`" in capsys.readouterr().err
    dev.ready("pure", tree / ".venv")
    assert installs[0][-1] == dev.PURE
    compiler("")
    assert dev.tested_set() == "test"
    assert capsys.readouterr().err.count("g++") == 0


def test_a_compiler_that_has_come_asks_for_an_install_and_one_that_has_gone_for_none(
    tree: Path, installs: list[list[str]]
) -> None:
    dev.ready("pure", tree / ".venv")
    dev.ready("test", tree / ".venv")
    assert len(installs) == 2
    dev.ready("pure", tree / ".venv")
    dev.ready("demo", tree / ".venv")
    assert len(installs) == 2


def test_a_library_that_was_swept_away_asks_for_an_install(
    tree: Path, installs: list[list[str]], compiler: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev.sys, "platform", "linux")
    library = tree / dev.LIBRARY
    library.parent.mkdir(parents=True)
    (tree / dev.BUILD_BACKEND).touch()
    library.touch()
    dev.ready("test", tree / ".venv")
    dev.ready("test", tree / ".venv")
    assert len(installs) == 1
    library.unlink()
    dev.ready("demo", tree / ".venv")
    assert len(installs) == 1
    dev.ready("test", tree / ".venv")
    assert len(installs) == 2


def test_python_alone_may_be_asked_for(compiler: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    compiler("")
    monkeypatch.setenv(dev.PURE, "1")
    assert dev.tested_set() == "pure"


def test_a_stranger_with_something_to_compile_is_left_out_without_a_compiler(tree: Path) -> None:
    for name, file in {"python_only": "a.py", "compiled": "law.c"}.items():
        folder = tree / "examples" / name / "src"
        folder.mkdir(parents=True)
        (folder.parent / "pyproject.toml").write_text("[project]\n")
        (folder / file).write_text("\n")
    assert {"./examples/python_only", "./examples/compiled"} <= set(dev.requirements("test", tree))
    pure = set(dev.requirements("pure", tree))
    assert "./examples/python_only" in pure
    assert "./examples/compiled" not in pure


@pytest.mark.parametrize(
    ("libc", "takes"),
    [
        (("glibc", "2.36"), True),
        (("glibc", "2.34"), True),
        (("glibc", "2.31"), False),
        (("glibc", "3"), True),
        (("", ""), False),
    ],
)
def test_the_franka_wheel_is_asked_for_only_where_it_can_be_loaded(
    monkeypatch: pytest.MonkeyPatch, libc: tuple[str, str], takes: bool
) -> None:
    monkeypatch.setattr("platform.libc_ver", lambda: libc)
    asked = [place for place in dev.requirements("test", dev.ROOT) if place.startswith("./plugins/controllers[")]
    assert len(asked) == 1
    assert ("franka" in asked[0]) == takes


def test_the_demo_needs_no_compiler(tree: Path) -> None:
    assert not [place for place in dev.requirements("demo", dev.ROOT) if "controllers" in place]
    assert not [place for place in dev.DEMO if "controllers" in place]


@pytest.mark.parametrize(
    ("there", "films"), [(None, True), (".partial-scene", True), ("scene_2026-07-29_20-30-04_3a6b", False)]
)
def test_the_demo_films_where_it_says_and_only_while_no_scene_is_whole(
    tree: Path, monkeypatch: pytest.MonkeyPatch, there: str | None, films: bool
) -> None:
    calls: list[list[str]] = []
    monkeypatch.setattr(dev, "call", lambda words: calls.append([str(word) for word in words]) or 0)
    monkeypatch.setattr(dev, "made_files", lambda folder: "")
    if there:
        (tree / "demo" / "recordings" / there).mkdir(parents=True)
    assert dev.lab_demo(tree / "python") == 0
    assert [words[3:] for words in calls if "simulate" in words] == films * [
        ["simulate", "demo", "demo/recordings", "--calibration"]
    ]


def fake_python(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_a_shim_that_does_not_run_is_passed_over(tmp_path: Path) -> None:
    fake_python(tmp_path / "shims" / "python3.12", "echo 'command not found' >&2; exit 127")
    good = fake_python(tmp_path / ".pyenv/versions/3.12.1/bin/python3.12", "echo 3.12.1")
    assert dev.find_python312({"PATH": str(tmp_path / "shims")}, tmp_path) == good


def test_no_python312_is_found_where_none_runs(tmp_path: Path) -> None:
    fake_python(tmp_path / "python3.12", "exit 1")
    assert dev.find_python312({"PATH": str(tmp_path)}, tmp_path) is None


def test_a_named_python312_that_is_another_version_is_refused(tmp_path: Path) -> None:
    other = fake_python(tmp_path / "python", "echo 3.13.0")
    with pytest.raises(SystemExit, match="HANDLOOM_PYTHON312"):
        dev.find_python312({"HANDLOOM_PYTHON312": str(other)}, tmp_path)


def test_a_python_without_ensurepip_gets_a_sentence(tree: Path) -> None:
    bare = fake_python(tree / "python3", "echo 'No module named ensurepip' >&2; exit 1")
    with pytest.raises(SystemExit, match="python3-venv"):
        dev.ready("demo", tree / ".venv", bare)


def test_the_worst_exit_code_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert dev.worst({"ruff check": 1, "mypy --strict": 0, "tests": 2}) == 2
    assert "Failed: ruff check, tests." in capsys.readouterr().err
    assert dev.worst({"ruff check": 0, "tests": 0}) == 0
    assert capsys.readouterr().err == ""


def test_every_distribution_of_the_families_is_installed_for_the_tests() -> None:
    wanted = {place.split("[")[0] for place in dev.EVERYTHING}
    assert wanted == {
        "./core",
        *(f"./plugins/{path.parent.name}" for path in dev.ROOT.glob("plugins/*/pyproject.toml")),
    }
