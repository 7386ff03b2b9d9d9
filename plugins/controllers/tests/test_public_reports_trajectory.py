"""What users of other interpolators reported, as tests of ours."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from handloom.api import Chunk
from handloom_controllers.native_trajectory import NativeTrajectory
from handloom_controllers.numpy_trajectory import NumpyTrajectory

START = 10_000_000_000
MILLISECOND = 1_000_000
REST = np.array([0.4, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0])


@pytest.fixture(params=["numpy", "compiled"])
def trajectory(request):
    """Return a trajectory at rest."""
    compiled = request.param == "compiled"
    made = NativeTrajectory(None, request.getfixturevalue("native_once")) if compiled else NumpyTrajectory()
    made.start(START, REST, 0.05)
    return made


def chunk(times_s, poses, observed=1, start=START):
    stamps = start + np.rint(np.asarray(times_s) * 1e9).astype(np.int64)
    poses = np.asarray(poses, dtype=np.float64)
    widths = np.full(len(stamps), 0.05)
    return Chunk(
        stamps=stamps, clock="robot", poses=poses, widths_m=widths, frame="base", body="tcp", observed=observed
    )


def turned(angle, axis=(0.0, 0.0, 1.0), x=0.0):
    """Return the pose at rest turned about an axis of the base, and moved along x."""
    orientation = Rotation.from_rotvec(angle * np.asarray(axis)) * Rotation.from_quat(REST[3:])
    return np.concatenate([REST[:3] + np.array([x, 0, 0]), orientation.as_quat()])


def streamed(trajectory, *, rate_hz, horizon, duration_s=1.0, speed=0.1):
    """Stream targets on a line at a rate, each with some after it, and return the rows of a 1 kHz loop."""
    rows, period_s = [], 1 / rate_hz
    for number in range(round(duration_s * rate_hz)):
        now_s = number * period_s
        times = now_s + period_s * np.arange(1, horizon + 1)
        targets = [turned(2 * speed * t, x=speed * t) for t in times]
        now = START + round(now_s * 1e9)
        assert trajectory.splice(chunk(times, targets, observed=number), now).taken
        ticks = np.arange(now, START + round((now_s + period_s) * 1e9), MILLISECOND)
        rows.append(trajectory.at_many(ticks))
    return np.concatenate(rows)


def test_a_hundred_poses_a_second_reach_a_1_khz_loop_without_steps(trajectory):
    """frankarobotics/franka_ros#405: 100 Hz poses fed straight to 1 kHz are a step every tenth cycle."""
    rows = streamed(trajectory, rate_hz=100, horizon=2, duration_s=0.5)
    steps = np.linalg.norm(np.diff(rows[:, :3], axis=0), axis=1)
    assert steps.max() < 2 * 0.1e-3  # 0.1 m/s is 0.1 mm a cycle; held poses would step by 1 mm
    assert (steps[20:] > 0.03e-3).all()
    assert np.linalg.norm(np.diff(rows[:, 7:10], axis=0), axis=1).max() < 0.05


@pytest.mark.parametrize("rate_hz", [20, 30])
def test_a_slow_stream_of_targets_neither_stops_nor_shakes_the_arm(trajectory, rate_hz):
    """TimSchneider42/franky#76, #51: at 30 or 20 Hz the arm stops in each cycle, or vibrates."""
    rows = streamed(trajectory, rate_hz=rate_hz, horizon=3)
    under_way = rows[round(3000 / rate_hz) :]
    assert np.allclose(under_way[:, 7], 0.1, atol=0.01)
    assert np.allclose(under_way[:, 12], 0.2, atol=0.02)
    assert np.abs(np.diff(rows[:, 7])).max() < 0.02


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_orientations_are_joined_on_the_sphere_the_shorter_way(trajectory, sign):
    """UniversalRobots/Universal_Robots_ROS_Driver#540: quaternions interpolated component by component, and the
    long way round where their signs differ."""
    goal = turned(2.0, axis=(0.6, 0.0, 0.8))
    goal[3:] *= sign
    trajectory.splice(chunk([4.0], [goal]), START)
    rows = trajectory.at_many(START + np.arange(0, 4000, 10) * MILLISECOND)
    turn = Rotation.from_quat(rows[:, 3:7]) * Rotation.from_quat(REST[3:]).inv()
    angles = turn.magnitude()
    assert angles.max() <= 2.0 + 1e-9
    assert (np.diff(angles) >= -1e-9).all()
    across = np.cross(turn.as_rotvec(), [0.6, 0.0, 0.8])
    assert np.abs(across).max() < 1e-9  # about one axis all the way
    assert angles[200] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("angle", [math.pi - 1e-7, math.pi, math.pi + 1e-7, -math.pi + 1e-9])
