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
