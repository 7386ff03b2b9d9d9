"""The page on adding a robot: its driver compiles without a warning, and its robot keeps the contract."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from handloom.api import RobotCommand
from handloom.errors import HandloomError
from handloom_controllers.native import include_dir

PAGE = Path(__file__).parents[3] / "docs" / "robots.md"
FILES = ("lab_arm.c", "lab_arm_limits.toml", "lab_arm.py", "test_lab_arm.py")


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Return a folder with the page's files, compiled."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler is here")
    folder = tmp_path_factory.mktemp("lab")
    text = PAGE.read_text(encoding="utf-8")
    for file in FILES:
        found = re.search(rf"^`{re.escape(file)}`:\n\n```\w+\n(.*?)^```$", text, re.M | re.S)
        assert found, f"{PAGE} shows no {file}"
        (folder / file).write_text(found[1])
    strict = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC"]
    command = [compiler, *strict, "lab_arm.c", "-o", "liblab_arm.so", "-lm", "-I", str(include_dir())]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def arm(lab, monkeypatch):
    monkeypatch.syspath_prepend(str(lab))
    monkeypatch.delitem(sys.modules, "lab_arm", raising=False)
    import lab_arm

    with lab_arm.LabArm() as robot:
        yield robot


def test_the_pages_robot_keeps_the_contract(lab):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(lab), *sys.path])}
    # Two processes more would look at what importing and making it does; other tests know that of its base.
    most = ["-k", "not test_listing_imports_no_heavy_library and not test_making_one_opens_nothing"]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-W",
        "error",
        *most,
        "test_lab_arm.py",
    ]
    done = subprocess.run(command, cwd=lab, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout


def test_an_answer_that_is_no_success_is_said(arm):
    with pytest.raises(HandloomError, match="`write` of its table answered -4; expected HL_OK, 0"):
        arm.write(RobotCommand(q=np.zeros(2)))


def test_a_state_tells_what_was_applied_and_who_carries_the_weight(arm):
    arm.write(RobotCommand(tau=np.array([0.5, -0.25])))
    state = arm.read()
    assert state.tau_applied.tolist() == [0.5, -0.25]
    assert state.compensates_gravity


def test_a_reflex_has_its_name(arm):
    arm.write(RobotCommand(tau=np.array([30.0, 0.0])))
    assert arm.read().reflexes == ("tau_j_range_violation",)


def test_a_table_of_another_version_is_refused(arm, monkeypatch):
    import ctypes

    ctypes.c_uint32.from_address(arm.native().address).value = 2
    other = type(arm)()
    monkeypatch.setattr(other, "connect", lambda: arm.native())
    monkeypatch.setattr(other, "disconnect", lambda: None)
    with pytest.raises(HandloomError, match="its table says abi 2 and 40 bytes; expected 1 and 40"):
        other.open()
    with pytest.raises(HandloomError, match="is not open"):
        other.read()
