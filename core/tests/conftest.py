"""What the tests of the core share: a lab with plugins and pipelines, and a site of made-up distributions."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

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


SENSOR = dedent(
    """
    from handloom.api import Outputs, Ports, Sensor, hookimpl

    class Encoder(Sensor):
        summary = "Reads nothing"

        @classmethod
        def ports(cls, config):
            return Ports()

        def read(self, files, progress):
            return Outputs()

    @hookimpl
    def sensor(kind):
        return Encoder
    """
)


class Site:
    """A folder on sys.path with distributions in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sensor = SENSOR

    def install(
        self,
        distribution: str,
        group: str,
        entries: Mapping[str, str],
        modules: Mapping[str, str],
        *,
        version: str = "1.0",
        metadata: str = "",
    ) -> None:
        """Install a distribution with entry points of one group and the modules given as text."""
        info = self.folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        head = f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        (info / "METADATA").write_text(head + metadata)
        lines = "".join(f"{name} = {target}\n" for name, target in entries.items())
        (info / "entry_points.txt").write_text(f"[{group}]\n{lines}")
        for name, text in modules.items():
            (self.folder / f"{name}.py").write_text(text)

    def python(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run Python with the folder on its path."""
        path = os.pathsep.join([str(self.folder), *filter(None, sys.path)])
        return subprocess.run(
            [sys.executable, "-P", *arguments],
            env={**os.environ, "PYTHONPATH": path},
            cwd=cwd or self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def handloom(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run the command line with the folder on Python's path."""
        return self.python("-m", "handloom", *arguments, cwd=cwd)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield Site(folder)
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]
