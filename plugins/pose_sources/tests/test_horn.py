"""Horn's closed form is the best rotation and shift, and the spread says what it could not see."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from handloom.geometry import pose
from handloom_pose_sources.alignment import horn, principal_spread

seeds = st.integers(0, 10_000)


@settings(max_examples=40, deadline=None)
@given(seeds, st.booleans())
def test_the_rotation_is_the_one_scipy_finds(seed, flat):
    random = np.random.default_rng(seed)
    points_b = random.normal(size=(20, 3)) * [0.3, 0.2, 0.0 if flat else 0.1]
    points_a = (
        pose.transform_points(pose.exp(random.normal(size=6) * 2), points_b) + random.normal(size=(20, 3)) * 0.01
    )
    weights = random.uniform(0.1, 1.0, 20)
    T_a_b = horn(points_a, points_b, weights)
    centres = [weights @ points / weights.sum() for points in (points_a, points_b)]
    rotation, _ = Rotation.align_vectors(points_a - centres[0], points_b - centres[1], weights=weights)
    assert np.allclose(Rotation.from_quat(T_a_b[3:]).as_matrix(), rotation.as_matrix(), atol=1e-9)
    assert np.allclose(pose.transform_points(T_a_b, centres[1]), centres[0], atol=1e-12)


@settings(max_examples=25, deadline=None)
@given(seeds)
def test_moving_both_worlds_moves_the_transform_with_them(seed):
    random = np.random.default_rng(seed)
    points_a, points_b = random.normal(size=(2, 15, 3))
    T_c_a, T_d_b = pose.exp(random.normal(size=(2, 6)))
    moved = horn(pose.transform_points(T_c_a, points_a), pose.transform_points(T_d_b, points_b))
    expected = pose.compose(pose.compose(T_c_a, horn(points_a, points_b)), pose.inverse(T_d_b))
    assert np.allclose(pose.to_matrix(moved), pose.to_matrix(expected), atol=1e-6)


def test_a_half_turn_is_found():
    points_b = np.random.default_rng(0).normal(size=(10, 3))
    T_a_b = np.array([1.0, 2, 3, 1, 0, 0, 0])
    assert np.allclose(
        pose.to_matrix(horn(pose.transform_points(T_a_b, points_b), points_b)), pose.to_matrix(T_a_b), atol=1e-9
    )


def test_the_spread_names_the_line_that_points_lie_on():
    along = np.array([0.6, 0.0, 0.8])
    points = np.linspace(-1, 1, 101)[:, None] * along + [5.0, 6, 7]
    spread, axes = principal_spread(points)
    assert spread == pytest.approx([np.std(np.linspace(-1, 1, 101)), 0, 0], abs=1e-7)
    assert abs(axes[0] @ along) == pytest.approx(1)
