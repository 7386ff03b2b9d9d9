"""Tests of what the loop goes over to, in simulated time: following, holding, soft and damped stops."""

import gc
import math
import time

import numpy as np
import pytest

from handloom.errors import HandloomError
from handloom_controllers.native.structs import FAULTS, PHASES, names_of
from handloom_controllers.realtime import LoopSettings, PythonLoop, RealTimeLoop, WaySettings

from .point_robot import PointRobot, SpringLaw

pytestmark = pytest.mark.real_time

FIRST, HOLD, STOPPING = 1, 2, 4
NEVER = 2**63 - 1


def phases_in(records):
    """Return the phases in the order in which they came."""
    numbers = records["phase"]
    changes = np.flatnonzero(np.diff(numbers, prepend=-1))
    return [PHASES[number] for number in numbers[changes]]


def kinds(loop):
    """Return the kinds of the faults so far."""
    return [fault.kind for fault in loop.faults()]


def test_it_rests_where_the_arm_was_found_until_a_chunk_comes(make_loop, robot, law):
    robot.fields.q[:] = 0.3, -0.2, 0.1
    loop = make_loop(hold_s=0.1)
    loop.run(500)
    assert phases_in(loop.telemetry()) == ["holding"]
    assert np.allclose(law.references[:, 2:5], [0.3, -0.2, 0.1])
    assert not law.references[:, 5:8].any()
    assert loop.faults() == ()


def test_only_the_first_cycle_says_that_it_is_the_first(make_loop, law):
    make_loop().run(20)
    assert [int(flags) & FIRST for flags in law.references[:, 1]] == [1] + [0] * 19


def test_a_chunk_is_followed_and_the_last_waypoint_held(make_loop, robot, law, chunk):
    loop = make_loop(hold_s=10.0)
    loop.push(chunk([0.1, 0.2, 0.3], [0.01, 0.02, 0.02]))
    loop.run(1000)
    records = loop.telemetry()
    assert phases_in(records) == ["following", "holding"]
    assert records["phase"][250] == PHASES.index("following")
    assert abs(law.references[300, 2] - 0.02) < 1e-9
    assert abs(robot.fields.q[0] - 0.02) < 1e-4
    assert kinds(loop) == ["no_reference"]
    assert loop.status().chunks_taken == 1


def test_the_flags_of_the_reference_say_when_it_rests_and_when_it_brakes(make_loop, law, chunk):
    loop = make_loop(hold_s=0.1)
    loop.push(chunk([0.05, 0.1], [0.01, 0.02]))
    loop.run(60)
    loop.stop()
    loop.run(300)
    flags = law.references[:, 1].astype(int)
    assert not flags[1:60].any()
    assert flags[60] == STOPPING
    assert flags[-1] == HOLD
    assert set(flags[60:]) == {STOPPING, HOLD}


def test_without_a_new_chunk_the_tool_stops_softly_and_stays(make_loop, robot, law, chunk):
    loop = make_loop(hold_s=0.2)
    loop.push(chunk([0.1, 0.2], [0.01, 0.02]))
    loop.run(1000)
    assert (loop.status().phase, loop.status().stop) == ("stopped", "stale")
    assert "stale_stream" in kinds(loop)
    stale = np.flatnonzero(loop_phase(law, STOPPING) | loop_phase(law, HOLD))[0]
    assert 195 <= stale <= 205
    loop.push(chunk([1.1, 1.2], [0.5, 0.6], observed_s=1.0))
    loop.run(500)
    assert loop.status().phase == "stopped"
    assert loop.status().chunks_refused == 1
    assert kinds(loop) == ["late_chunk"]
    assert abs(robot.fields.q[0] - 0.02) < 1e-4


def loop_phase(law, flag):
    return law.references[:, 1].astype(int) & flag != 0


def test_a_stream_of_chunks_never_looks_stale(make_loop, chunk):
    loop = make_loop(hold_s=0.05)
    for turn in range(20):
        now_s = turn * 0.1
        times = now_s + np.arange(1, 5) * 0.05
        loop.push(chunk(times, 0.02 * np.sin(times), observed_s=now_s))
        loop.run(100)
    assert loop.status().stop == "none"
    assert loop.status().chunks_taken == 20
    assert kinds(loop) == []


