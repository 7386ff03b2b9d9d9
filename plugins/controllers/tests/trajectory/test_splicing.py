"""Splicing, braking, rebasing and latencies, one promise at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from handloom.errors import HandloomError
from handloom_controllers.trajectory import TrajectoryConfig

EPOCH = 1_700_000_000_000_000_000
REST = np.array([0.4, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0])


def at_s(seconds):
    return EPOCH + round(seconds * 1e9)


@pytest.fixture
def line(make_chunk, make_pose):
    """Return what makes waypoints every 0.1 s on a line through the pose at rest."""

    def make(start_s, end_s, *, speed=0.1, turning=0.2, observed=1, widths=None):
        times = np.arange(round(start_s * 10), round(end_s * 10) + 1) / 10
        poses = [make_pose(speed * t, turning * t) for t in times]
        return make_chunk(times, poses, observed=observed, widths=widths)

    return make


@pytest.fixture
def started(make_trajectory):
    """Return what makes a trajectory that rests."""

    def make(**settings):
        trajectory = make_trajectory(TrajectoryConfig(**settings))
        trajectory.start(EPOCH, REST, 0.05)
        return trajectory

    return make


@pytest.mark.parametrize("interpolation", ["cubic", "linear"])
@pytest.mark.parametrize("speed", [0.1, 0.6])
def test_waypoints_keep_their_times_where_the_caps_allow(started, line, interpolation, speed):
    trajectory, chunk = started(interpolation=interpolation), line(0.1, 1.0, speed=speed)
    report = trajectory.splice(chunk, EPOCH)
    assert (report.outcome, report.stretched_ns) == ("taken", 0)
    assert np.array_equal(trajectory.pending(EPOCH)[0], chunk.stamps)
    assert trajectory.end == chunk.stamps[-1]


def test_a_motion_near_the_cap_makes_good_for_setting_out_late(started, line):
    trajectory, chunk = started(), line(0.1, 1.0, speed=0.85, turning=0)
    trajectory.splice(chunk, EPOCH)
    delays = trajectory.pending(EPOCH)[0] - chunk.stamps
    assert 0 < delays[0] < 60_000_000
    assert np.array_equal(delays[4:-1], np.zeros(5))


def test_what_can_not_be_reached_in_time_is_reached_late_and_what_follows_in_time(started, make_chunk, make_pose):
    trajectory = started()
    chunk = make_chunk([0.05, 0.4, 0.5], [make_pose(0.15, 0), make_pose(0.16, 0), make_pose(0.17, 0)])
    report = trajectory.splice(chunk, EPOCH)
    stamps = trajectory.pending(EPOCH)[0]
    assert report.outcome == "stretched_chunk"
    assert report.stretched_ns == stamps[0] - chunk.stamps[0] > 0
    assert np.array_equal(stamps[1:], chunk.stamps[1:])


def test_what_can_not_be_made_good_for_shifts_all_that_follows(started, make_chunk, make_pose):
    trajectory = started()
    times = np.arange(1, 11) * 0.01
    chunk = make_chunk(times, [make_pose(0.1 * k, 0) for k in range(1, 11)])  # 10 m/s
    report = trajectory.splice(chunk, EPOCH)
    delays = trajectory.pending(EPOCH)[0] - chunk.stamps
    assert (np.diff(delays) > 0).all()
    assert report.stretched_ns == delays[-1]


def test_a_curve_that_goes_on_is_not_touched_before_its_last_waypoint_but_one(
    started, line, make_chunk, make_pose
):
    trajectory = started()
    trajectory.splice(line(0.1, 1.0), EPOCH)
    now = at_s(0.23)
    before = np.arange(now, at_s(0.6), 1_000_000)
    rows = trajectory.at_many(before)
    trajectory.splice(make_chunk([0.75, 0.9], [make_pose(0.03, 0), make_pose(0.02, 0)], observed=2), now)
    assert np.array_equal(trajectory.at_many(before), rows)
    assert trajectory.pending(now)[0][:5].tolist() == [at_s(t) for t in (0.3, 0.4, 0.5, 0.6, 0.7)]


def test_a_fast_tool_told_to_come_back_at_leisure_brakes_first(started, make_chunk, make_pose):
    trajectory = started()
    trajectory.rebase(EPOCH, REST, np.array([0.6, 0, 0, 0, 0, 1.0]))
    report = trajectory.splice(make_chunk([10.0], [make_pose(-0.2, -0.3)]), EPOCH)
    rows = trajectory.at_many(EPOCH + np.arange(0, 10_000_000_001, 5_000_000))
    turns = (Rotation.from_quat(rows[:, 3:7]) * Rotation.from_quat(REST[3:]).inv()).as_rotvec()
    assert report.outcome == "taken"
    assert rows[:, 0].max() - REST[0] == pytest.approx(0.6**2 / 18, abs=1e-4)
    assert turns[:, 2].max() == pytest.approx(1.0**2 / 34, abs=1e-4)
    assert np.allclose(rows[-1, :3], make_pose(-0.2, -0.3)[:3])


def test_velocities_stay_within_a_contact_speed(started, line):
    trajectory = started(contact_speed_m_per_s=0.05)
    report = trajectory.splice(line(0.1, 1.0, speed=0.1), EPOCH)
    rows = trajectory.at_many(EPOCH + np.arange(0, 3_000_000_000, 1_000_000))
    assert report.stretched_ns > 500_000_000
    assert np.linalg.norm(rows[:, 7:10], axis=1).max() <= 0.05 * (1 + 1e-9)


def test_the_arm_is_ahead_of_its_stamps_by_its_latency_and_the_gripper_by_its_own(started, line):
    widths = np.linspace(0.0, 0.08, 10)
    plain, ahead = started(), started(arm_latency_s=0.1, width_latency_s=0.25)
    ahead.start(EPOCH - 250_000_000, REST, 0.05)
    plain.splice(line(0.4, 1.3, widths=widths), EPOCH)
    ahead.splice(line(0.4, 1.3, widths=widths), EPOCH - 100_000_000)
    stamps = EPOCH + np.arange(0, 1_000_000_000, 50_000_000)
    assert np.allclose(ahead.at_many(stamps - 100_000_000)[:, :13], plain.at_many(stamps)[:, :13], atol=1e-12)
    later = stamps[stamps >= at_s(0.45)]  # from the first waypoint that the gripper had still before it
    assert np.allclose(ahead.at_many(later - 250_000_000)[:, 13], plain.at_many(later)[:, 13])


def test_widths_move_later_with_their_waypoints(started, make_chunk, make_pose):
    trajectory = started()
    chunk = make_chunk([0.1, 0.2], [make_pose(0.0, 0), make_pose(0.5, 0)], widths=[0.05, 0.0])
    report = trajectory.splice(chunk, EPOCH)
    assert report.stretched_ns > 300_000_000
    assert trajectory.at(trajectory.end)[2] == 0.0
    assert trajectory.at(at_s(0.2))[2] > 0.03


def test_a_width_that_is_not_given_leaves_the_gripper_alone(started, line):
    trajectory = started()
    trajectory.splice(line(0.1, 0.3, widths=[np.nan, np.nan, 0.02]), EPOCH)
    assert np.isnan(trajectory.at(at_s(0.15))[2])
    assert trajectory.at(at_s(0.25))[2] == 0.02


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_braking_comes_to_rest_along_the_velocity_and_within_its_distance(compiled, wild, seed):
    trajectory, motion = compiled(TrajectoryConfig()), wild(seed)
    motion.start(trajectory)
    for _ in range(3):
        trajectory.splice(motion.chunk(trajectory.at(motion.now)[0]), motion.now)
        motion.wait(trajectory)
    before = trajectory.at_many(np.array([motion.now]))[0]
    rest = trajectory.brake(motion.now)
    rows = trajectory.at_many(motion.now + np.linspace(0, 1.2 * (rest - motion.now) + 10, 200).astype(np.int64))
    speed, turning = np.linalg.norm(before[7:10]), np.linalg.norm(before[10:13])
    assert np.abs(rows[0, :13] - before[:13]).max() < 1e-12
    assert (np.diff(np.linalg.norm(rows[:, 7:10], axis=1)) <= 1e-9).all()
    assert (np.diff(np.linalg.norm(rows[:, 10:13], axis=1)) <= 1e-9).all()
    assert np.linalg.norm(rows[-1, :3] - before[:3]) == pytest.approx(speed**2 / 18, abs=1e-8)
    assert not rows[-1, 7:13].any()
    assert not trajectory.at(rest)[1].any()
    assert rest - motion.now <= max(speed / 9, turning / 17) * 1e9 + 2
    assert len(trajectory.pending(motion.now)[0]) == 0


def test_a_straight_motion_too_is_braked_and_not_stepped(started, line):
    trajectory = started(interpolation="linear")
    trajectory.splice(line(0.1, 1.0, speed=0.9, turning=0), EPOCH)
    trajectory.brake(at_s(0.5))
    rows = trajectory.at_many(at_s(0.5) + np.arange(0, 120_000_000, 1_000_000))
    assert rows[0, 7] == pytest.approx(0.9)
    assert np.abs(np.diff(rows[:, 7])).max() < 9.0 * 1.1e-3


def test_a_splice_goes_on_from_where_the_tool_is_once_that_is_told(started, line, make_pose):
    trajectory = started()
    trajectory.splice(line(0.1, 1.0), EPOCH)
    now, tool, twist = at_s(0.5), make_pose(0.02, 0.3), np.array([0.1, 0.05, 0, 0.1, 0, 0.2])
    trajectory.rebase(now, tool, twist)
    assert trajectory.at(now)[0][0] == pytest.approx(REST[0] + 0.05)  # not before the splice
    trajectory.splice(line(0.7, 1.5, observed=2), now)
    pose, after, _ = trajectory.at(now)
    assert np.allclose(pose, tool)
    assert np.allclose(after, twist)
    trajectory.splice(line(0.7, 1.5, observed=3), at_s(0.51))  # only once
    assert np.abs(trajectory.at(at_s(0.51))[0][:3] - tool[:3]).max() < 2e-3


def test_a_tool_faster_than_the_caps_brakes(started, line):
    trajectory = started()
    trajectory.rebase(EPOCH, REST, np.array([2.0, 0, 0, 0, 0, 0]))
    trajectory.splice(line(0.5, 1.5), EPOCH)
    rows = trajectory.at_many(EPOCH + np.arange(0, 2_000_000_000, 1_000_000))
    speeds = np.linalg.norm(rows[:, 7:10], axis=1)
    assert (np.diff(speeds[: 2000 // 9]) < 0).all()
    assert speeds[2000 // 9 + 2 :].max() <= 1.0


@pytest.mark.parametrize("place", ["start", "rebase"])
def test_a_lost_pose_is_refused(started, place):
    trajectory = started()
    rows = trajectory.at_many(np.array([EPOCH]))
    for lost in (np.full(7, np.nan), np.array([0, 0, 0, 0, 0, 0, 0.0])):
        with pytest.raises(HandloomError, match="lost pose"):
            trajectory.start(EPOCH, lost) if place == "start" else trajectory.rebase(EPOCH, lost, np.zeros(6))
    assert np.array_equal(trajectory.at_many(np.array([EPOCH])), rows)