def test_no_difference_of_poses_makes_the_direction_flip_under_way(trajectory, angle):
    """aica-technology/control-libraries#116: near half a turn the direction flips from cycle to cycle."""
    trajectory.splice(chunk([3.0, 3.5], [turned(angle), turned(angle)]), START)
    rows = trajectory.at_many(START + np.arange(0, 3000, 5) * MILLISECOND)
    turning = rows[:, 10:13]
    moving = np.linalg.norm(turning, axis=1) > 1e-6
    axes = turning[moving] / np.linalg.norm(turning[moving], axis=1)[:, None]
    assert (axes @ axes[0] > 0.999).all()
    end = Rotation.from_quat(trajectory.at(START + 3_000_000_000)[0][3:])
    assert (end * Rotation.from_quat(turned(angle)[3:]).inv()).magnitude() < 1e-9


def test_interpolated_quaternions_are_of_norm_1(trajectory):
    """resibots/inria_wbc#22: an interpolated quaternion that is not normalised."""
    goals = [turned(0.5 * k, axis=(0.6, 0.8, 0.0)) for k in (1, -2, 3, -1)]
    for goal in goals:
        goal[3:] *= 1 + 9e-4  # as far from 1 as is let in
    trajectory.splice(chunk([0.5, 1.5, 2.5, 3.5], goals), START)
    rows = trajectory.at_many(START + np.arange(0, 4000, 7) * MILLISECOND)
    assert np.abs(np.linalg.norm(rows[:, 3:7], axis=1) - 1).max() < 1e-14


def test_a_trajectory_of_today_is_as_fine_as_one_that_starts_at_0(trajectory):
    """HebiRobotics/hebi-cpp-examples#46: times far from 0 lose precision; a double of epoch seconds has 240 ns."""
    answers = []
    for epoch in (0, 1_764_528_000_123_456_789):
        trajectory.start(epoch, REST, 0.05)
        trajectory.splice(chunk([0.101, 0.202], [turned(0.1, x=0.05), turned(0.0)], start=epoch), epoch)
        answers.append(trajectory.at_many(epoch + np.arange(0, 250 * MILLISECOND, 1_234_567)))
    assert np.array_equal(*answers)


@pytest.mark.parametrize(("times", "wrong"), [([0.1, 0.2, 0.2], "duplicate"), ([0.1, 0.3, 0.2], "order")])
def test_times_that_do_not_increase_are_refused_and_not_repaired(trajectory, times, wrong):
    """moveit/moveit#3583, shadow-robot/sr_interface#363, PilzDE/pilz_industrial_motion#146: waypoints at the same
    time, or back in time."""
    assert trajectory.splice(chunk([0.5], [turned(0.3)]), START).taken
    before = trajectory.at_many(START + np.arange(0, 600, 5) * MILLISECOND)
    report = trajectory.splice(chunk(times, [turned(0.1)] * 3, observed=2), START + 50 * MILLISECOND)
    assert (report.outcome, report.wrong, report.row) == ("invalid_chunk", wrong, 2)
    assert np.array_equal(trajectory.at_many(START + np.arange(0, 600, 5) * MILLISECOND), before)


def test_what_was_queued_is_not_executed_late(trajectory):
    """real-stanford/universal_manipulation_interface#98: commands that waited are carried out one by one, late."""
    queued = [
        chunk(0.1 * k + 0.1 * np.arange(1, 5), [turned(0, x=0.01 * (k + i)) for i in range(1, 5)], observed=k)
        for k in range(10)
    ]
    now = START + round(0.95 * 1e9)  # all of them come at once, after a stall
    reports = [trajectory.splice(each, now) for each in queued]
    assert [report.outcome for report in reports[:6]] == ["late_chunk"] * 6
    assert [report.dropped for report in reports[6:]] == [3, 2, 1, 0]
    stamps, poses = trajectory.pending(now)
    assert (stamps > now).all()
    assert stamps[0] - now < 200 * MILLISECOND  # moved later only by what the way from rest takes
    assert poses[-1, 0] == pytest.approx(REST[0] + 0.13)
    assert trajectory.end == START + 1_300 * MILLISECOND
