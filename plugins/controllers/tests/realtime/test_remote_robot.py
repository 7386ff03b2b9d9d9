"""Tests of a robot in another process: the same motion as in this one, and whoever dies, the arm comes to rest."""

import contextlib
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
from handloom.errors import HandloomError
from handloom_controllers.realtime import LoopSettings, RealTimeLoop, RemoteRobot, serve
from handloom_controllers.realtime.states import command_struct

from .point_robot import LIMITS, THRESHOLDS, PointRobot, SpringLaw, chunk_of

pytestmark = pytest.mark.real_time

HERE = Path(__file__).parent

SLOW_HZ = 100.0
"""Where time is real: 20 missed periods are then 0.2 s, which a busy machine does not take away by itself."""

SLOW = "period_ns=10000000"
"""The same for the arm's process."""


@pytest.fixture(autouse=True)
def _quick_children(monkeypatch):
    # Importing cppyy takes seconds, and which backend calls the functions makes no difference here.
    monkeypatch.setenv("HANDLOOM_RT_BACKEND", "ctypes")


@pytest.fixture
def arm(parts, tmp_path):
    """Return the command line of an arm's process by its pace and its knobs, and where it reports."""

    def command(pace="own", *knobs):
        return [sys.executable, str(HERE / "arm_process.py"), parts._name, str(tmp_path / "report"), pace, *knobs]

    command.report = tmp_path / "report"
    return command


def remote(command, **settings):
    return RemoteRobot(command, limits=LIMITS, collision_thresholds=THRESHOLDS, **settings)


def wait_until(holds, timeout_s=10.0):
    """Wait until something holds, and return whether it does."""
    deadline = time.monotonic() + timeout_s
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
    return holds()


