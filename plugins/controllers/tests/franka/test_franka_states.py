"""The arm's state as handloom_rt.h has it: at the flange, with our sign of a wrench and our names."""

from types import SimpleNamespace

import numpy as np
import pytest

from handloom.geometry import pose, quaternion
from handloom_controllers.arms import fr3
from handloom_controllers.franka.states import UNNAMED_BIT, Translation, quaternion_of, reflexes_of
from handloom_controllers.native.structs import REFLEXES, STATE_COMPENSATES_GRAVITY, STATE_FRESH, names_of, new

ARM = fr3()
Q = [0.3, -0.6, 0.2, -2.1, 0.4, 1.7, -0.5]


def column_major(matrix):
    return matrix.T.ravel().tolist()


@pytest.fixture
def told():
    """What an arm in a posture tells, with a tool and a stiffness frame that are turned and apart."""
    T_flange_ee = pose.to_matrix(ARM.T_flange_tcp)
    T_ee_k = pose.to_matrix(np.concatenate([[0.02, -0.03, 0.05], quaternion.from_rotvec([0.1, 0.2, 0.3])]))
    return SimpleNamespace(
        q=Q,
        dq=[0.1 * joint for joint in range(7)],
        tau_J=[1.0 + joint for joint in range(7)],
        tau_J_d=[2.0 + joint for joint in range(7)],
        O_T_EE=column_major(ARM.chain.forward(Q) @ T_flange_ee),
        F_T_EE=column_major(T_flange_ee),
        EE_T_K=column_major(T_ee_k),
        O_F_ext_hat_K=[0.0] * 6,
    )


class Model:
    """Its own model: numbers for the torques, and the Jacobian at the end effector."""

    def coriolis(self, state):
        return [0.5] * 7

    def gravity(self, state):
        return [4.0] * 7

    def zero_jacobian(self, state):
        jacobian = ARM.chain.jacobian(state.q).copy()
        flange = ARM.chain.forward(state.q)
        lever = flange[:3, :3] @ np.array(state.F_T_EE).reshape(4, 4).T[:3, 3]
        jacobian[:3] += np.cross(jacobian[3:].T, lever).T
        return jacobian.T.ravel().tolist()


@pytest.fixture
def filled(told):
    def fill(**changes):
        state = new("hl_state")
        Translation(Model(), state).fill(SimpleNamespace(**{**vars(told), **changes}))
        return state

    return fill


def test_pose_and_jacobian_are_those_of_the_flange(filled):
    state = filled()
    assert np.allclose(pose.to_matrix(state["T_base_flange"]), ARM.chain.forward(Q), atol=1e-12)
    assert np.allclose(state["jacobian"][:, :7], ARM.chain.jacobian(Q), atol=1e-12)


def test_joints_are_taken_over_and_what_is_not_there_is_not_known(filled, told):
    state = filled()
    for name, source in (("q", told.q), ("dq", told.dq), ("tau", told.tau_J), ("tau_applied", told.tau_J_d)):
        assert state[name][:7].tolist() == source
        assert (state[name][7:] == 0).all()
    assert np.isnan([state["width_m"], state["width_speed"], state["width_force"]]).all()
    assert int(state["flags"]) == STATE_FRESH | STATE_COMPENSATES_GRAVITY
    assert int(state["joints"]) == 7


def test_a_wrench_is_what_is_done_to_the_arm_at_the_flange(filled, told):
    """Virtual work: what it does along any motion of the joints is the same at either point."""
    at_k = np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])
    state = filled(O_F_ext_hat_K=at_k.tolist())
    T_base_k = ARM.chain.forward(Q) @ np.array(told.F_T_EE).reshape(4, 4).T @ np.array(told.EE_T_K).reshape(4, 4).T
    jacobian = ARM.chain.jacobian(Q)
    at_stiffness = jacobian.copy()
    at_stiffness[:3] += np.cross(jacobian[3:].T, T_base_k[:3, 3] - ARM.chain.forward(Q)[:3, 3]).T
    assert np.allclose(jacobian.T @ state["wrench"], -at_stiffness.T @ at_k, atol=1e-12)


def test_a_tool_that_changes_is_noticed(told):
    state = new("hl_state")
    translation = Translation(Model(), state)
    translation.fill(told)
    told.F_T_EE = column_major(np.eye(4))
    told.O_T_EE = column_major(ARM.chain.forward(Q))
    translation.fill(told)
    assert np.allclose(pose.to_matrix(state["T_base_flange"]), ARM.chain.forward(Q), atol=1e-12)


def test_quaternions_are_those_of_our_geometry_for_every_largest_component():
    rng = np.random.default_rng(0)
    turns = [*rng.normal(size=(200, 3)), [np.pi, 0, 0], [0, np.pi, 0], [0, 0, np.pi], [0, 0, 0], [3.1, 0.1, 0]]
    for turn in turns:
        matrix = quaternion.to_matrix(quaternion.from_rotvec(turn))
        found = np.array(quaternion_of(matrix))
        assert np.allclose(quaternion.to_matrix(found), matrix, atol=1e-12)
        assert abs(np.linalg.norm(found) - 1) < 1e-15


class Errors(SimpleNamespace):
    """As of pylibfranka: false where there is none."""

    def __init__(self, *names):
        super().__init__(**{name: name in names for name in REFLEXES})
        self.any = bool(names)

    def __bool__(self):
        return self.any


def test_errors_keep_their_names():
    assert reflexes_of(Errors()) == 0
    found = reflexes_of(Errors("joint_reflex", "communication_constraints_violation"))
    assert names_of(found, REFLEXES) == ("communication_constraints_violation", "joint_reflex")
    assert reflexes_of(Errors("something_else")) == UNNAMED_BIT