def test_a_soft_stop_brakes_along_the_motion_and_no_torque_leaps(make_loop, robot, law, chunk):
    loop = make_loop(telemetry_room=10_000)
    loop.push(chunk(np.arange(1, 20) * 0.1, np.arange(1, 20) * 0.03))
    loop.run(800)
    speed = law.references[-1, 5]
    assert speed > 0.2, "the reference is not moving, so this test says nothing"
    loop.stop()
    loop.run(1000)
    assert (loop.status().phase, loop.status().stop) == ("stopped", "asked")
    reference = law.references
    assert np.abs(np.diff(reference[799:, 5])).max() * 1000 < 9.0 * 1.3, "braking is harder than 9 m/s^2"
    assert (np.diff(reference[800:, 2]) > -1e-9).all(), "the tool went back"
    assert reference[-1, 2] - reference[799, 2] < speed**2 / 9.0 + 2e-3
    assert np.abs(np.diff(loop.telemetry()["tau_command"][800:, 0])).max() < 1.0


@pytest.mark.parametrize("when", ["holding", "following", "stopping", "stopped"])
def test_an_emergency_stop_wins_over_everything_at_once(make_loop, robot, law, chunk, when):
    loop = make_loop(hold_s=0.1)
    cycles = {"holding": 10, "following": 150, "stopping": 150, "stopped": 1100}[when]
    if when != "holding":
        loop.push(chunk(np.arange(1, 10) * 0.1, np.arange(1, 10) * 0.02))
    loop.run(cycles)
    if when == "stopping":
        loop.stop()
        loop.run(2)
    assert loop.status().phase == when
    steps = law.fields.steps
    loop.emergency_stop()
    assert robot.fields.stops == 1, "the robot has to hear of it even while the loop's thread waits"
    loop.run(300)
    assert (loop.status().phase, loop.status().stop) == ("damped", "emergency")
    assert robot.fields.damped == 300, "not one more cycle of the law may reach the robot"
    assert law.fields.steps <= steps + 1
    assert max(abs(speed) for speed in robot.fields.dq) < 0.01
    assert "emergency_stop" in kinds(loop)


@pytest.mark.parametrize(
    ("knob", "stop", "kind"),
    [
        ("error_at", "law", "not_finite"),
        ("nan_at", "not_finite", "not_finite"),
        ("damped_at", "law", "not_finite"),
    ],
)
def test_a_law_that_fails_never_reaches_the_robot(make_loop, robot, law, chunk, knob, stop, kind):
    setattr(law.fields, knob, 100)
    loop = make_loop()
    loop.push(chunk(np.arange(1, 10) * 0.1, np.arange(1, 10) * 0.02))
    loop.run(400)
    assert (loop.status().phase, loop.status().stop) == ("damped", stop)
    assert robot.fields.damped == 300, "the very cycle in which it fails is a damped one"
    assert law.fields.steps == 101, "a law that failed is not asked again"
    assert kinds(loop) == [kind]


def test_a_reflex_ends_in_a_damped_stop_with_its_name(make_loop, robot, law):
    robot.fields.reflex_at = 50
    loop = make_loop()
    loop.run(100)
    status = loop.status()
    assert (status.phase, status.stop, status.reflexes) == ("damped", "reflex", ("joint_velocity_violation",))
    assert robot.fields.damped == 50
    fault = loop.faults()[0]
    assert fault.kind == "reflex"
    assert "joint_velocity_violation" in fault.message


@pytest.mark.parametrize("knob", ["read_fails", "write_fails"])
def test_a_robot_that_fails_is_told_to_stop_and_the_loop_ends(make_loop, robot, knob):
    getattr(robot.fields, knob)[:] = 50, NEVER
    loop = make_loop()
    loop.run(100)
    assert (loop.status().phase, loop.status().stop) == ("ended", "robot")
    assert robot.fields.stops == 1
    assert loop.status().cycles == 51
    assert [fault.kind for fault in loop.faults()][-1] == "lost_state"


