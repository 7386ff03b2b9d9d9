"""The owner's side of the robot `franka`: starts its process, and tells what that says."""

from __future__ import annotations

import json
import math
import shutil
import sys
import tempfile
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import attrs
import numpy as np

from handloom.api import CollisionThresholds, JointLimits, Native, Ports, Robot, RobotCommand, RobotState, hookimpl
from handloom.errors import HandloomError
from handloom_controllers.arms import Arm, load_arm
from handloom_controllers.franka.report import REPORT, End, Report
from handloom_controllers.franka.settings import FrankaConfig
from handloom_controllers.realtime.remote import RemoteRobot

STARTING_S = 60.0
"""How long its process may take for all but connecting."""


PATIENCE_S = {False: 0.5, True: 30.0}
"""How long a state may take before the arm counts as gone; in lock step, where time stands still, much longer."""


class FrankaRobot(Robot):
    """A Franka Research 3 through its control interface.

    The arm stands, held by itself, until the first command with torques; from then on until the stop it goes by
    them. It is not moved by joint positions, and its hand is not moved at all.

    Attributes:
        in_own_process: It starts a process of its own, and needs no other around it.
        end: How the last one ended; None before that.
    """

    Config = FrankaConfig
    summary = "A Franka Research 3 through pylibfranka, torque-controlled, in a process of its own"
    in_own_process: ClassVar[bool] = True

    def __init__(self, config: Any = None) -> None:
        super().__init__(config)
        self._remote: RemoteRobot | None = None
        self._folder: Path | None = None
        self.end: End | None = None

    @classmethod
    def ports(cls, config: FrankaConfig) -> Ports:
        """Declare nothing: states and commands come through the contract of robots."""
        return Ports()

    @cached_property
    def arm(self) -> Arm:
        """Its description in our files."""
        return load_arm("fr3", limits_edition=self.config.limits_edition, hand=self.config.hand)

    @property
    def limits(self) -> JointLimits:
        """What each joint may do."""
        return self.arm.limits

    @property
    def collision_thresholds(self) -> CollisionThresholds:
        """From where on it stops by itself; it is told so before it moves."""
        return thresholds_of(self.arm, self.config)

    @property
    def pid(self) -> int | None:
        """Return the process id of the arm's process."""
        return self._remote.pid if self._remote else None

    def open(self) -> None:
        """Start the arm's process, and wait until it has the arm's first state.

        Raises:
            HandloomError: pylibfranka is missing, or the arm can't be reached or is not ready to move.
        """
        if self._remote is not None:
            return
        if find_spec("pylibfranka") is None:
            raise HandloomError(missing())
        self._folder, self.end = Path(tempfile.mkdtemp(prefix="handloom-franka-")), None
        settings = json.dumps(attrs.asdict(self.config))
        self._remote = RemoteRobot(
            [sys.executable, "-m", "handloom_controllers.franka.process", str(self._folder / REPORT), settings],
            limits=self.limits,
            collision_thresholds=self.collision_thresholds,
            patience_s=PATIENCE_S[self.config.lock_step],
            start_s=STARTING_S + self.config.connect_s,
        )
        try:
            self._remote.open()
        except HandloomError as error:
            told = Report.read(self._folder / REPORT).why(self.config)
            self.close()
            raise HandloomError(told or str(error)) from error

    def close(self) -> None:
        """Let go, upon which the process brings the arm to rest and ends; harmless when it is not open."""
        remote, self._remote = self._remote, None
        folder, self._folder = self._folder, None
        if remote is not None:
            remote.close()
        if folder is not None:
            self.end = Report.read(folder / REPORT).end
            shutil.rmtree(folder, ignore_errors=True)

    def native(self) -> Native | None:
        """Return the table by which the real-time loop reaches the arm's process."""
        return self._opened().native()

    def read(self) -> RobotState:
        """Return the newest measurement; not while a loop has the robot.

        Raises:
            HandloomError: The arm's process is gone; says what it said.
        """
        remote = self._opened()
        try:
            return remote.read()
        except HandloomError as error:
            assert self._folder is not None
            told = Report.read(self._folder / REPORT).sentence
            raise HandloomError(told or str(error)) from error

    def write(self, command: RobotCommand) -> None:
        """Command one cycle; not while a loop has the robot.

        Raises:
            HandloomError: The command is for another number of joints, or has joint positions.
        """
        remote = self._opened()
        if command.q is not None:
            raise HandloomError("The command is refused: robot 'franka' takes torques, and no joint positions.")
        remote.write(command)

    def stop(self) -> None:
        """Come to rest by damping, and stay so until it is opened again."""
        if self._remote is not None:
            self._remote.stop()

    def _opened(self) -> RemoteRobot:
        if self._remote is None:
            raise HandloomError("Robot 'franka' is not open; use it inside its `with` block.")
        return self._remote


def missing(reason: str = "") -> str:
    """Say what to install."""
    told = f" ({reason})" if reason else ""
    return (
        f"Robot 'franka' needs pylibfranka, which is not there{told}; pip install "
        "'handloom-controllers[franka]' on Linux (x86-64, glibc 2.34) with Python 3.11 or 3.12."
    )


def thresholds_of(arm: Arm, config: FrankaConfig) -> CollisionThresholds:
    """Return the arm's thresholds with those that were set in their place."""
    own, joints = arm.thresholds, config.collision_joint_torque_nm
    return attrs.evolve(
        own,
        force_n=own.force_n if math.isnan(config.collision_force_n) else config.collision_force_n,
        torque_nm=own.torque_nm if math.isnan(config.collision_torque_nm) else config.collision_torque_nm,
        joint_torque_nm=np.array(joints, dtype=np.float64) if joints else own.joint_torque_nm,
    )


@hookimpl
def robot(kind: str) -> type[Robot]:
    """Answer for `franka`."""
    return FrankaRobot
