"""Arms that are open for a test, and a joint controller that moves them gently."""

import numpy as np
import pytest

from handloom.api import RobotCommand

pytest.importorskip("handloom_controllers", reason="the simulated arm needs handloom-controllers")


@pytest.fixture(scope="session")
def compiler():
    """Skip what moves an arm where there is nothing to compile it with."""
    import os

    from handloom_simulation.arm.compiling import find_compiler

    if find_compiler(os.environ) is None:
        pytest.skip("the simulated arm is compiled on first use, and there is no C++ compiler")


@pytest.fixture(scope="session")
def compiled_loop(compiler):
    """Skip what needs the real-time library where that is not installed."""
    from handloom_controllers.native import NoNativeLibraryError, library

    try:
        library()
    except NoNativeLibraryError as missing:
        pytest.skip(str(missing))


@pytest.fixture
def open_fr3(compiler):
    from handloom_simulation.arm.robots import MujocoFr3, MujocoFr3Config

    opened = []

    def make(**settings):
        robot = MujocoFr3(MujocoFr3Config(**{"first_stamp_ns": 0, **settings}))
        robot.open()
        opened.append(robot)
        return robot

    yield make
    for robot in opened:
        robot.close()


class JointLaw:
    """Torques that pull the joints towards positions, no faster than 0.9 Nm a cycle."""

    def __init__(self, robot, *, stiffness=60.0, damping=8.0):
        self.robot, self.stiffness, self.damping = robot, stiffness, damping
        self.tau = np.zeros(len(robot.limits.names))

    def towards(self, q, steps):
        for _ in range(steps):
            state = self.robot.read()
            if state.reflexes:
                return state
            wished = np.clip(self.stiffness * (q - state.q) - self.damping * state.dq, -8.0, 8.0)
            self.tau = self.tau + np.clip(wished - self.tau, -0.9, 0.9)
            self.robot.write(RobotCommand(tau=self.tau))
        return self.robot.read()


@pytest.fixture
def joint_law():
    return JointLaw


@pytest.fixture
def raw_write():
    """Write a whole `hl_command`, as the loop does, with periods and the gripper's speed and force."""
    from handloom_controllers.native import new

    def write(robot, *, mode=0, periods=1, width_m=np.nan, speed=np.nan, force=np.nan, **arrays):
        command = new("hl_command")
        command["mode"], command["periods"] = mode, periods
        command["width_m"], command["width_speed"], command["width_force"] = width_m, speed, force
        for name, values in arrays.items():
            command[name][: len(values)] = values
        return robot._table.write(command)

    return write
