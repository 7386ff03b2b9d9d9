"""Quaternions form a group, agree with scipy, and keep lost rows lost."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation, Slerp

from handloom.errors import FrameError
from handloom.geometry import quaternion
from handloom.geometry.arrays import cross

laws = settings(max_examples=60, deadline=None)
LOST = np.full(4, np.nan)


@st.composite
def quaternions(draw):
    elements = draw(
        st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4).filter(lambda q: np.linalg.norm(q) > 0.1)
    )
    return np.array(elements) / np.linalg.norm(elements)


vectors = st.lists(st.floats(-10.0, 10.0), min_size=3, max_size=3).map(np.array)


def random_quaternions(count, seed=0):
    return quaternion.normalize(np.random.default_rng(seed).normal(size=(count, 4)))


def same_rotation(first, second, tolerance=1e-12):
    return np.allclose(np.abs((np.asarray(first) * second).sum(axis=-1)), 1.0, rtol=0, atol=tolerance)


@laws
@given(p=quaternions(), q=quaternions(), r=quaternions())
def test_multiplication_is_associative(p, q, r):
    left = quaternion.multiply(quaternion.multiply(p, q), r)
    assert np.allclose(left, quaternion.multiply(p, quaternion.multiply(q, r)), atol=1e-14)


@laws
@given(q=quaternions())
def test_conjugate_is_the_inverse(q):
    assert np.allclose(quaternion.multiply(q, quaternion.conjugate(q)), [0, 0, 0, 1], atol=1e-14)


@laws
@given(p=quaternions(), q=quaternions(), v=vectors)
def test_the_product_rotates_like_one_after_the_other(p, q, v):
    whole = quaternion.rotate(quaternion.multiply(p, q), v)
    assert np.allclose(whole, quaternion.rotate(p, quaternion.rotate(q, v)), atol=1e-12)


@laws
@given(q=quaternions(), v=vectors)
def test_rotate_agrees_with_scipy(q, v):
    assert np.allclose(quaternion.rotate(q, v), Rotation.from_quat(q).apply(v), atol=1e-12)


@laws
@given(q=quaternions())
def test_matrices_agree_with_scipy_and_come_back(q):
    matrix = quaternion.to_matrix(q)
    assert np.allclose(matrix, Rotation.from_quat(q).as_matrix(), atol=1e-14)
    back = quaternion.from_matrix(matrix)
    assert back[3] >= 0.0
    assert same_rotation(back, q)


@pytest.mark.parametrize("axis", [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [-1, 2, 3]])
def test_half_turns_survive_the_matrix(axis):
    q = quaternion.normalize([*axis, 0.0])
    assert same_rotation(quaternion.from_matrix(quaternion.to_matrix(q)), q)


@laws
@given(v=st.lists(st.floats(-1.8, 1.8), min_size=3, max_size=3).map(np.array), size=st.integers(-200, 0))
def test_rotation_vectors_come_back_at_every_size(v, size):
    rotvec = v * 10.0**size
    assert np.allclose(quaternion.to_rotvec(quaternion.from_rotvec(rotvec)), rotvec, rtol=1e-13, atol=1e-300)


@laws
@given(q=quaternions())
def test_rotation_vectors_agree_with_scipy(q):
    rotvec = quaternion.to_rotvec(q)
    assert np.linalg.norm(rotvec) <= np.pi + 1e-12
    assert same_rotation(quaternion.from_rotvec(rotvec), q)
    assert np.linalg.norm(rotvec) == pytest.approx(Rotation.from_quat(q).magnitude(), abs=1e-12)


@laws
@given(start=quaternions(), end=quaternions(), share=st.floats(0.0, 1.0))
def test_slerp_agrees_with_scipy(start, end, share):
    if abs(float(start @ end)) < 1e-6:  # both ways round are equally short there
        return
    oracle = Slerp([0.0, 1.0], Rotation.from_quat([start, end]))(share).as_quat()
    assert same_rotation(quaternion.slerp(start, end, share), oracle, 1e-10)


def test_slerp_takes_the_shorter_way_whatever_the_signs():
    start = quaternion.from_rotvec([0.0, 0.0, 0.1])
    end = -quaternion.from_rotvec([0.0, 0.0, 0.3])
    assert same_rotation(quaternion.slerp(start, end, 0.5), quaternion.from_rotvec([0.0, 0.0, 0.2]))


def test_slerp_turns_at_constant_speed():
    start, end = random_quaternions(2)
    steps = quaternion.slerp(start, end, np.linspace(0.0, 1.0, 11))
    turns = quaternion.to_rotvec(quaternion.multiply(quaternion.conjugate(steps[:-1]), steps[1:]))
    assert np.allclose(turns, turns[0], atol=1e-12)


def test_batches_broadcast_like_single_rows():
    many, one = random_quaternions(5), random_quaternions(1, seed=1)[0]
    product = quaternion.multiply(many, one)
    assert product.shape == (5, 4)
    assert np.array_equal(product[3], quaternion.multiply(many[3], one))
    assert quaternion.rotate(many[:, None], np.ones((1, 3, 3))).shape == (5, 3, 3)
    assert quaternion.to_matrix(many.reshape(5, 1, 4)).shape == (5, 1, 3, 3)
    assert quaternion.from_matrix(quaternion.to_matrix(many.reshape(5, 1, 4))).shape == (5, 1, 4)


def test_lost_rows_stay_lost_and_leave_their_neighbours_alone():
    rows = random_quaternions(3)
    rows[1] = LOST
    half = rows.copy()
    half[1] = [np.nan, 0.0, 0.0, 1.0]
    for lost in (rows, half):
        for result in (
            quaternion.multiply(lost, rows[0]),
            quaternion.conjugate(lost),
            quaternion.normalize(lost),
            quaternion.rotate(lost, [1.0, 2.0, 3.0]),
            quaternion.to_rotvec(lost),
            quaternion.from_rotvec(lost[:, :3]),
            quaternion.to_matrix(lost),
            quaternion.from_matrix(quaternion.to_matrix(lost)),
            quaternion.slerp(lost, rows[0], 0.5),
        ):
            flat = result.reshape(3, -1)
            assert np.isnan(flat[1]).all()
            assert np.isfinite(flat[[0, 2]]).all()


@pytest.mark.parametrize("wrong", [[0.0] * 4, [np.inf, 0, 0, 1]])
def test_what_is_no_rotation_is_refused(wrong):
    with pytest.raises(FrameError, match="finite and not zero"):
        quaternion.normalize([[0, 0, 0, 1], wrong])


def test_tiny_quaternions_are_still_normalised():
    assert np.allclose(quaternion.normalize([0, 0, 3e-200, 4e-200]), [0, 0, 0.6, 0.8])


@pytest.mark.parametrize(
    "matrix", [np.diag([1, 1, -1]), np.diag([1, 1, 1.01]), np.full((3, 3), np.inf), -np.eye(3)]
)
def test_matrices_that_do_not_rotate_are_refused(matrix):
    with pytest.raises(FrameError, match="not a rotation"):
        quaternion.from_matrix([np.eye(3), matrix])


def test_wrong_shapes_are_named():
    with pytest.raises(FrameError, match=r"\(\.\.\., 4\); found \(3,\)"):
        quaternion.conjugate([1, 2, 3])
    with pytest.raises(FrameError, match=r"\(\.\.\., 3, 3\)"):
        quaternion.from_matrix(np.eye(4))


@laws
@given(p=quaternions(), q=quaternions(), sign=st.sampled_from([1.0, -1.0]))
def test_the_angle_between_agrees_with_scipy_whatever_the_hemisphere(p, q, sign):
    turn = Rotation.from_quat(p).inv() * Rotation.from_quat(q)
    assert quaternion.angle_between(p, sign * q) == pytest.approx(turn.magnitude(), abs=1e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-6, 1.0, np.pi])
def test_the_angle_between_is_exact_for_the_smallest_turns(angle):
    turned = quaternion.from_rotvec([0.0, angle, 0.0])
    assert quaternion.angle_between([0.0, 0.0, 0.0, 1.0], turned) == pytest.approx(angle, rel=1e-12)


def test_the_angle_to_a_lost_orientation_is_lost():
    assert np.isnan(quaternion.angle_between(LOST, [0.0, 0.0, 0.0, 1.0]))


def test_products_of_vectors_are_those_of_numpy_to_the_bit():
    first, second = np.random.default_rng(0).normal(size=(2, 50, 3))
    np.testing.assert_array_equal(cross(first, second), np.cross(first, second))
    np.testing.assert_array_equal(cross(first[0], second), np.cross(first[0], second))
