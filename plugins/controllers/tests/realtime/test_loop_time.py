"""Tests of how the loop keeps time: slots, what is missed, and what it says about both."""

import errno
import os
import time

import numpy as np
import pytest

from handloom.errors import HandloomError
from handloom_controllers.native.structs import FAULTS, names_of
from handloom_controllers.realtime import Durations

pytestmark = pytest.mark.real_time

PERIOD = 1_000_000


def paced(make_loop, seconds, **settings):
    """Run a loop on its own thread for some time and return it, ended."""
    loop = make_loop(telemetry_room=20_000, **settings)
    loop.start()
    time.sleep(seconds)
    loop.close()
    return loop


def test_a_paced_loop_runs_once_a_slot_and_never_catches_up(make_loop, robot):
    robot.fields.slow[:], robot.fields.slow_ns = (50, 55), 5_500_000
    loop = paced(make_loop, 0.3)
    records, status = loop.telemetry(), loop.status()
    steps = np.diff(records["stamp_ns"])
    assert (steps % PERIOD == 0).all(), "a cycle between two slots"
    assert (steps >= PERIOD).all(), "two cycles in one slot"
    assert (steps // PERIOD - 1 == records["missed"][1:]).all(), "what was missed was not told"
    assert status.missed >= 5 * 4, "each of five cycles of 5.5 ms misses four slots at least"
    assert status.cycles == len(records)


def test_a_robot_is_told_of_every_slot_that_passed(make_loop, robot):
    robot.fields.slow[:], robot.fields.slow_ns = (20, 40), 2_500_000
    loop = paced(make_loop, 0.25)
    status = loop.status()
    assert robot.fields.periods == status.cycles + status.missed
    assert robot.fields.stamp_ns == 1_000_000_000 + robot.fields.periods * PERIOD


def test_missed_slots_are_a_fault_with_their_number(make_loop, robot):
    robot.fields.slow[:], robot.fields.slow_ns = (20, 21), 8_500_000
    loop = paced(make_loop, 0.1)
    faults = [fault for fault in loop.faults() if fault.kind == "missed_slots"]
    assert any(int(fault.message.split()[0]) >= 7 for fault in faults)


def test_the_reference_of_a_paced_loop_is_taken_at_its_slot(make_loop, law):
    loop = paced(make_loop, 0.1)
    assert (law.references[:, 0] == loop.telemetry()["stamp_ns"]).all()


def test_a_leap_of_the_robots_stamps_is_missed_time(make_loop, robot):
    robot.fields.jump[:], robot.fields.jump_ns = (30, 31), 3_000_000
    loop = make_loop()
    loop.run(60)
    records = loop.telemetry()
    assert records["missed"].nonzero()[0].tolist() == [30]
    assert records["missed"][30] == 3
    assert loop.status().missed == 3
    assert [fault.kind for fault in loop.faults()] == ["missed_slots"]
    assert robot.fields.periods == 60, "it has gone on by itself; nothing is to be made good"


def test_stamps_that_go_back_do_not_turn_time_back(make_loop, robot, law):
    robot.fields.jump[:], robot.fields.jump_ns = (30, 31), -5_000_000
    make_loop().run(60)
    assert (np.diff(law.references[:, 0]) >= 0).all()


def test_it_says_whether_it_was_scheduled_ahead(make_loop):
    loop = make_loop()
    loop.start()
    said = loop.status().scheduling
    assert "SCHED_FIFO" in said
    assert "memory is" in said
    assert loop.real_time
    assert loop.status().real_time


def test_without_the_privilege_it_runs_and_says_so(make_loop):
    loop = make_loop()
    superuser = os.geteuid() == 0
    if superuser:
        os.seteuid(65534)
    try:
        loop.start()
    finally:
        if superuser:
            os.seteuid(0)
    time.sleep(0.05)
    status = loop.status()
    assert status.cycles > 0
    if "SCHED_FIFO was refused" not in status.scheduling:
        pytest.skip("this user may use SCHED_FIFO without being the superuser")
    assert os.strerror(errno.EPERM) in status.scheduling


def test_the_ordinary_scheduler_can_be_asked_for(make_loop):
    loop = paced(make_loop, 0.05, fifo_priority=0, lock_memory=False)
    assert loop.status().scheduling == (
        "It runs under the ordinary scheduler, as asked; memory is not locked, as asked."
    )


def test_a_core_that_is_not_there_is_refused_by_name(make_loop):
    with pytest.raises(HandloomError, match="cpu"):
        make_loop(cpu=1000).start()


def test_a_loop_runs_once(make_loop):
    loop = make_loop()
    loop.start()
    with pytest.raises(HandloomError, match="ran before"):
        loop.start()
    with pytest.raises(HandloomError, match="own thread"):
        loop.run(1)


def test_a_run_beside_a_run_is_refused(make_loop):
    loop = make_loop()
    loop.run(3)
    with pytest.raises(HandloomError, match="ran before"):
        loop.start()


def test_durations_are_counted_by_size(make_loop, robot):
    robot.fields.slow[:], robot.fields.slow_ns = (10, 20), 3_000_000
    loop = make_loop()
    loop.run(100)
    compute = loop.status().compute
    assert compute.counts.sum() == 100
    assert compute.longest_us >= 3000
    assert 10 <= compute.counts[2 ** (np.arange(64) / 4) > 2400].sum() < 30
    assert compute.percentile_us(50) < 2000
    assert compute.percentile_us(99) >= 3000


def test_a_percentile_is_right_to_a_bin():
    # 90 of 1.0 to 1.19 us, 10 of 64 to 76 us.
    counts = np.zeros(64, dtype=np.int64)
    counts[0], counts[24] = 90, 10
    durations = Durations(counts=counts, longest_us=70.0)
    assert durations.percentile_us(50) == pytest.approx(2**0.25)
    assert durations.percentile_us(90) == pytest.approx(2**0.25)
    assert durations.percentile_us(91) == 70.0
    assert np.isnan(Durations(counts=counts * 0, longest_us=0.0).percentile_us(50))


def test_a_fault_is_recorded_between_the_records_that_are_kept(make_loop, robot):
    robot.fields.lost[:] = 33, 34
    loop = make_loop(telemetry_every=20)
    loop.run(100)
    records = loop.telemetry()
    cycles = ((records["stamp_ns"] - 1_000_000_000) // PERIOD).tolist()
    assert cycles == [0, 20, 33, 40, 60, 80]
    assert names_of(int(records["faults"][2]), FAULTS) == ("lost_state",)
