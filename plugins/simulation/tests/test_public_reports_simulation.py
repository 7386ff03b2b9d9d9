"""Public reports of arms that stopped themselves: the simulated one does the same when the protection is off."""

import numpy as np
import pytest

from handloom.api import RobotCommand

pytest.importorskip("handloom_controllers", reason="the simulated arm needs handloom-controllers")


@pytest.fixture
def arm():
    from handloom_simulation.arm.robots import MujocoFr3
    from handloom_simulation.arm.settings import MujocoFr3Config

    with MujocoFr3(MujocoFr3Config(first_stamp_ns=0)) as robot:
        robot.read()
        yield robot


def write(robot, tau, *, periods=1):
    from handloom_controllers.native import new

    command = new("hl_command")
    command["periods"], command["width_m"] = periods, np.nan
    command["tau"][:7] = tau
    robot._table.write(command)


def test_a_torque_step_of_a_stiff_controller_is_a_discontinuity(arm):
    """frankarobotics/libfranka#196, #9: nothing between a high gain and the robot."""
    state = arm.read()
    target = state.q + 0.05
    for _ in range(3):
        state = arm.read()
        arm.write(RobotCommand(tau=100.0 * (target - state.q) - 5.0 * state.dq))
    assert arm.read().reflexes == ("controller_torque_discontinuity",)


@pytest.mark.parametrize("against_applied", [False, True])
def test_a_torque_limited_against_a_command_that_never_arrived_is_a_discontinuity(arm, against_applied):
    """frankarobotics/franka_ros#324: less than 1 Nm a cycle, and rejected all the same after a lost packet."""
    wished, commanded = np.eye(7)[0] * 20.0, np.zeros(7)
    for cycle in range(20):
        before = arm.read().tau_applied if against_applied else commanded
        commanded = before + np.clip(wished - before, -0.9, 0.9)
        if cycle == 10:
            continue  # lost on the way
        write(arm, commanded, periods=2 if cycle == 11 else 1)
    found = arm.read().reflexes
    assert found == (() if against_applied else ("controller_torque_discontinuity",))


@pytest.mark.parametrize(("stall", "reflexes"), [(19, ()), (20, ("communication_constraints_violation",))])
def test_a_cycle_that_takes_too_long_is_a_communication_violation(arm, stall, reflexes):
    """frankarobotics/libfranka#163, #174, #123: twenty commands in a row that did not come."""
    write(arm, np.zeros(7))
    write(arm, np.zeros(7), periods=1 + stall)
    assert arm.read().reflexes == reflexes


class ConstantVelocity:
    """A tool that shall move with 0.1 m/s from the first cycle on, from rest."""

    def __init__(self, robot):
        from handloom_controllers.cartesian_following import CartesianFollowing

        self.robot, state = robot, robot.read()
        self.law = CartesianFollowing()
        self.law.start(limits=robot.limits, thresholds=robot.collision_thresholds, state=state)
        self.at = state.T_base_flange.copy()
        self.twist = np.array([0.0, 0.1, 0.0, 0.0, 0.0, 0.0])

    def run(self, cycles):
        from handloom.api import CartesianCommand

        for _ in range(cycles):
            state = self.robot.read()
            self.at[1] += 1e-4
            wanted = CartesianCommand(stamp=state.stamp, pose=self.at.copy(), twist=self.twist, width_m=np.nan)
            self.robot.write(self.law.step(state, wanted))
        return self.robot.read()


def test_a_constant_cartesian_velocity_from_rest_is_ramped_on_the_position_path(arm):
    """frankarobotics/libfranka#199: acceleration discontinuity."""
    state = ConstantVelocity(arm).run(600)
    assert state.reflexes == ()
    assert abs(state.T_base_flange[1] - 0.06) < 2e-3


def test_positions_of_a_constant_velocity_without_a_ramp_stop_the_arm(arm):
    """frankarobotics/franka_ros2#168: position commands that nobody limits; the law's never go there unlimited."""
    q = arm.read().q
    for _ in range(3):
        arm.write(RobotCommand(q=q.copy()))
    for _ in range(3):
        q[0] += 2e-4
        arm.write(RobotCommand(q=q.copy()))
    assert arm.read().reflexes == ("joint_motion_generator_velocity_discontinuity",)


def test_leaping_references_leave_position_commands_within_their_limits(arm):
    """frankarobotics/franka_ros2#168: the law limits what it is asked for, and the arm does not stop itself."""
    moved = ConstantVelocity(arm)
    for leap in (0.05, -0.08, 0.06):
        moved.at[:3] += leap
        assert moved.run(300).reflexes == ()
    state = moved.run(1)
    assert np.isfinite(state.q).all()
