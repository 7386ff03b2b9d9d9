"""Tests of the loop for Python robots and laws: it does what the compiled loop does, and says what it is not."""

import time

import numpy as np
import pytest

from handloom.api import RobotCommand
from handloom.errors import HandloomError
from handloom_controllers.realtime import LoopSettings, PythonLoop, RealTimeLoop

from .point_robot import PointRobot, SpringLaw, chunk_of

pytestmark = pytest.mark.real_time


@pytest.fixture
def make_python_loop(robot, law):
    """Return what opens a PythonLoop on the robot and the law, closed after the test."""
    opened = []

    def make(**settings):
        opened.append(PythonLoop(robot, law, LoopSettings(**{"telemetry_every": 1, **settings})).__enter__())
        return opened[-1]

    yield make
    for loop in opened:
        loop.close()


def test_it_says_that_it_is_not_real_time(make_python_loop):
    loop = make_python_loop()
    loop.run(3)
    assert not loop.real_time
    assert not loop.status().real_time
    assert "not real-time" in loop.status().scheduling


def test_it_goes_through_the_same_phases_as_the_compiled_loop(parts):
    ways = []
    for kind in (RealTimeLoop, PythonLoop):
        settings = LoopSettings(telemetry_every=1, hold_s=0.2)
        with kind(PointRobot(parts), SpringLaw(parts), settings) as loop:
            loop.push(chunk_of([0.1, 0.2, 0.3], [0.01, 0.02, 0.02]))
            loop.run(700)
            faults = [(fault.kind, fault.stamp) for fault in loop.faults()]
            ways.append((loop.telemetry(), faults, loop.status()))
    (compiled, faults, status), (python, same_faults, same_status) = ways
    assert faults == same_faults
    assert (status.phase, status.stop, status.cycles) == (same_status.phase, same_status.stop, same_status.cycles)
    for name in ("stamp_ns", "phase", "faults", "missed", "chunks", "joints"):
        assert np.array_equal(compiled[name], python[name]), name
    assert np.allclose(compiled["q"], python["q"], atol=1e-9)


@pytest.mark.parametrize(("knob", "stop"), [("error_at", "law"), ("nan_at", "not_finite")])
def test_a_law_that_fails_never_reaches_the_robot(make_python_loop, robot, law, knob, stop):
    setattr(law.fields, knob, 50)
    loop = make_python_loop()
    loop.run(100)
    assert (loop.status().phase, loop.status().stop) == ("damped", stop)
    assert robot.fields.damped == 50
    (fault,) = loop.faults()
    assert fault.kind == "not_finite"
    assert ("had enough" in fault.message) == (stop == "law")


@pytest.mark.parametrize("knob", ["read_fails", "write_fails"])
def test_a_robot_that_fails_is_told_to_stop_and_the_loop_ends(make_python_loop, robot, knob):
    loop = make_python_loop()
    getattr(robot.fields, knob)[:] = 20, 2**62
    loop.run(100)
    assert (loop.status().phase, loop.status().stop) == ("ended", "robot")
    assert robot.fields.stops == 1
    assert "The robot failed" in loop.faults()[-1].message


def test_an_emergency_stop_wins_at_once(make_python_loop, robot):
    loop = make_python_loop()
    loop.push(chunk_of(np.arange(1, 6) * 0.1, np.arange(1, 6) * 0.02))
    loop.run(200)
    loop.emergency_stop()
    loop.run(300)
    assert (loop.status().phase, loop.status().stop) == ("damped", "emergency")
    assert robot.fields.damped == 300
    assert max(abs(speed) for speed in robot.fields.dq) < 0.01


def test_a_soft_stop_brakes_along_the_motion(make_python_loop, law):
    loop = make_python_loop()
    loop.push(chunk_of(np.arange(1, 10) * 0.1, np.arange(1, 10) * 0.03))
    loop.run(400)
    loop.stop()
    loop.run(300)
    assert (loop.status().phase, loop.status().stop) == ("stopped", "asked")
    speeds = law.references[395:, 5]
    assert speeds[0] > 0.2, "the reference is not moving, so this test says nothing"
    assert np.abs(np.diff(speeds)).max() <= 9.0 * 1.001e-3
    assert speeds[-1] == 0
    assert (speeds >= 0).all()


def test_a_reflex_a_silent_owner_and_a_refused_chunk_are_told(make_python_loop, robot):
    loop = make_python_loop(owner_s=0.1)
    loop.push(chunk_of([0.1], [np.nan]))
    loop.run(50)
    (refused,) = loop.faults()
    assert refused.kind == "invalid_chunk"
    assert "finite" in refused.message
    status = loop.status()
    assert (status.refusal, status.wrong, status.wrong_row) == (
        "invalid_chunk",
        "a number that is not finite",
        0,
    )
    loop.run(100)
    assert loop.status().stop == "owner"


def test_a_late_chunk_has_no_wrong_row(make_python_loop):
    loop = make_python_loop()
    loop.run(50)
    loop.push(chunk_of([0.01], [0.0]))
    loop.run(1)
    assert (loop.status().refusal, loop.status().wrong, loop.status().wrong_row) == ("late_chunk", "", -1)


def test_a_law_that_gives_up_stops_the_loop_as_one_that_fails(make_python_loop, law, monkeypatch):
    monkeypatch.setattr(law, "step", lambda state, reference: RobotCommand())
    loop = make_python_loop()
    loop.run(3)
    assert (loop.status().phase, loop.status().stop) == ("damped", "law")


def test_paced_it_runs_on_a_thread_of_python(make_python_loop, robot):
    loop = make_python_loop(rate_hz=200.0)
    loop.start()
    end = time.monotonic() + 30.0
    while loop.status().cycles <= 10 and time.monotonic() < end:
        time.sleep(0.01)
    loop.close()
    status = loop.status()
    assert status.phase == "ended"
    assert status.cycles > 10
    stamps = loop.telemetry()["stamp_ns"]
    assert (np.diff(stamps) % 5_000_000 == 0).all()
    with pytest.raises(HandloomError, match="not open"):
        loop.run(1)


def test_the_real_time_loop_names_the_part_without_a_table(parts, law):
    robot = PointRobot(parts, compiled=False)
    loop = RealTimeLoop(robot, law)
    with pytest.raises(HandloomError, match=r"robot PointRobot: .*Use PythonLoop, which is not"):
        loop.__enter__()
