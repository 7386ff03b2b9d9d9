"""A lab that only collects: core and sensors from plain pip, where nothing else is installed, nor a compiler."""

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import attrs
import pytest

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("core", "plugins/sensors")
HEAVY = ("torch", "cppyy", "mujoco", "scipy", "cv2", "foxglove")
LEFT_BY_BUILDS = shutil.ignore_patterns("__pycache__", "build", "dist", "*.egg-info", ".*")
FOREIGN = {"PYTHONPATH", "PYTHONHOME", "PIP_USER", "PIP_TARGET", "PIP_PREFIX"}
MAKE = """
from pathlib import Path
from handloom_sensors.demo_recording import DemoRecording, write_demo_recording
write_demo_recording(Path("recording"), DemoRecording(duration_s=1.2, width=160, height=120))
"""
PIPELINE = """
scene.store = "scene"
[sensors.camera]
kind = "gopro"
[steps.sharpness]
kind = "sharpness"
[episodes.one]
camera = "recording/GX010001.MP4"
"""

pytestmark = pytest.mark.slow


@attrs.frozen
class Environment:
    """An environment with its own Python, and a folder to work in.

    Attributes:
        folder: Where everything lies.
    """

    folder: Path

    @property
    def programs(self) -> Path:
        return self.folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")

    @property
    def variables(self) -> dict[str, str]:
        """Return the environment's variables: no other Python's packages, and no program but its own."""
        kept = {name: value for name, value in os.environ.items() if name not in FOREIGN}
        return {**kept, "PATH": str(self.programs)}

    def run(self, program: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in the folder, with nothing of the environment that runs the tests."""
        return subprocess.run(
            [str(self.programs / program), *words],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
        )

    def pip(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.run("python", "-m", "pip", *words, "--retries", "1", "--timeout", "20", "--quiet")


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("alone")
    venv.create(folder / "venv", with_pip=True)
    environment = Environment(folder)
    reached = environment.pip("download", "--no-deps", "--dest", "reached", "attrs")
    if reached.returncode:
        pytest.skip(f"no package index can be reached; pip says: {reached.stderr.strip().splitlines()[-1]}")
    for part in PARTS:
        shutil.copytree(ROOT / part, folder / part, ignore=LEFT_BY_BUILDS)
    installed = environment.pip("install", *(f"./{part}" for part in PARTS))
    assert installed.returncode == 0, installed.stderr
    return environment


def test_nothing_heavy_comes_along(alone):
    code = "import importlib.util, sys; print(*[name for name in sys.argv[1:] if importlib.util.find_spec(name)])"
    found = alone.run("python", "-c", code, *HEAVY)
    assert (found.stdout.strip(), found.stderr) == ("", "")


def test_the_doctor_finds_nothing_wrong(alone):
    told = alone.run("handloom", "doctor")
    assert (told.returncode, told.stderr) == (0, "")
    assert "All is well." in told.stdout


def test_every_plugin_keeps_the_contract(alone):
    told = alone.run("handloom", "plugins", "--check", "--json")
    assert (told.returncode, told.stderr) == (0, "")
    assert "handloom-sensors" in told.stdout


def test_a_recording_goes_through_a_pipeline(alone):
    made = alone.run("python", "-c", MAKE)
    assert (made.returncode, made.stderr) == (0, "")
    (alone.folder / "pipeline.toml").write_text(PIPELINE)
    ran = alone.run("handloom", "run", "pipeline.toml", "--json")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert json.loads(ran.stdout)["counts"] == {"committed": 2}
    assert alone.run("handloom", "verify", "scene").returncode == 0
