"""The smooth curve meets the samples, agrees with scipy, moves with the world, knows nothing of what is lost."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

from handloom.errors import StreamError
from handloom.geometry import interpolate_poses, interpolate_poses_cubic, pose, quaternion

EPOCH = 1_700_000_000_123_456_789
MS = 1_000_000
COUNT = 9


def path(seed=0, count=COUNT, turn=0.3):
    """Return a random path with uneven stamps, 4 to 9 ms apart."""
    rng = np.random.default_rng(seed)
    stamps = EPOCH + np.cumsum(rng.integers(4 * MS, 9 * MS, count))
    rotations = quaternion.from_rotvec(np.cumsum(rng.normal(0.0, turn, (count, 3)), axis=0))
    return stamps, np.concatenate([rng.normal(size=(count, 3)), rotations], axis=1), np.ones(count, dtype=bool)


def dense(stamps, count=200):
    return np.linspace(0, stamps[-1] - stamps[0], count).astype(np.int64) + stamps[0]


def seconds(stamps):
    return (stamps - EPOCH) * 1e-9


def cubic(stamps, poses, tracked, at, gap_ns=10 * MS, breaks=()):
    return interpolate_poses_cubic(stamps, poses, tracked, at, max_gap_ns=gap_ns, breaks=breaks)


def test_the_samples_themselves_come_back_to_the_bit():
    stamps, poses, tracked = path()
    result, seen = cubic(stamps, poses, tracked, stamps[::-1], gap_ns=0)
    assert np.array_equal(result, poses[::-1])
    assert seen.all()


def test_positions_are_scipys_cubic_with_the_slopes_of_parabolas():
    stamps, poses, tracked = path()
    at = dense(stamps)
    slopes = np.gradient(poses[:, :3], seconds(stamps), axis=0, edge_order=2)
    oracle = CubicHermiteSpline(seconds(stamps), poses[:, :3], slopes)(seconds(at))
    assert np.allclose(cubic(stamps, poses, tracked, at)[0][:, :3], oracle, atol=1e-9)


def test_turns_about_one_axis_are_scipys_cubic_of_the_angle():
    stamps, poses, tracked = path()
    angles = np.cumsum(np.random.default_rng(1).uniform(-2.0, 2.0, COUNT))
    axis = np.array([0.6, -0.64, 0.48])
    poses[:, 3:] = Rotation.from_rotvec(angles[:, None] * axis).as_quat()
    at = dense(stamps)
    slopes = np.gradient(angles, seconds(stamps), edge_order=2)
    oracle = Rotation.from_rotvec(CubicHermiteSpline(seconds(stamps), angles, slopes)(seconds(at))[:, None] * axis)
    found = Rotation.from_quat(cubic(stamps, poses, tracked, at)[0][:, 3:])
    assert (found.inv() * oracle).magnitude().max() < 1e-9


def test_velocity_and_angular_velocity_are_continuous_through_every_sample():
    stamps, poses, tracked = path(turn=0.8)
    step = 100
    at = (stamps[1:-1, None] + np.array([-step, 0, step])).ravel()
    found = cubic(stamps, poses, tracked, at)[0].reshape(-1, 3, 7)
    turns = Rotation.from_quat(found[..., 3:].reshape(-1, 4)).as_quat().reshape(-1, 3, 4)
    before, at_it, after = (Rotation.from_quat(turns[:, k]) for k in range(3))
    rates = [(before.inv() * at_it).as_rotvec(), (at_it.inv() * after).as_rotvec()]
    speeds = [found[:, 1, :3] - found[:, 0, :3], found[:, 2, :3] - found[:, 1, :3]]
    for one, other in (rates, speeds):
        assert np.abs(one - other).max() < 1e-3 * np.abs(one).max()


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_another_world_moves_the_curve_with_it(seed):
    stamps, poses, tracked = path(seed, turn=0.8)
    rng = np.random.default_rng(seed + 1)
    T_world_a = np.concatenate([rng.normal(size=3) * 5, quaternion.from_rotvec(rng.normal(size=3))])
    at = dense(stamps)
    moved = cubic(stamps, pose.compose(T_world_a, poses), tracked, at)[0]
    expected = pose.compose(T_world_a, cubic(stamps, poses, tracked, at)[0])
    assert np.allclose(moved[:, :3], expected[:, :3], atol=1e-12)
    assert quaternion.angle_between(moved[:, 3:], expected[:, 3:]).max() < 1e-12


def test_rest_stays_at_rest():
    stamps, poses, tracked = path()
    poses[:] = poses[3]
    assert np.allclose(cubic(stamps, poses, tracked, dense(stamps))[0], poses[3], rtol=0.0, atol=1e-15)


def test_steady_motion_and_turn_come_back_as_they_are():
    stamps, _, tracked = path()

    def steady(at):
        since = ((at - stamps[0]) * 1e-9)[:, None]
        turn = quaternion.from_rotvec(since * [20.0, -11.0, 31.0])
        return np.concatenate([[0.3, -1.0, 0.8] + since * [2.0, -0.7, 1.1], turn], axis=1)

    found, expected = cubic(stamps, steady(stamps), tracked, dense(stamps))[0], steady(dense(stamps))
    assert np.allclose(found[:, :3], expected[:, :3], rtol=0.0, atol=1e-14)
    assert quaternion.angle_between(found[:, 3:], expected[:, 3:]).max() < 1e-14


def test_the_sign_of_a_quaternion_changes_nothing():
    stamps, poses, tracked = path(turn=0.8)
    at, flipped = dense(stamps), poses.copy()
    flipped[::2, 3:] *= -1.0
    one, other = cubic(stamps, poses, tracked, at)[0], cubic(stamps, flipped, tracked, at)[0]
    assert np.array_equal(one[:, :3], other[:, :3])
    assert quaternion.angle_between(one[:, 3:], other[:, 3:]).max() < 1e-14


def test_half_a_turn_between_two_samples_is_a_number():
    stamps, poses, tracked = path()
    poses[:, 3:] = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]] * 3
    assert np.isfinite(cubic(stamps, poses, tracked, dense(stamps))[0]).all()


@settings(max_examples=60, deadline=None)
@given(lost=st.sets(st.integers(0, COUNT - 1)), gaps=st.sets(st.integers(1, COUNT - 1)), seed=st.integers(0, 99))
def test_each_unbroken_part_is_as_if_it_were_alone(lost, gaps, seed):
    stamps, poses, tracked = path(seed)
    for row in gaps:
        stamps[row:] += 10 * MS
    for row in lost:
        poses[row], tracked[row] = np.nan, False
    at = dense(stamps)
    result, seen = cubic(stamps, poses, tracked, at)
    assert np.array_equal(seen, interpolate_poses(stamps, poses, tracked, at, max_gap_ns=10 * MS)[1])
    alone = np.full_like(result, np.nan)
    ends = sorted({0, COUNT, *gaps, *lost, *(row + 1 for row in lost)})
    for start, end in pairwise(ends):
        part = slice(start, end)
        found, there = cubic(stamps[part], poses[part], tracked[part], at)
        alone[there] = found[there]
    assert np.array_equal(result, alone, equal_nan=True)


def test_between_two_samples_alone_the_way_is_straight():
    stamps, poses, tracked = path(count=2)
    straight = interpolate_poses(stamps, poses, tracked, dense(stamps), max_gap_ns=10 * MS)[0]
    assert np.allclose(cubic(stamps, poses, tracked, dense(stamps))[0], straight, rtol=0.0, atol=1e-14)


def test_a_break_is_crossed_straight_and_bends_neither_side():
    stamps, poses, tracked = path()
    at = dense(stamps)
    found, seen = cubic(stamps, poses, tracked, at, breaks=[4])
    assert seen.all()
    for part in (slice(0, 4), slice(4, COUNT)):
        alone, there = cubic(stamps[part], poses[part], tracked[part], at)
        assert np.array_equal(found[there], alone[there])
    across = (at > stamps[3]) & (at < stamps[4])
    straight = interpolate_poses(stamps, poses, tracked, at[across], max_gap_ns=10 * MS)[0]
    assert across.any()
    assert np.allclose(found[across], straight, rtol=0.0, atol=1e-14)


@given(shift=st.integers(-EPOCH, EPOCH))
@settings(max_examples=20, deadline=None)
def test_a_shift_of_the_stamps_changes_nothing(shift):
    stamps, poses, tracked = path()
    at = dense(stamps)
    one, other = cubic(stamps, poses, tracked, at)[0], cubic(stamps + shift, poses, tracked, at + shift)[0]
    assert np.array_equal(one, other)


def test_repeated_stamps_answer_the_last_sample_and_stay_numbers():
    stamps, poses, tracked = path()
    stamps[4] = stamps[3]
    at = dense(stamps)
    result, seen = cubic(stamps, poses, tracked, [stamps[3], *at], gap_ns=20 * MS)
    assert np.array_equal(result[0], poses[4])
    assert seen.all()
    assert np.isfinite(result).all()


def test_half_the_time_between_samples_is_an_eighth_of_the_error():
    def true(at):
        s = (at * 1e-9)[:, None]
        turn = quaternion.from_rotvec(np.hstack([0.8 * np.sin(3 * s), 0.5 * np.cos(2 * s), 1.2 * np.sin(s)]))
        return np.concatenate([np.sin(3 * s), np.cos(2 * s), np.sin(s), turn], axis=1)

    errors = []
    for step in (20 * MS, 10 * MS):
        stamps, at = np.arange(0, 2000 * MS, step), np.arange(100 * MS, 1800 * MS, MS)
        found, _ = cubic(stamps, true(stamps), np.ones(len(stamps), dtype=bool), at, gap_ns=step)
        position = np.abs(found[:, :3] - true(at)[:, :3]).max()
        errors.append([position, quaternion.angle_between(found[:, 3:], true(at)[:, 3:]).max()])
    assert np.divide(*errors) == pytest.approx([8.0, 8.0], rel=0.05)


def test_no_samples_give_no_poses_and_nothing_is_extrapolated():
    result, seen = cubic(np.empty(0, np.int64), np.empty((0, 7)), [], [EPOCH])
    assert result.shape == (1, 7)
    assert not seen.any()
    stamps, poses, tracked = path()
    assert not cubic(stamps, poses, tracked, [stamps[0] - 1, stamps[-1] + 1])[1].any()


@pytest.mark.parametrize("row", [0, -1, COUNT])
def test_a_break_before_no_sample_is_refused(row):
    stamps, poses, tracked = path()
    with pytest.raises(StreamError, match=f"1 to 8; found {row}"):
        cubic(stamps, poses, tracked, stamps, breaks=[row])