def is_running(pid):
    with contextlib.suppress(ProcessLookupError, FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def named_memory():
    """Return what of ours has a name in shared memory; other programs put theirs there as well."""
    return [path.name for path in Path("/dev/shm").glob("*handloom*")]


def test_a_remote_robot_moves_as_one_of_this_process_does(parts, arm):
    ways = []
    for robot in (PointRobot(parts), remote(arm("own"))):
        with robot, RealTimeLoop(robot, SpringLaw(parts), LoopSettings(telemetry_every=1)) as loop:
            loop.push(chunk_of(np.arange(1, 6) * 0.1, np.arange(1, 6) * 0.01))
            loop.run(700)
            ways.append(loop.telemetry())
    for name in ("stamp_ns", "q", "dq", "tau_command", "reference", "phase", "faults"):
        assert np.array_equal(ways[0][name], ways[1][name]), f"{name} differs between the two"


def test_closing_lets_the_arm_come_to_rest_and_leaves_no_process(parts, arm):
    robot = remote(arm("own"))
    with robot, RealTimeLoop(robot, SpringLaw(parts), LoopSettings()) as loop:
        pid = robot.pid
        loop.run(100)
    told = json.loads(arm.report.read_text())
    assert not is_running(pid)
    assert told["reflexes"] == [], "an owner that lets go is no violation"
    assert told["stops"] == 1
    assert named_memory() == []


def test_a_command_that_no_robot_can_follow_is_refused(arm):
    with remote(arm("own")) as robot:
        for command in (RobotCommand(tau=np.zeros(7)), RobotCommand(tau=np.zeros(3), q=np.zeros(3))):
            with pytest.raises(HandloomError, match="The command is refused"):
                robot.write(command)


@pytest.mark.parametrize("tau", [[0.0] * 3, 5.0, np.zeros(3, dtype=complex), np.array(["a"] * 3)])
def test_a_command_that_is_not_of_numbers_is_refused(tau):
    with pytest.raises(
        HandloomError, match=r"The command is refused: its `tau` is .*; expected an array of numbers"
    ):
        command_struct(RobotCommand(tau=tau), 3)


def test_python_reads_what_the_arm_measured(arm):
    with remote(arm("own", "width_m=0.05")) as robot:
        state = robot.read()
        assert state.stamp == 1_000_000_000
        assert state.q.shape == (3,)
        assert state.width_m == 0.05
        assert robot.native() is not None


@pytest.mark.parametrize("how", [(signal.SIGKILL,), (signal.SIGSTOP, signal.SIGKILL)], ids=["killed", "frozen"])
def test_an_owner_that_dies_leaves_the_arm_in_a_damped_stop(parts, arm, how):
    owner = subprocess.Popen(
        [sys.executable, str(HERE / "owner_process.py"), parts._name, *arm("paced", SLOW)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert owner.stdout is not None
        pid, phase = owner.stdout.readline().split()
        assert phase == "following"
        assert is_running(pid)
        for number in how:
            owner.send_signal(number)
            time.sleep(0.4)
        assert wait_until(lambda: not is_running(pid)), "the arm's process was left behind"
    finally:
        owner.kill()
        owner.wait()
        owner.stdout.close()
    told = json.loads(arm.report.read_text())
    assert told["reflexes"] == ["communication_constraints_violation"]
    # Whenever it is left, it moves at 0.3 m/s at least; only damping ends that. A machine that stands still
    # meanwhile lets one damped command stand for many periods, so they are not counted.
    assert told["damped"] > 0
    assert told["speed"] < 0.01
    assert named_memory() == []


def test_an_arm_that_dies_ends_the_loop(parts, arm):
    robot = remote(arm("paced", SLOW), rate_hz=SLOW_HZ, patience_s=5.0)
    with robot, RealTimeLoop(robot, SpringLaw(parts), LoopSettings(rate_hz=SLOW_HZ)) as loop:
        loop.start()
        time.sleep(0.1)
        os.kill(robot.pid, signal.SIGKILL)
        assert wait_until(lambda: loop.status().phase == "ended", 2.0), "its death was not noticed but by patience"
        assert loop.status().stop == "robot"
        assert loop.faults()[-1].kind == "lost_state"
    assert named_memory() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_arm_that_is_told_to_end_comes_to_rest_first_and_says_how(parts, arm, number):
    robot = remote(arm("paced", SLOW), rate_hz=SLOW_HZ, patience_s=5.0)
    with robot, RealTimeLoop(robot, SpringLaw(parts), LoopSettings(rate_hz=SLOW_HZ)) as loop:
        loop.start()
        time.sleep(0.1)
        os.kill(robot.pid, number)
        assert wait_until(lambda: loop.status().phase == "ended", 2.0), "its end was not noticed but by patience"
        assert loop.status().stop == "robot"
    told = json.loads(arm.report.read_text())
    assert told["damped"] > 0
    assert told["speed"] < 0.01
    assert told["stops"] == 1
    assert named_memory() == []


def test_an_arm_that_answers_no_more_ends_the_loop_after_a_while(parts, arm):
    robot = remote(arm("paced", SLOW), rate_hz=SLOW_HZ, patience_s=0.5)
    with robot, RealTimeLoop(robot, SpringLaw(parts), LoopSettings(rate_hz=SLOW_HZ)) as loop:
        loop.start()
        os.kill(robot.pid, signal.SIGSTOP)
        ended = wait_until(lambda: loop.status().phase == "ended")
        os.kill(robot.pid, signal.SIGCONT)
        assert ended
        assert loop.status().stop == "robot"


def test_an_emergency_stop_reaches_the_arm_without_the_loop(parts, arm):
    robot = remote(arm("own"))
    with robot, RealTimeLoop(robot, SpringLaw(parts), LoopSettings()) as loop:
        loop.run(50)
        loop.emergency_stop()
    # There was not one cycle more: what damped the arm is the stop itself.
    told = json.loads(arm.report.read_text())
    assert told["damped"] >= 1
    assert told["speed"] < 0.01
    assert told["reflexes"] == []


def test_a_reflex_of_the_remote_robot_has_its_name_here(parts, arm):
    robot = remote(arm("own", "reflex_at=100"))
    with robot, RealTimeLoop(robot, SpringLaw(parts), LoopSettings()) as loop:
        loop.run(200)
        assert loop.status().reflexes == ("joint_velocity_violation",)
        assert loop.status().phase == "damped"


def test_an_arm_that_never_comes_up_is_told_with_its_code(native_once):
    robot = remote([sys.executable, "-c", "raise SystemExit(7)"])
    with pytest.raises(HandloomError, match="ended with code 7"):
        robot.open()
    robot.close()


def test_an_arm_that_gives_no_sample_is_not_waited_for_without_end(native_once):
    robot = remote([sys.executable, "-c", "import time; time.sleep(60)"], start_s=0.3)
    # It never looks at the line, so it has to be ended.
    with pytest.raises(HandloomError, match=r"no sample within 0\.3 s"):
        robot.open()
    assert robot.pid is None


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"rate_hz": 0}, "`rate_hz` is 0; expected 1 to 10000"),
        ({"rate_hz": float("nan")}, "`rate_hz` is nan"),
        ({"patience_s": -1}, "`patience_s` is -1; expected 0.001 to 3600"),
        ({"patience_s": 1e300}, r"`patience_s` is 1e\+300"),
        ({"start_s": float("nan")}, "`start_s` is nan"),
    ],
)
def test_a_setting_that_no_clock_counts_is_refused(settings, told):
    with pytest.raises(HandloomError, match=told):
        remote(["true"], **settings)


def test_an_arm_needs_a_command_line():
    with pytest.raises(HandloomError, match="needs the command line"):
        remote([])


def test_a_long_command_line_is_not_told_whole(native_once):
    robot = remote([sys.executable, "-c", "raise SystemExit(7)", "x" * 5000])
    with pytest.raises(HandloomError, match="ended with code 7") as told:
        robot.open()
    assert len(str(told.value)) < 400


@pytest.mark.parametrize("line", [None, "", "x", "1e9", "-1", "999999"])
def test_only_a_process_that_was_started_for_it_can_serve(robot, monkeypatch, line):
    monkeypatch.delenv("HANDLOOM_ARM_FD", raising=False)
    if line is not None:
        monkeypatch.setenv("HANDLOOM_ARM_FD", line)
    with pytest.raises(HandloomError, match="no RemoteRobot has started it"):
        serve(robot)
