"""What the tests of the core share: a lab with plugins of its own, and pipelines made of them."""

import sys
from pathlib import Path

import pytest
from handloom.host import Host
from handloom.plan import load_plan
from handloom.run.serial import SerialExecutor

LAB = Path(__file__).parent / "lab"


@pytest.fixture
def lab(monkeypatch, tmp_path):
    """Return a folder to work in, with the lab's plugins installed for this process and those it starts."""
    monkeypatch.syspath_prepend(str(LAB))
    monkeypatch.setenv("PYTHONPATH", str(LAB), prepend=":")
    monkeypatch.chdir(tmp_path)
    yield Lab(tmp_path)
    sys.modules.pop("lab_parts", None)


class Lab:
    """A folder with a pipeline and recordings."""

    def __init__(self, folder):
        self.folder = folder
        self.scene = folder / "scene"

    def pipeline(self, text, name="pipeline.toml"):
        path = self.folder / name
        path.write_text(f'scene.store = "scene"\n{text}', encoding="utf-8")
        return path

    def ramp(self, name, rows=5, columns=1):
        lines = [" ".join(str(row * (column + 1)) for column in range(columns)) for row in range(rows)]
        path = self.folder / name
        path.write_text("\n".join(lines))
        return path

    def plan(self, text, overrides=()):
        self.host = Host()
        return load_plan(self.pipeline(text), self.host, overrides)

    def run(self, text, overrides=(), *, executor=SerialExecutor, **options):
        from handloom.run import run_plan

        plan = self.plan(text, overrides)
        return run_plan(plan, self.host, executor=executor, **options)
