"""Kinematics in numpy, held against themselves."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from handloom_controllers.arms import fr3
from handloom_controllers.arms.chain import Chain

CHAIN = fr3().chain
ANGLES = st.lists(st.floats(-3.0, 3.0), min_size=7, max_size=7).map(np.array)


@given(q=ANGLES)
@settings(max_examples=25, deadline=None)
def test_the_jacobian_is_the_derivative_of_the_flange(q):
    step = 1e-6
    jacobian = CHAIN.jacobian(q)
    for joint in range(7):
        move = step * np.eye(7)[joint]
        before, after = CHAIN.forward(q - move), CHAIN.forward(q + move)
        linear = (after[:3, 3] - before[:3, 3]) / (2 * step)
        turned = Rotation.from_matrix(after[:3, :3] @ before[:3, :3].T).as_rotvec() / (2 * step)
        assert np.allclose(jacobian[:, joint], [*linear, *turned], atol=1e-8)


@given(q=ANGLES)
@settings(max_examples=25, deadline=None)
def test_a_pose_is_rigid(q):
    rotation = CHAIN.forward(q)[:3, :3]
    assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-13)
    assert np.linalg.det(rotation) > 0


def test_two_links_in_a_plane_are_the_textbooks():
    chain = Chain.from_dh([(0.0, 0.0, 0.0), (0.5, 0.0, 0.0)], (0.3, 0.0, 0.0))
    first, second = 0.4, -1.1
    T_base_flange = chain.forward([first, second])
    x = 0.5 * np.cos(first) + 0.3 * np.cos(first + second)
    y = 0.5 * np.sin(first) + 0.3 * np.sin(first + second)
    assert np.allclose(T_base_flange[:3, 3], [x, y, 0.0])
