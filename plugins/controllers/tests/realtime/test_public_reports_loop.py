"""Reports of other people about their real-time loops, as tests of what protects ours from the same."""

import ctypes
import threading
import time

import numpy as np
import pytest

from handloom_controllers.realtime import LoopSettings, RealTimeLoop

from .point_robot import PointRobot, SpringLaw, chunk_of

pytestmark = pytest.mark.real_time

PERIOD = 1_000_000


def test_a_cycle_that_takes_too_long_is_told_to_the_robot_and_not_made_up_for(make_loop, robot):
    """A long or blocked cycle ends in communication_constraints_violation.

    Reports: frankarobotics/libfranka#163, #174, #123. The robot hears how many periods passed, so that it can hold
    the command before or stop by itself; the cycles after a blocked one come at their own slots.
    """
    robot.fields.slow[:], robot.fields.slow_ns = (30, 31), 25_000_000
    loop = make_loop(telemetry_room=5000)
    loop.start()
    time.sleep(0.15)
    loop.close()
    records = loop.telemetry()
    assert records["missed"].max() >= 23
    assert records["compute_ns"].max() >= 25_000_000
    after = np.diff(records["stamp_ns"])[int(np.argmax(records["missed"])) :]
    assert (after >= PERIOD).all(), "cycles were made up for in a burst"
    assert robot.fields.periods == loop.status().cycles + loop.status().missed


def test_a_lost_packet_makes_no_step_in_the_reference(parts):
    """A packet that drops makes a period longer than 1 ms; assuming 1 ms makes a discontinuity.

    Report: pantor/frankx#22. Time is measured, so the reference is where it would have been without the loss.
    """
    ways = []
    for lost in (False, True):
        robot, law = PointRobot(parts), SpringLaw(parts)
        if lost:
            robot.fields.jump[:], robot.fields.jump_ns = (150, 151), 4 * PERIOD
        with RealTimeLoop(robot, law, LoopSettings()) as loop:
            loop.push(chunk_of(np.arange(1, 6) * 0.1, np.arange(1, 6) * 0.02))
            loop.run(400)
        ways.append({int(row[0]): row[2:8] for row in law.references})
    whole, gapped = ways
    shared = sorted(whole.keys() & gapped.keys())
    assert len(shared) > 390
    assert len(whole.keys() - gapped.keys()) == 4
    assert all(np.array_equal(whole[stamp], gapped[stamp]) for stamp in shared)


def test_python_that_holds_its_lock_does_not_hold_up_the_loop(make_loop):
    """A tick that Python's lock stalls, taken for 1 ms, is a leap for the arm.

    Report: redEddie/gello_software#7. The loop runs without Python: a call that keeps the lock for 200 ms, which
    stops every Python thread, stops no cycle.
    """
    loop = make_loop(telemetry_room=5000)
    loop.start()
    time.sleep(0.02)
    before = loop.status().cycles
    ctypes.PyDLL(None).usleep(200_000)
    cycles = loop.status().cycles - before
    status = loop.status()
    # On a busy machine some slots are lost to other programs, but a loop held up by the lock would have had none.
    assert cycles > 50
    assert cycles + status.missed >= 150


@pytest.mark.parametrize("step", [0.0, 1e-300, 1e-15, 1e-9])
def test_a_motion_of_next_to_nothing_ends_no_loop(make_loop, robot, law, step):
    """A small velocity as an action kills the process.

    Report: UT-Austin-RPL/deoxys_control#47. Waypoints that hardly differ, or not at all, are a motion like others.
    """
    loop = make_loop(hold_s=1.0)
    for turn in range(5):
        times = turn * 0.1 + np.arange(1, 5) * 0.05
        loop.push(chunk_of(times, step * np.arange(1, 5), observed_s=turn * 0.1))
        loop.run(100)
    status = loop.status()
    assert (status.phase, status.stop) in {("following", "none"), ("holding", "none")}
    assert status.chunks_taken == 5
    assert np.isfinite(law.references).all() or np.isnan(law.references[:, 8]).all()
    assert np.isfinite(law.references[:, :8]).all()
    assert abs(robot.fields.q[0]) < 1e-6


def test_python_threads_run_while_a_call_of_the_loop_blocks(robot, law):
    """cppyy keeps Python's lock in every call; released, first calls from many threads race, and callbacks hang.

    Reports: wlav/cppyy#62, #240, #242, #274. Calls that block give the lock up, everything is compiled before
    there are threads, and nothing ever calls back into Python: one thread waits while others use the same loop.
    """
    robot.fields.slow[:], robot.fields.slow_ns = (0, 40), 5_000_000
    counted, stop = [0], threading.Event()

    with RealTimeLoop(robot, law, LoopSettings(chunk_room=100)) as loop:

        def use():
            while not stop.is_set():
                loop.status()
                loop.telemetry()
                loop.push(chunk_of([5.0], [0.01], observed_s=counted[0] * 1e-6))
                loop.alive()
                counted[0] += 1
                time.sleep(0.001)

        users = [threading.Thread(target=use) for _ in range(4)]
        for user in users:
            user.start()
        started = time.monotonic()
        loop.run(40)
        blocked_s = time.monotonic() - started
        stop.set()
        for user in users:
            user.join()
        assert blocked_s >= 0.2
        assert counted[0] > 20, "no other thread ran while the call blocked"
        assert loop.status().stop == "none"
