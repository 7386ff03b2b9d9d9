"""An arm in a process of its own comes to rest however its owner leaves, and nothing is left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from handloom.api import RobotCommand
from handloom_simulation.arm.process import in_own_process, make
from handloom_simulation.arm.robots import MujocoFr3
from handloom_simulation.arm.settings import MujocoFr3Config, Noise, wall

pytestmark = pytest.mark.real_time

OWNER = """
import sys
import numpy as np
from pathlib import Path
from handloom.api import RobotCommand
from handloom_simulation.arm.process import in_own_process
from handloom_simulation.arm.robots import MujocoFr3
told = False
for attempt in range(20):
    with in_own_process(MujocoFr3(), report=Path(sys.argv[1])) as robot:
        tau, cycle = np.zeros(7), 0
        state = robot.read()
        while told or not state.reflexes:  # before it moves a machine that stalls is a reason to begin anew
            tau[0] = min(tau[0] + 0.2, 6.0) if cycle < 400 else 0.0
            robot.write(RobotCommand(tau=tau))
            state, cycle = robot.read(), cycle + 1
            if not told and state.dq[0] > 0.15:
                told = True
                print(robot.pid, flush=True)
"""


def wait_for(there, seconds=20.0):
    until = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.02)


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    return state != "Z"


def shared_memory():
    return {path.name for path in Path("/dev/shm").iterdir()} if Path("/dev/shm").exists() else set()


@pytest.fixture
def owner(compiled_loop, tmp_path):
    """Start an owner that moves the arm; give its process, the arm's pid and the report's path."""
    before = shared_memory()
    report = tmp_path / "report.json"
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, str(report)], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            pid = int(process.stdout.readline())
            yield process, pid, report
        finally:
            process.kill()
    wait_for(lambda: not is_running(pid))
    wait_for(lambda: shared_memory() <= before)  # other tests come and go in it, too


def test_when_its_owner_is_killed_the_arm_brakes_and_ends(owner):
    process, pid, report = owner
    process.kill()
    wait_for(lambda: not is_running(pid))
    said = json.loads(report.read_text())
    assert said["at_rest"]
    assert said["speed_rad_per_s"] < 0.02
    assert said["speed_peak_rad_per_s"] > 0.1  # it was moving
    assert "communication_constraints_violation" in said["reflexes"]
    assert said["stopping_s"] < 0.5


def test_when_its_owner_falls_silent_the_arm_brakes_and_waits(owner):
    process, pid, report = owner
    process.send_signal(signal.SIGSTOP)
    time.sleep(0.5)
    assert is_running(pid)
    process.kill()
    wait_for(lambda: not is_running(pid))
    assert "communication_constraints_violation" in json.loads(report.read_text())["reflexes"]


def test_told_to_end_it_brakes_first(owner):
    _, pid, report = owner
    os.kill(pid, signal.SIGTERM)
    wait_for(lambda: not is_running(pid))
    assert json.loads(report.read_text())["at_rest"]


def test_an_owner_that_lets_go_leaves_it_at_rest(compiled_loop, tmp_path):
    report = tmp_path / "report.json"
    with in_own_process(MujocoFr3(), report=report, paced=False) as robot:
        start = robot.read()
        for _ in range(50):
            robot.write(RobotCommand(tau=np.zeros(7)))
            state = robot.read()
        assert np.abs(state.q - start.q).max() < 1e-6
        assert state.stamp > start.stamp
        assert state.reflexes == ()
        pid = robot.pid
    assert not is_running(pid)
    assert json.loads(report.read_text())["at_rest"]


def test_settings_cross_over_whole():
    config = MujocoFr3Config(
        blocks=(wall(point_m=(0.5, 0.0, 0.2), normal=(1, 1, 1)),), noise=Noise(torque_nm=0.1), payload_kg=0.5
    )
    import cattrs

    settings = json.dumps(cattrs.unstructure(config))
    made = make("mujoco_fr3", settings).config
    assert json.dumps(cattrs.unstructure(made)) == settings
    assert made.blocks == config.blocks
