"""What holds of every trajectory at every instant, whatever chunks come: laws, looked at densely."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from handloom_controllers.trajectory import TrajectoryConfig

seeds = st.integers(0, 2**32 - 1)
configs = st.sampled_from(
    [
        TrajectoryConfig(),
        TrajectoryConfig(contact_speed_m_per_s=0.1),
        TrajectoryConfig(braking_m_per_s2=2.0, braking_rad_per_s2=4.0, max_speed_rad_per_s=1.0),
    ]
)
LINEAR = TrajectoryConfig(interpolation="linear")
SPLICES = 5


def dense(trajectory, now, count=400):
    """Return stamps from now to a little after the end, and the rows there."""
    stamps = now + np.linspace(0, max(trajectory.end - now, 1) * 1.05, count).astype(np.int64)
    return stamps, trajectory.at_many(stamps)


def beyond(rows, corners):
    """Return by how much the rows leave the box of the corners, at most."""
    return np.maximum(rows - corners.max(axis=0), corners.min(axis=0) - rows).max()


def splices(trajectory, motion):
    """Splice chunk after chunk; yield the report and the row before each."""
    motion.start(trajectory)
    for _ in range(SPLICES):
        before = trajectory.at_many(np.array([motion.now]))[0]
        report = trajectory.splice(motion.chunk(before[:7]), motion.now)
        if report.taken:
            yield report, before
        motion.wait(trajectory)


@settings(max_examples=40, deadline=None)
@given(seed=seeds, config=st.one_of(configs, st.just(LINEAR)))
def test_the_caps_hold_on_the_curve_itself(compiled, wild, seed, config):
    trajectory, motion = compiled(config), wild(seed)
    for _ in splices(trajectory, motion):
        stamps, rows = dense(trajectory, motion.now, 1000)
        speed = min(config.max_speed_m_per_s, config.contact_speed_m_per_s)
        assert np.isfinite(rows[:, :13]).all()
        assert np.linalg.norm(rows[:, 7:10], axis=1).max() <= speed * (1 + 1e-9)
        assert np.linalg.norm(rows[:, 10:13], axis=1).max() <= config.max_speed_rad_per_s * (1 + 1e-9)
        # The poses themselves, not only what is said of their velocity.
        elapsed = np.diff(stamps) * 1e-9
        assert (np.linalg.norm(np.diff(rows[:, :3], axis=0), axis=1) <= speed * elapsed * (1 + 2e-9) + 1e-12).all()


@settings(max_examples=40, deadline=None)
@given(seed=seeds, config=configs)
def test_a_splice_steps_neither_poses_nor_velocities(compiled, wild, seed, config):
    trajectory, motion = compiled(config), wild(seed)
    for _, before in splices(trajectory, motion):
        after = trajectory.at_many(np.array([motion.now]))[0]
        assert np.abs(after[:7] - before[:7]).max() <= 1e-12
        assert np.abs(after[7:13] - before[7:13]).max() <= 1e-12


@settings(max_examples=30, deadline=None)
@given(seed=seeds, config=configs)
def test_velocities_are_continuous_at_every_waypoint(compiled, wild, seed, config):
    trajectory, motion = compiled(config), wild(seed)
    for _ in splices(trajectory, motion):
        stamps, _ = trajectory.pending(motion.now)
        near, wide = (changes_within(trajectory, stamps, half_ns) for half_ns in (1, 10))
        # A step is the same however near one looks; the change of a continuous velocity is, but for its curvature,
        # a tenth within a tenth of the time.
        assert (np.abs(near - wide / 10) <= 1e-9 + 1e-3 * np.abs(wide)).all()


def changes_within(trajectory, stamps, half_ns):
    """Return by how much the twist changes from a little before each stamp to a little after it, (N, 6)."""
    before, after = (trajectory.at_many(stamps + shift)[:, 7:13] for shift in (-half_ns, half_ns))
    return after - before


@settings(max_examples=30, deadline=None)
@given(seed=seeds, config=configs)
def test_the_twist_is_the_derivative_of_the_pose(compiled, wild, seed, config):
    trajectory, motion = compiled(config), wild(seed)
    h = 20_000
    for _ in splices(trajectory, motion):
        knots = np.array([motion.now, *trajectory.pending(motion.now)[0].tolist()])
        stamps = ((knots[:-1] + knots[1:]) // 2)[np.diff(knots) > 20 * h]
        rows, before, after = (trajectory.at_many(stamps + shift) for shift in (0, -h, h))
        fast = 6 * h**2 * 1e-18 / ((np.diff(knots)[np.diff(knots) > 20 * h] * 1e-9) ** 2)[:, None]
        moving = (after[:, :3] - before[:, :3]) / (2e-9 * h)
        turn = Rotation.from_quat(after[:, 3:7]) * Rotation.from_quat(before[:, 3:7]).inv()
        assert (np.abs(moving - rows[:, 7:10]) <= 1e-5 + 10 * fast).all()
        assert (np.abs(turn.as_rotvec() / (2e-9 * h) - rows[:, 10:13]) <= 1e-5 + 100 * fast).all()


@settings(max_examples=60, deadline=None)
@given(seed=seeds, config=configs)
def test_the_curve_leaves_the_box_of_present_and_waypoints_by_no_more_than_braking_takes(
    compiled, wild, seed, config
):
    trajectory, motion = compiled(config), wild(seed)
    for _ in splices(trajectory, motion):
        stamps, rows = dense(trajectory, motion.now)
        due, poses = trajectory.pending(motion.now)
        for here in range(0, len(stamps), 40):  # a splice that keeps what is pending may come at any instant
            corners = np.vstack([rows[here, :3], poses[due > stamps[here], :3]])
            swing = np.linalg.norm(rows[here, 7:10]) ** 2 / (2 * config.braking_m_per_s2)
            assert beyond(rows[here:, :3], corners) <= swing + 1e-3


@settings(max_examples=30, deadline=None)
@given(seed=seeds, config=configs)
def test_the_turn_from_each_waypoint_stays_between_its_ends_but_for_braking(compiled, wild, seed, config):
    trajectory, motion = compiled(config), wild(seed)
    for _, before in splices(trajectory, motion):
        stamps, poses = trajectory.pending(motion.now)
        swing = np.linalg.norm(before[10:13]) ** 2 / (2 * config.braking_rad_per_s2)
        knots = [(motion.now, before[3:7]), *zip(stamps.tolist(), poses[:, 3:], strict=True)]
        for (start, first), (end, last) in pairwise(knots):
            rows = trajectory.at_many(np.linspace(start, end, 25).astype(np.int64))
            turns = (Rotation.from_quat(first).inv() * Rotation.from_quat(rows[:, 3:7])).as_rotvec()
            way = (Rotation.from_quat(first).inv() * Rotation.from_quat(last)).as_rotvec()
            if np.linalg.norm(way) < math.pi - 0.3:  # beyond, a swing wraps around
                allowed = 1e-3 + (swing if start == motion.now else 0)
                assert beyond(turns, np.stack([np.zeros(3), way])) <= allowed


@settings(max_examples=40, deadline=None)
@given(seed=seeds, config=st.one_of(configs, st.just(LINEAR)))
def test_every_waypoint_is_passed_when_it_is_due_or_as_late_as_is_said(compiled, wild, seed, config):
    trajectory, motion = compiled(config), wild(seed)
    motion.start(trajectory)
    for _ in range(SPLICES):
        pending, poses = trajectory.pending(motion.now)
        made = motion.chunk(trajectory.at(motion.now)[0])
        report = trajectory.splice(made, motion.now)
        if report.taken:
            fresh = made.stamps > motion.now
            survive = pending < made.stamps[fresh][0]
            due = np.concatenate([pending[survive], made.stamps[fresh]])
            wanted = np.vstack([poses[survive], made.poses[fresh]])
            stamps, found = trajectory.pending(motion.now)
            assert report.dropped == (~fresh).sum()
            assert report.stretched_ns == (stamps - due).max()
            assert (stamps >= due).all()
            assert (np.diff(stamps) > 0).all()
            assert np.allclose(found[:, :3], wanted[:, :3])
            passed = trajectory.at_many(stamps)
            assert np.abs(passed[:, :3] - wanted[:, :3]).max() < 1e-12
            assert np.abs((passed[:, 3:7] * wanted[:, 3:]).sum(axis=1)).min() > 1 - 1e-12
        motion.wait(trajectory)


@settings(max_examples=20, deadline=None)
@given(seed=seeds)
def test_the_same_chunks_give_the_same_bytes_at_any_epoch(compiled, wild, seed):
    answers = []
    for shift in (0, 0, -1_699_999_999_123_456_789):
        trajectory, motion = compiled(), wild(seed)
        motion.now += shift
        rows = [dense(trajectory, motion.now, 50)[1] for _ in splices(trajectory, motion)]
        answers.append(np.concatenate(rows).tobytes())
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("asked", [0.1, 0.102, 0.15])
@pytest.mark.parametrize("every_s", [0.02, 0.1])
@pytest.mark.parametrize("turning", [0.0, 1.5])
def test_who_asks_for_more_than_the_cap_is_followed_near_the_cap(
    make_trajectory, make_chunk, asked, every_s, turning
):
    """A chunk every 0.1 s, each through where the tool would be by now: it must not set out anew each time."""
    trajectory = make_trajectory(TrajectoryConfig(contact_speed_m_per_s=0.1, max_speed_rad_per_s=1.0))
    ahead_s = every_s * np.arange(1, round(0.64 / every_s) + 1)
    rows = []
    for tick in range(20):
        due_s = tick / 10 + ahead_s
        poses = np.zeros((len(due_s), 7))
        poses[:, 0] = asked * due_s
        poses[:, 3:] = Rotation.from_rotvec(np.outer(turning * due_s, [0, 0, 1])).as_quat()
        now = round(tick * 1e8)
        if tick == 0:
            trajectory.start(now, np.array([0.0, 0, 0, 0, 0, 0, 1]))
        assert trajectory.splice(make_chunk(due_s, poses, observed=tick, epoch=0), now).taken
        rows.append(trajectory.at_many(now + np.arange(0, 100_000_000, 10_000_000)))
    speeds = np.linalg.norm(np.concatenate(rows[8:])[:, 7:10], axis=1)
    assert speeds.max() <= 0.1 * (1 + 1e-9)
    # Where it turns faster than it may, time is lost for the way, too.
    assert np.median(speeds) > 0.09 * (0.6 if turning else 1.0)
