"""The import rules of pyproject.toml hold here, and a copy of the tree that breaks one of them is caught."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LINT = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"


def lint_imports(tree: Path) -> subprocess.CompletedProcess[str]:
    sources = [tree / "core" / "src", *sorted(tree.glob("plugins/*/src"))]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sources))}
    command = [sys.executable, "-c", LINT, "--no-cache"]
    return subprocess.run(command, cwd=tree, env=variables, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for source in (ROOT / "core" / "src", *sorted(ROOT.glob("plugins/*/src"))):
        ignore = shutil.ignore_patterns("__pycache__", "*.egg-info", "*.so")
        shutil.copytree(source, tmp_path / source.relative_to(ROOT), ignore=ignore)
    return tmp_path


def test_this_tree_keeps_the_rules() -> None:
    report = lint_imports(ROOT)
    assert report.returncode == 0, report.stdout


@pytest.mark.parametrize(
    ("module", "line", "broken"),
    [
        ("core/src/handloom/errors.py", "import handloom.streams", "built in layers"),
        ("core/src/handloom/store/__init__.py", "import handloom.media", "built in layers"),
        ("core/src/handloom/api/steps.py", "def lazily(): import handloom_sensors", "imports no plugin"),
        ("core/src/handloom/media/views.py", "import cv2", "nothing heavy"),
        ("plugins/models/src/handloom_models/__init__.py", "import handloom_sensors", "do not import one another"),
    ],
)
def test_a_forbidden_import_is_named(copy: Path, module: str, line: str, broken: str) -> None:
    with (copy / module).open("a") as source:
        source.write(f"\n{line}\n")
    report = lint_imports(copy)
    assert report.returncode == 1
    assert [row for row in report.stdout.splitlines() if broken in row and "BROKEN" in row]


def test_a_new_part_of_the_core_must_take_its_place_in_the_layers(copy: Path) -> None:
    (copy / "core/src/handloom/stray.py").write_text('"""Belongs to no layer."""\n')
    report = lint_imports(copy)
    assert report.returncode == 1
    assert "stray" in report.stdout
