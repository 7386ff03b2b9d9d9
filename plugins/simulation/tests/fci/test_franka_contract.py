"""The robot `franka` keeps the contract of robots, through an unmodified pylibfranka."""

import time

import numpy as np
import pytest

from handloom.api import RobotCommand
from handloom.testing.robot_contract import RobotContract
from handloom_controllers.franka.robot import FrankaRobot
from handloom_controllers.franka.settings import FrankaConfig

pytestmark = pytest.mark.real_time


class TestFranka(RobotContract):
    component = FrankaRobot

    @pytest.fixture(autouse=True)
    def interface(self, fci, wheel):
        self.peer = fci()

    def config(self):
        return FrankaConfig(
            address=self.peer.config.address, realtime="ignore", recover=True, lock_step=True, connect_s=60.0
        )

    def test_stop_brings_it_to_rest_and_is_harmless_there(self):
        """Its process brakes by itself and at the arm's pace; however many commands are written meanwhile."""
        with self.opened() as robot:
            self.pushed(robot, 0)
            robot.stop()
            robot.stop()
            robot.write(RobotCommand())
            until = time.monotonic() + 30.0
            while np.abs(robot.read().dq).max() > 0.02:
                assert time.monotonic() < until, "stopped, it still moves"
                time.sleep(0.01)
            robot.stop()
            assert np.isfinite(robot.read().q).all()
