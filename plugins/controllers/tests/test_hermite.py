"""A segment begins and ends with the poses and velocities it was given."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from handloom_controllers.hermite import Knot, cubic, inverse_right_jacobian, right_jacobian, straight

SECOND = 1_000_000_000
seeds = st.integers(0, 2**32 - 1)


def _knots(seed):
    random = np.random.default_rng(seed)
    poses = [np.concatenate([random.normal(size=3), Rotation.random(rng=random).as_quat()]) for _ in range(2)]
    velocities = random.normal(size=(2, 6))
    return [
        Knot(stamp=k * SECOND, pose=pose, velocity=velocity, width_m=0.0)
        for k, (pose, velocity) in enumerate(zip(poses, velocities, strict=True))
    ]


def _base_twist(knot):
    return np.concatenate([knot.velocity[:3], Rotation.from_quat(knot.pose[3:]).apply(knot.velocity[3:])])


@settings(max_examples=40, deadline=None)
@given(seed=seeds)
def test_both_ends_have_the_given_pose_and_velocity(seed):
    start, end = _knots(seed)
    for knot in (start, end):
        pose, twist = cubic(start, end, knot.stamp)
        assert np.allclose(pose[:3], knot.pose[:3])
        assert abs(pose[3:] @ knot.pose[3:]) == pytest.approx(1, abs=1e-12)
        assert np.allclose(twist, _base_twist(knot), atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(seed=seeds, share=st.floats(0.01, 0.99), curve=st.sampled_from([cubic, straight]))
def test_the_twist_is_the_derivative_of_the_pose(seed, share, curve):
    start, end = _knots(seed)
    stamp, h = round(share * SECOND), 10_000
    (before, _), (_, twist), (after, _) = (curve(start, end, stamp + shift) for shift in (-h, 0, h))
    assert np.allclose((after[:3] - before[:3]) / (2e-9 * h), twist[:3], atol=1e-4)
    turn = Rotation.from_quat(after[3:]) * Rotation.from_quat(before[3:]).inv()
    assert np.allclose(turn.as_rotvec() / (2e-9 * h), twist[3:], atol=1e-4)


@settings(max_examples=40, deadline=None)
@given(seed=seeds, angle=st.one_of(st.floats(0, np.pi), st.sampled_from([1e-12, 1e-4, 9.99e-4, 1.01e-3, np.pi])))
def test_the_inverse_jacobian_is_the_inverse(seed, angle):
    axis = np.random.default_rng(seed).normal(size=3)
    turn = angle * axis / np.linalg.norm(axis)
    assert np.allclose(right_jacobian(turn) @ inverse_right_jacobian(turn), np.eye(3), atol=1e-8)


def test_a_knot_at_rest_between_equal_poses_stays():
    start, _ = _knots(1)
    still = Knot(stamp=0, pose=start.pose, velocity=np.zeros(6), width_m=0.0)
    end = Knot(stamp=SECOND, pose=start.pose, velocity=np.zeros(6), width_m=0.0)
    pose, twist = cubic(still, end, SECOND // 3)
    assert np.allclose(pose, start.pose)
    assert np.allclose(twist, 0)
