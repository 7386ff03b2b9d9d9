"""Tests of the rings between the loop and Python: nothing is lost or doubled below their room, loss is told."""

import threading
import time

import attrs
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handloom.errors import HandloomError
from handloom_controllers.native.structs import FAULTS, names_of
from handloom_controllers.realtime import LoopSettings, RealTimeLoop

from .point_robot import PointRobot, SpringLaw, chunk_of

pytestmark = pytest.mark.real_time

PERIOD = 1_000_000
FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def opened(parts, **changes):
    """Return a loop on parts of its own; hypothesis runs many in one test."""
    return RealTimeLoop(PointRobot(parts), SpringLaw(parts), LoopSettings(**changes))


@FEW
@given(room=st.integers(1, 40), runs=st.lists(st.integers(1, 60), min_size=1, max_size=12), data=st.data())
def test_every_record_comes_out_once_and_in_order_or_is_counted(parts, room, runs, data):
    with opened(parts, telemetry_every=1, telemetry_room=room) as loop:
        got, lost = [], 0
        for cycles in runs:
            loop.run(cycles)
            if data.draw(st.booleans()):
                records = loop.telemetry()
                got += records["stamp_ns"].tolist()
                assert len(records) <= room
        got += loop.telemetry()["stamp_ns"].tolist()
        lost = loop.status().telemetry_lost
        assert got == sorted(set(got)), "a record came twice or out of order"
        assert len(got) + lost == sum(runs)


@FEW
@given(room=st.integers(60, 200), runs=st.lists(st.integers(1, 60), max_size=12))
def test_nothing_is_lost_below_the_room(parts, room, runs):
    with opened(parts, telemetry_every=1, telemetry_room=room) as loop:
        got = []
        for cycles in runs:
            loop.run(cycles)
            got += loop.telemetry()["stamp_ns"].tolist()
        assert got == [1_000_000_000 + PERIOD * cycle for cycle in range(sum(runs))]
        assert loop.status().telemetry_lost == 0


@FEW
@given(room=st.integers(1, 6), bursts=st.lists(st.integers(0, 9), min_size=1, max_size=8))
def test_every_chunk_is_taken_once_or_told_as_dropped(parts, room, bursts):
    with opened(parts, chunk_room=room) as loop:
        loop.run(1)
        pushed = 0
        for turn, burst in enumerate(bursts):
            for _ in range(burst):
                pushed += 1
                loop.push(chunk_of([10.0, 11.0], [0.1, 0.1], observed_s=pushed * 1e-6))
            loop.run(room if turn % 2 else 1)
        loop.run(room)
        status, faults = loop.status(), [fault for fault in loop.faults() if fault.kind == "late_chunk"]
        assert status.chunks_refused == 0
        assert status.chunks_taken + len(faults) == pushed
        assert all("waiting" in fault.message for fault in faults)


def test_what_was_noticed_while_the_ring_was_full_is_told_later(make_loop, robot):
    robot.fields.lost[:] = 20, 22
    loop = make_loop(telemetry_room=10)
    loop.run(30)
    assert loop.status().telemetry_lost == 20
    assert len(loop.telemetry()) == 10
    loop.run(1)
    (record,) = loop.telemetry()
    assert set(names_of(int(record["faults"]), FAULTS)) == {"lost_state", "telemetry_lost"}


def test_asking_for_faults_only_keeps_memory_bounded_and_says_what_went(make_loop):
    loop = make_loop(telemetry_room=50)
    for _ in range(20):
        loop.run(10)
        loop.faults()
    records = loop.telemetry()
    assert len(records) <= 50
    assert len(records) + loop.status().telemetry_lost == 200
    assert (np.diff(records["stamp_ns"]) == PERIOD).all(), "it is the newest that are kept"


def test_a_running_loop_can_be_emptied_without_a_gap(make_loop):
    loop = make_loop(telemetry_room=2000)
    loop.start()
    parts = []
    for _ in range(40):
        time.sleep(0.005)
        parts.append(loop.telemetry())
    records = np.concatenate(parts)
    steps = np.diff(records["stamp_ns"]) // PERIOD
    assert (steps == records["missed"][1:] + 1).all()
    assert loop.status().telemetry_lost == 0


def test_chunks_of_several_threads_all_arrive(make_loop):
    loop = make_loop(chunk_room=400)
    loop.run(1)

    def push(first):
        for turn in range(50):
            loop.push(chunk_of([10.0], [0.1], observed_s=(first + turn) * 1e-6))

    threads = [threading.Thread(target=push, args=(place * 50,)) for place in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    loop.run(300)
    status = loop.status()
    assert status.chunks_taken + status.chunks_refused == 300
    assert status.chunks_taken >= 50, "of one thread at least, each answers a newer observation"


@pytest.mark.parametrize("count", [256, 257])
def test_a_chunk_may_have_as_many_waypoints_as_fit_and_no_more(make_loop, count):
    loop = make_loop()
    loop.run(1)
    loop.push(chunk_of(1.0 + np.arange(count) * 0.01, np.zeros(count)))
    loop.run(5)
    status = loop.status()
    assert (status.chunks_taken, status.chunks_refused) == ((1, 0) if count == 256 else (0, 1))
    if count == 257:
        (fault,) = loop.faults()
        assert fault.kind == "invalid_chunk"
        assert "more waypoints" in fault.message


def test_a_loop_that_was_never_open_says_so(robot, law):
    loop = RealTimeLoop(robot, law, LoopSettings())
    asked = [loop.start, lambda: loop.run(1), loop.status, loop.alive, loop.stop, loop.emergency_stop]
    for ask in (*asked, lambda: loop.push(chunk_of([0.1], [0.0]))):
        with pytest.raises(HandloomError, match="The loop is not open"):
            ask()
    assert len(loop.telemetry()) == 0
    assert loop.faults() == ()
    loop.close()


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("poses", np.full((1, 7), "x"), "poses of the chunk are <U1"),
        ("poses", np.zeros((1, 7), dtype=complex), "poses of the chunk are complex128"),
        ("poses", np.full((1, 7), None), "poses of the chunk are object"),
        ("poses", np.ma.masked_all((1, 7)), "poses of the chunk are a masked array"),
        ("widths_m", np.array(["x"]), "widths of the chunk are <U1"),
        ("observed", 1.5, "answers the observation of 1.5; expected a stamp"),
        ("observed", 2**70, "expected a stamp, int64 ns"),
        ("observed", None, "answers the observation of None"),
    ],
)
def test_a_chunk_that_is_not_of_numbers_is_a_fault_and_no_exception(make_loop, field, value, told):
    loop = make_loop()
    loop.push(attrs.evolve(chunk_of([0.1], [0.0]), **{field: value}))
    [fault] = loop.faults()
    assert fault.kind == "invalid_chunk"
    assert told in fault.message
