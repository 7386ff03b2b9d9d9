"""A forked child has the memory of a loop, but neither its thread nor its robot: it leaves both alone."""

import os
import sys
import time

import pytest

from handloom_controllers.realtime import LoopSettings, RealTimeLoop, RemoteRobot

from .point_robot import LIMITS, THRESHOLDS, SpringLaw
from .test_remote_robot import HERE, SLOW, SLOW_HZ

pytestmark = pytest.mark.real_time

PATIENCE_S = 20.0


def ended(pid):
    """Return the exit code of a child; None where it hangs, and then it is killed."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return None


def forked(work):
    """Do something in a forked child and return how it ended."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return ended(pid)


@pytest.mark.parametrize("let_go", ["close", "destroy"])
def test_a_forked_child_neither_waits_for_the_loop_nor_stops_it(make_loop, let_go):
    loop = make_loop()
    loop.start()
    began = time.monotonic()
    assert forked(loop.close if let_go == "close" else loop._destroy) == 0
    assert time.monotonic() - began < 4.0, "the child has waited for a thread that it does not have"
    assert loop.status().phase == "holding"


def test_a_forked_child_that_closes_a_remote_robot_does_not_stop_the_arm(parts, tmp_path, monkeypatch):
    monkeypatch.setenv("HANDLOOM_RT_BACKEND", "ctypes")
    arm = [sys.executable, str(HERE / "arm_process.py"), parts._name, str(tmp_path / "report"), "paced", SLOW]
    robot = RemoteRobot(arm, limits=LIMITS, collision_thresholds=THRESHOLDS, rate_hz=SLOW_HZ, patience_s=5.0)
    with robot, RealTimeLoop(robot, SpringLaw(parts), LoopSettings(rate_hz=SLOW_HZ)) as loop:
        loop.start()

        def let_go():
            loop.close()
            robot.close()

        assert forked(let_go) == 0
        cycles = loop.status().cycles
        time.sleep(0.2)
        status = loop.status()
        assert (status.phase, status.stop, status.reflexes) == ("holding", "none", ())
        assert status.cycles > cycles
