"""The pose of a square through any camera, also where the picture shows more than a half space."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handloom.geometry import KannalaBrandt, quaternion
from handloom_sensors.width.posing import corner_points, facing, square_poses

WIDE = KannalaBrandt(width=2028, height=2028, fx=580.0, fy=580.0, cx=1013.5, cy=1013.5, k1=-0.006, k2=-0.0008)

small = st.floats(-0.3, 0.3)


@settings(max_examples=20, deadline=None)
@example(turn=(0.0, 0.0, 0.0), x=0.0625, y=0.0)  # straight on, where OpenCV's IPPE turns tags over
@given(turn=st.tuples(small, small, small), x=st.floats(-0.1, 0.1), y=st.floats(-0.1, 0.1))
def test_exact_corners_give_the_exact_pose(turn, x, y):
    rotation, centre = quaternion.to_matrix(quaternion.from_rotvec(np.array(turn))), np.array([x, y, 0.072])
    corners, _ = WIDE.project(corner_points(rotation, centre, 0.016))
    poses = square_poses(WIDE, corners, 0.016)
    assert any(
        np.allclose(pose.centre, centre, atol=5e-6)
        and np.allclose(pose.rotation, rotation, atol=5e-3)
        and pose.error_px < 5e-3
        for pose in poses
    )


def test_a_tag_past_90_degrees_has_a_pose_too():
    angle = np.deg2rad(95.0)
    rotation = quaternion.to_matrix(quaternion.from_rotvec(np.array([0.0, angle, 0.0])))
    centre = 0.1 * np.array([np.sin(angle), 0.0, np.cos(angle)])
    corners, valid = WIDE.project(corner_points(rotation, centre, 0.016))
    assert valid.all()
    assert min(np.abs(pose.centre - centre).max() for pose in square_poses(WIDE, corners, 0.016)) < 1e-6


def test_corners_that_no_ray_reaches_have_no_pose():
    assert square_poses(WIDE, np.full((4, 2), 1e6), 0.016) == []


def test_two_solutions_come_the_better_first():
    rotation, centre = quaternion.to_matrix(quaternion.from_rotvec([0.3, 0.1, 0.0])), np.array([0.02, 0.0, 0.07])
    corners, _ = WIDE.project(corner_points(rotation, centre, 0.016))
    first, second = square_poses(WIDE, corners + np.random.default_rng(0).normal(0, 0.3, (4, 2)), 0.016)
    assert first.error_px <= second.error_px
    assert facing(first) == pytest.approx(first.rotation[2, 2])
