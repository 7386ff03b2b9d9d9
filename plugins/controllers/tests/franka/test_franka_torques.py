"""What the arm's process gives to the arm: within its rate and its limits, or a damped stop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handloom_controllers.arms import fr3
from handloom_controllers.franka.torques import MOST_STEP_NM, NOT_FINITE, RANGE, Torques
from handloom_controllers.native.structs import MODE_DAMPED, MODE_POSITION, MODE_TORQUE, new

LIMITS = fr3().limits
AT_REST = [0.0] * 7
DAMPING = (20.0, 20.0, 15.0, 15.0, 5.0, 4.0, 2.5)


def command(tau=AT_REST, mode=MODE_TORQUE):
    found = new("hl_command")
    found["mode"], found["tau"][:7] = mode, tau
    return found


@pytest.fixture
def torques():
    return Torques(LIMITS, DAMPING)


@given(
    st.lists(st.floats(-12, 12), min_size=7, max_size=7),
    st.lists(st.floats(-12, 12), min_size=7, max_size=7),
    st.lists(st.floats(-3, 3), min_size=7, max_size=7),
    st.sampled_from([MODE_TORQUE, MODE_DAMPED, MODE_POSITION]),
)
def test_no_torque_steps_from_what_the_arm_goes_by(tau, applied, velocities, mode):
    torques = Torques(LIMITS, DAMPING)
    torques.step(command(tau, mode), applied, velocities)
    assert np.abs(np.subtract(torques.tau, applied)).max() <= MOST_STEP_NM + 1e-12


def test_a_torque_within_its_rate_is_given_on_as_it_is(torques):
    wanted = [0.5, -0.9, 0.1, 0.0, 0.3, -0.2, 0.7]
    assert torques.step(command(wanted), AT_REST, AT_REST)
    assert np.allclose(torques.tau, wanted, rtol=0, atol=1e-15)
    assert torques.limited == 0


def test_a_step_is_held_back_and_counted(torques):
    assert torques.step(command([5.0, *AT_REST[1:]]), AT_REST, AT_REST)
    assert torques.tau[0] == MOST_STEP_NM
    assert torques.limited == 1


@pytest.mark.parametrize(
    ("torque", "refused"), [(np.nan, NOT_FINITE), (-np.inf, NOT_FINITE), (12.5, RANGE), (-12.5, RANGE)]
)
def test_what_may_not_be_is_refused_for_good(torques, torque, refused):
    assert not torques.step(command([*AT_REST[1:], torque]), AT_REST, AT_REST)
    assert torques.refused == refused
    assert np.isfinite(torques.tau).all()
    assert not torques.step(command(), AT_REST, AT_REST)


def test_once_damped_it_stays_so(torques):
    assert not torques.step(command(mode=MODE_DAMPED), AT_REST, AT_REST)
    assert not torques.step(command(), AT_REST, AT_REST)
    assert torques.refused == 0


def test_joint_positions_damp(torques):
    assert not torques.step(command(mode=MODE_POSITION), AT_REST, AT_REST)
    assert torques.positions_asked


def test_damping_is_against_the_velocity_and_no_more_than_half_of_the_limit(torques):
    applied = AT_REST
    for _ in range(200):
        torques.step(command(mode=MODE_DAMPED), applied, [9.0, -9.0, 0.1, 0.0, 0.0, 0.0, 9.0])
        applied = list(torques.tau)
    assert np.allclose(applied, [-43.5, 43.5, -1.5, 0.0, 0.0, 0.0, -6.0])
    assert torques.limited == 0


def test_damping_takes_a_joint_to_rest_without_swinging(torques):
    """The lightest joint with the strongest damping that its motor can give, one millisecond late."""
    for joint, inertia in ((0, 1.0), (3, 0.5), (6, 0.03)):
        applied, speed, before, speeds = AT_REST, 1.0, AT_REST, []
        for _ in range(3000):
            velocities = [speed if each == joint else 0.0 for each in range(7)]
            torques.step(command(mode=MODE_DAMPED), applied, velocities)
            before, applied = applied, list(torques.tau)
            speed += before[joint] / inertia * 1e-3
            speeds.append(speed)
        assert abs(speeds[-1]) < 1e-3
        assert min(speeds) > -0.5
