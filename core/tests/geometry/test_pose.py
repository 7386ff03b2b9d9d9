"""Poses form a group, agree with matrices, and exp and log undo each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm

from handloom.errors import FrameError
from handloom.geometry import IDENTITY, pose, quaternion

laws = settings(max_examples=60, deadline=None)


@st.composite
def poses(draw):
    position = draw(st.lists(st.floats(-5.0, 5.0), min_size=3, max_size=3))
    elements = draw(
        st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1)
    )
    return np.concatenate([position, np.array(elements) / np.linalg.norm(elements)])


def random_poses(count, seed=0):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(size=(count, 3)), quaternion.normalize(rng.normal(size=(count, 4)))], axis=1)


@laws
@given(T_a_b=poses(), T_b_c=poses(), T_c_d=poses())
def test_composition_is_associative(T_a_b, T_b_c, T_c_d):
    left = pose.compose(pose.compose(T_a_b, T_b_c), T_c_d)
    assert np.allclose(left, pose.compose(T_a_b, pose.compose(T_b_c, T_c_d)), atol=1e-12)


@laws
@given(T_a_b=poses())
def test_inverse_and_identity_keep_the_axioms(T_a_b):
    assert np.allclose(pose.compose(T_a_b, pose.inverse(T_a_b)), IDENTITY, atol=1e-13)
    assert np.allclose(pose.compose(pose.inverse(T_a_b), T_a_b), IDENTITY, atol=1e-13)
    assert np.array_equal(pose.compose(T_a_b, IDENTITY), T_a_b)
    assert np.allclose(pose.compose(IDENTITY, T_a_b), T_a_b, atol=1e-15)


@laws
@given(T_a_b=poses(), T_b_c=poses())
def test_composition_is_the_product_of_the_matrices(T_a_b, T_b_c):
    product = pose.to_matrix(T_a_b) @ pose.to_matrix(T_b_c)
    assert np.allclose(pose.to_matrix(pose.compose(T_a_b, T_b_c)), product, atol=1e-13)


@laws
@given(T_a_b=poses())
def test_points_move_as_the_matrix_says(T_a_b):
    points = np.array([[1.0, -2.0, 3.0], [0.0, 0.0, 0.0]])
    by_matrix = points @ pose.to_matrix(T_a_b)[:3, :3].T + T_a_b[:3]
    assert np.allclose(pose.transform_points(T_a_b, points), by_matrix, atol=1e-12)


@laws
@given(T_a_b=poses())
def test_matrices_come_back(T_a_b):
    back = pose.from_matrix(pose.to_matrix(T_a_b))
    assert back[6] >= 0.0
    assert np.allclose(pose.log(pose.compose(pose.inverse(T_a_b), back)), 0.0, atol=1e-12)


@laws
@given(twist=st.lists(st.floats(-1.5, 1.5), min_size=6, max_size=6).map(np.array), size=st.floats(-9.0, 0.0))
def test_exp_is_the_matrix_exponential_and_log_undoes_it(twist, size):
    twist = twist * 10.0**size
    x, y, z = twist[3:]
    generator = np.zeros((4, 4))
    generator[:3, :3] = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    generator[:3, 3] = twist[:3]
    assert np.allclose(pose.to_matrix(pose.exp(twist)), expm(generator), atol=1e-13)
    assert np.allclose(pose.log(pose.exp(twist)), twist, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("angle", [1e-9, 0.0999999, 0.1000001, 1.0, 3.0, np.pi - 1e-7, np.pi])
def test_log_and_exp_agree_on_both_sides_of_the_series(angle):
    twist = np.array([0.3, -0.2, 0.5, *(angle * np.array([2.0, -1.0, 2.0]) / 3.0)])
    assert np.allclose(pose.exp(pose.log(pose.exp(twist))), pose.exp(twist), atol=1e-13)
    assert np.allclose(pose.log(pose.exp(twist))[:3], twist[:3], atol=1e-8)


@laws
@given(T_a_b=poses())
def test_the_derivative_of_exp_at_zero_is_the_body_velocity(T_a_b):
    step = 1e-6
    for axis in range(6):
        twist = np.zeros(6)
        twist[axis] = step
        moved = pose.compose(T_a_b, pose.exp(twist))
        back = pose.compose(T_a_b, pose.exp(-twist))
        velocity = (moved[:3] - back[:3]) / (2.0 * step)
        expected = quaternion.rotate(T_a_b[3:], np.eye(3)[axis]) if axis < 3 else np.zeros(3)
        assert np.allclose(velocity, expected, atol=1e-8)


def test_batches_broadcast():
    many, one = random_poses(4), random_poses(1, seed=3)[0]
    assert np.array_equal(pose.compose(one, many)[2], pose.compose(one, many[2]))
    assert pose.transform_points(many[:, None], np.zeros((1, 9, 3))).shape == (4, 9, 3)
    assert pose.from_matrix(pose.to_matrix(many.reshape(2, 2, 7))).shape == (2, 2, 7)
    assert pose.compose(np.empty((0, 7)), one).shape == (0, 7)


@pytest.mark.parametrize("column", range(7))
def test_half_lost_rows_become_lost_rows(column):
    rows = random_poses(3)
    rows[1, column] = np.nan
    for result in (
        pose.compose(rows, random_poses(1)[0]),
        pose.compose(random_poses(1)[0], rows),
        pose.inverse(rows),
        pose.transform_points(rows, [0.0, 0.0, 0.0]),
        pose.to_matrix(rows),
        pose.from_matrix(pose.to_matrix(rows)),
        pose.log(rows),
        pose.exp(rows[:, 1:] if column else rows[:, :6]),
    ):
        flat = result.reshape(3, -1)
        assert np.isnan(flat[1]).all()
        assert np.isfinite(flat[[0, 2]]).all()


def test_a_single_lost_pose_is_lost_as_a_matrix_and_back():
    matrix = pose.to_matrix(np.full(7, np.nan))
    assert np.isnan(matrix).all()
    assert np.isnan(pose.from_matrix(matrix)).all()


def test_a_matrix_with_a_bad_last_row_is_refused():
    with pytest.raises(FrameError, match="last row"):
        pose.from_matrix(2.0 * np.eye(4))


def test_identity_can_not_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        IDENTITY[0] = 1.0
