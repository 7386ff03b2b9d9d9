"""Interpolation meets the samples, agrees with scipy between them, and never bridges what it must not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from handloom.errors import StreamError
from handloom.geometry import interpolate_linear, interpolate_poses, quaternion

EPOCH = 1_700_000_000_123_456_789
MS = 1_000_000


def path(count=6, seed=0):
    rng = np.random.default_rng(seed)
    stamps = EPOCH + np.arange(count) * 10 * MS
    rotations = quaternion.from_rotvec(np.cumsum(rng.normal(0.0, 0.3, (count, 3)), axis=0))
    poses = np.concatenate([rng.normal(size=(count, 3)), rotations], axis=1)
    return stamps, poses, np.ones(count, dtype=bool)


def lose(poses, tracked, row):
    poses[row], tracked[row] = np.nan, False


def test_the_samples_themselves_come_back_to_the_bit():
    stamps, poses, tracked = path()
    result, seen = interpolate_poses(stamps, poses, tracked, stamps[::-1], max_gap_ns=0)
    assert np.array_equal(result, poses[::-1])
    assert seen.all()


def test_between_samples_it_agrees_with_scipy():
    stamps, poses, tracked = path()
    at = EPOCH + np.arange(1, 50, 7) * MS
    result, seen = interpolate_poses(stamps, poses, tracked, at, max_gap_ns=10 * MS)
    seconds = (stamps - EPOCH) * 1e-9
    oracle = Slerp(seconds, Rotation.from_quat(poses[:, 3:]))((at - EPOCH) * 1e-9).as_quat()
    assert seen.all()
    assert np.allclose(np.abs((result[:, 3:] * oracle).sum(axis=1)), 1.0, atol=1e-12)
    for axis in range(3):
        assert np.allclose(result[:, axis], np.interp(at - EPOCH, stamps - EPOCH, poses[:, axis]), atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(lost=st.sets(st.integers(0, 5)), at=st.lists(st.integers(-15 * MS, 65 * MS), max_size=6))
def test_tracked_means_both_neighbours_are_tracked(lost, at):
    stamps, poses, tracked = path()
    for row in lost:
        lose(poses, tracked, row)
    result, seen = interpolate_poses(stamps, poses, tracked, EPOCH + np.array(at, np.int64), max_gap_ns=10 * MS)
    for since, good, row in zip(at, seen, result, strict=True):
        around = {since // (10 * MS), -(-since // (10 * MS))}
        assert good == all(0 <= index <= 5 and index not in lost for index in around)
        assert np.isfinite(row).all() if good else np.isnan(row).all()


def test_lost_rows_carry_no_pose_into_their_neighbourhood():
    stamps, poses, tracked = path()
    lose(poses, tracked, 2)
    at = EPOCH + np.array([15, 20, 25, 10, 30]) * MS
    _, seen = interpolate_poses(stamps, poses, tracked, at, max_gap_ns=100 * MS)
    assert seen.tolist() == [False, False, False, True, True]


def test_gaps_are_never_bridged():
    stamps, poses, tracked = path()
    stamps[3:] += 1
    at = np.array([stamps[2] + 1, stamps[2], stamps[3], stamps[3] + 1])
    _, seen = interpolate_poses(stamps, poses, tracked, at, max_gap_ns=10 * MS)
    assert seen.tolist() == [False, True, True, True]
    _, seen = interpolate_poses(stamps, poses, tracked, at, max_gap_ns=10 * MS + 1)
    assert seen.all()


def test_nothing_is_extrapolated():
    stamps, poses, tracked = path()
    result, seen = interpolate_poses(stamps, poses, tracked, [stamps[0] - 1, stamps[-1] + 1], max_gap_ns=10**12)
    assert not seen.any()
    assert np.isnan(result).all()


def test_a_nanosecond_counts_at_epoch_stamps():
    stamps = np.array([EPOCH, EPOCH + 10])
    values, _ = interpolate_linear(stamps, [0.0, 10.0], EPOCH + np.arange(11), max_gap_ns=10)
    assert np.allclose(values, np.arange(11), atol=1e-12)


def test_no_samples_give_no_poses():
    result, seen = interpolate_poses(np.empty(0, np.int64), np.empty((0, 7)), [], [EPOCH], max_gap_ns=1)
    assert result.shape == (1, 7)
    assert not seen.any()
    values, valid = interpolate_linear([], np.empty((0, 3)), [5], max_gap_ns=1)
    assert values.shape == (1, 3)
    assert not valid.any()


def test_repeated_stamps_answer_the_last_sample():
    values, valid = interpolate_linear([0, 5, 5, 10], [0.0, 1.0, 2.0, 3.0], [5, 4, 6], max_gap_ns=5)
    assert values == pytest.approx([2.0, 0.8, 2.2])
    assert valid.all()


def test_values_with_a_nan_are_lost_as_a_whole():
    table = np.array([[0.0, 0.0], [1.0, np.nan], [2.0, 2.0], [3.0, 3.0]])
    values, valid = interpolate_linear([0, 10, 20, 30], table, [0, 5, 10, 25], max_gap_ns=10)
    assert valid.tolist() == [True, False, False, True]
    assert np.isnan(values[1:3]).all()
    assert values[[0, 3]].tolist() == [[0.0, 0.0], [2.5, 2.5]]


def test_samples_that_contradict_themselves_are_refused():
    stamps, poses, tracked = path()
    with pytest.raises(StreamError, match="goes back"):
        interpolate_poses(stamps[::-1], poses, tracked, stamps, max_gap_ns=1)
    with pytest.raises(StreamError, match="int64"):
        interpolate_poses(stamps * 1e-9, poses, tracked, stamps, max_gap_ns=1)
    with pytest.raises(StreamError, match="need poses"):
        interpolate_poses(stamps, poses[:-1], tracked, stamps, max_gap_ns=1)
    with pytest.raises(StreamError, match="need values"):
        interpolate_linear(stamps, poses[:-1], stamps, max_gap_ns=1)
    poses[3] = np.nan
    with pytest.raises(StreamError, match="Pose 3 is marked as tracked"):
        interpolate_poses(stamps, poses, tracked, stamps, max_gap_ns=1)