def test_an_owner_that_gives_no_sign_of_life_ends_in_a_damped_stop(make_loop, robot):
    loop = make_loop(owner_s=0.05)
    for _ in range(10):
        loop.run(40)
        loop.alive()
    assert loop.status().stop == "none"
    loop.run(60)
    assert (loop.status().phase, loop.status().stop) == ("damped", "owner")
    (fault,) = loop.faults()
    assert "sign of life" in fault.message


def test_a_lost_start_pose_is_never_followed(make_loop, robot, law):
    loop = make_loop()
    robot.fields.q[1] = float("nan")
    loop.run(10)
    assert (loop.status().phase, loop.status().stop) == ("damped", "not_finite")
    assert law.fields.steps == 0


def test_a_sample_that_is_missing_is_noticed_and_time_goes_on(make_loop, robot, law):
    robot.fields.lost[:] = 20, 25
    loop = make_loop()
    loop.run(50)
    records = loop.telemetry()
    lost = [row for row, record in enumerate(records) if "lost_state" in names_of(int(record["faults"]), FAULTS)]
    assert lost == [20, 21, 22, 23, 24]
    assert (np.diff(records["stamp_ns"]) == 1_000_000).all()
    assert loop.status().stop == "none"


def test_a_robot_without_samples_for_20_cycles_has_gone(make_loop, robot):
    robot.fields.lost[:] = 20, NEVER
    loop = make_loop()
    loop.run(100)
    assert (loop.status().phase, loop.status().stop) == ("ended", "robot")
    assert loop.status().cycles == 40


def test_the_width_reaches_the_robot_through_a_law_that_knows_of_no_gripper(make_loop, robot, chunk):
    robot.fields.width_m = 0.04
    loop = make_loop()
    loop.run(5)
    loop.push(chunk([0.1, 0.2], [0.0, 0.0], width_m=0.08))
    loop.run(250)
    assert abs(robot.fields.command_width_m - 0.08) < 1e-9


@pytest.mark.parametrize("kind", [RealTimeLoop, PythonLoop])
@pytest.mark.parametrize("said", [{}, {"gripper_speed_m_per_s": 0.05, "gripper_force_n": 20.0}])
def test_what_a_law_leaves_open_of_the_gripper_the_settings_say(parts, kind, said):
    robot = PointRobot(parts)
    with kind(robot, SpringLaw(parts), LoopSettings(way=WaySettings(**said))) as loop:
        loop.run(5)
        heard = (robot.fields.command_speed, robot.fields.command_force)
    assert np.array_equal(heard, (0.05, 20.0) if said else (np.nan, np.nan), equal_nan=True)


@pytest.mark.parametrize("name", ["gripper_speed_m_per_s", "gripper_force_n"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan])
def test_a_gripper_that_could_not_move_or_grip_is_refused(name, value):
    with pytest.raises(HandloomError, match=f"`{name}` is {value}; expected a positive number"):
        WaySettings(**{name: value})


def test_closing_brakes_first_and_keeps_what_was_recorded(make_loop, robot, law, chunk):
    loop = make_loop()
    loop.push(chunk(np.arange(1, 10) * 0.1, np.arange(1, 10) * 0.02))
    loop.run(100)
    loop.close()
    assert (loop.status().phase, loop.status().stop) == ("ended", "asked")
    assert robot.fields.stops == 1
    assert len(loop.telemetry()) == 100


def test_a_loop_that_nobody_closes_is_stopped_before_its_robot_goes(parts):
    robot = PointRobot(parts)
    loop = RealTimeLoop(robot, SpringLaw(parts), LoopSettings()).__enter__()
    loop.start()
    time.sleep(0.02)
    stops = robot.fields.stops
    del loop
    gc.collect()
    assert robot.fields.stops == stops + 1
    writes = robot.fields.writes
    time.sleep(0.05)
    assert robot.fields.writes == writes, "the thread runs on with memory that is no longer its own"
