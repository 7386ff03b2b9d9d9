"""The robot `replay`: a recorded one, which plays its states and holds commands against those it was given."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import CollisionThresholds, JointLimits, Ports, Robot, RobotCommand, RobotState, hookimpl
from handloom.errors import HandloomError
from handloom_controllers.arms import Arm, load_arm
from handloom_controllers.replaying.comparison import CommandComparison, Comparison
from handloom_controllers.replaying.recording import Recording, read_recording
from handloom_controllers.replaying.weight import Weight


@attrs.frozen(kw_only=True)
class ReplayConfig:
    """Settings.

    Attributes:
        file: Telemetry of `handloom control run`, a `.npy`; see docs/control.md.
        arm: The arm that was recorded: "fr3", or the path of a URDF.
        limits_edition: Edition of its limits, for an arm that is shipped.
        flange: Link that an arm from a URDF ends in.
        weight: Whether gravity and Coriolis torques are told, from the arm's model, which needs mujoco; a law
            can't do without. Otherwise they are NaN.
    """

    file: Path
    arm: str = "fr3"
    limits_edition: str = "strictest"
    flange: str = ""
    weight: bool = True


class ReplayRobot(Robot):
    """A recorded robot: it moves as it moved, whatever it is told, and says how the commands differ from its own.

    `write` goes on to the next cycle. Where the recording has a gap, states are NaN until it is over. It is Python
    alone, and so for the loop that is not real-time.
    """

    Config = ReplayConfig
    summary = "A recorded robot: plays its states and compares commands with the recorded ones"

    def __init__(self, config: Any = None) -> None:
        super().__init__(config)
        self._recording: Recording | None = None
        self._cycle = 0
        self._comparison: Comparison | None = None
        self._applied: npt.NDArray[np.float64] | None = None

    @classmethod
    def ports(cls, config: ReplayConfig) -> Ports:
        """Declare nothing: a loop reads and writes a robot."""
        return Ports()

    @cached_property
    def arm(self) -> Arm:
        """The description of the recorded arm."""
        return load_arm(self.config.arm, limits_edition=self.config.limits_edition, flange=self.config.flange)

    @property
    def limits(self) -> JointLimits:
        """What each joint may do."""
        return self.arm.limits

    @property
    def collision_thresholds(self) -> CollisionThresholds:
        """From where on the recorded robot stopped by itself, by default."""
        return self.arm.thresholds

    @property
    def comparison(self) -> CommandComparison:
        """How the commands written so far differ from the recorded ones.

        Raises:
            HandloomError: Nothing was opened yet.
        """
        if self._comparison is None:
            raise HandloomError("The recorded robot was not open yet; call open() first.")
        return self._comparison.result()

    @property
    def over(self) -> bool:
        """Whether the newest state is the last one."""
        return self._recording is not None and self._cycle + 1 >= len(self._recording.stamps)

    def open(self) -> None:
        """Read the recording.

        Raises:
            HandloomError: It can't be read, is of another arm, or mujoco is missing.
        """
        recording = read_recording(self.config.file, self.arm)
        self._recording = attrs.evolve(recording, weight=Weight(self.arm) if self.config.weight else None)
        self._cycle, self._applied = 0, None
        self._comparison = Comparison(len(self.arm.joints))

    def close(self) -> None:
        """Let go of the recording; the comparison stays."""
        self._recording = None

    def read(self) -> RobotState:
        """Return the state of this cycle.

        As applied counts the torque that was written last, not the recorded one: a law that limits its torques'
        rate against it would otherwise be held near the recorded torques, and its own would not be seen.

        Raises:
            HandloomError: It is not open.
        """
        return attrs.evolve(self._opened().state(self._cycle), tau_applied=self._applied)

    def write(self, command: RobotCommand) -> None:
        """Hold a command against the one that was recorded in this cycle, and go on to the next.

        Raises:
            HandloomError: It is not open, the recording is over, or the command is none that the arm may follow.
        """
        recording = self._opened()
        problem = _problem_of(command, self.limits)
        if problem:
            raise HandloomError(f"The command is refused: {problem}.")
        if self.over:
            raise HandloomError(
                f"The recording {self.config.file} is over after {len(recording.stamps)} cycles; stop the loop, "
                "or open the robot again."
            )
        assert self._comparison is not None
        self._comparison.add(command, *recording.commanded(self._cycle))
        self._cycle += 1
        self._applied = None if command.tau is None else command.tau.copy()

    def stop(self) -> None:
        """Do nothing: what was recorded can't be stopped."""

    def _opened(self) -> Recording:
        if self._recording is None:
            raise HandloomError("The recorded robot is not open; call open() first.")
        return self._recording


def _problem_of(command: RobotCommand, limits: JointLimits) -> str:
    """Say why the arm could not follow a command; "" when it could."""
    if command.tau is not None and command.q is not None:
        return "it has torques and joint positions, and only one of them can be followed"
    wanted = command.tau if command.tau is not None else command.q
    if wanted is None:
        return ""
    if wanted.shape != limits.lower.shape:
        return f"it is for {wanted.size} joints, and the arm has {limits.lower.size}"
    if not np.isfinite(wanted).all():
        return f"it is {wanted.tolist()}, which is not finite"
    if command.tau is not None and (np.abs(wanted) > limits.torque).any():
        return f"a torque of {wanted.tolist()} is beyond its limit"
    if command.q is not None and ((wanted < limits.lower) | (wanted > limits.upper)).any():
        return f"a position of {wanted.tolist()} is out of range"
    return ""


@hookimpl
def robot(kind: str) -> type[Robot]:
    """Answer for `replay`."""
    return ReplayRobot
