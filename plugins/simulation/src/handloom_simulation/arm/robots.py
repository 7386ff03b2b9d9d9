"""The robots `mujoco_fr3` and `mujoco_urdf`: arms in MuJoCo that the real-time loop moves in C++."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy.typing as npt

from handloom.api import CollisionThresholds, JointLimits, Native, Ports, Robot, RobotCommand, RobotState, hookimpl
from handloom.errors import HandloomError
from handloom_simulation.arm.settings import MujocoArmConfig, MujocoFr3Config, MujocoUrdfConfig

if TYPE_CHECKING:
    from handloom_controllers.arms import Arm
    from handloom_simulation.arm.plant import Plant


class MujocoArm(Robot):
    """What all simulated arms have in common."""

    Config: ClassVar[type] = MujocoArmConfig

    @classmethod
    def ports(cls, config: Any) -> Ports:
        """Declare nothing: states and commands come through the contract of robots."""
        return Ports()

    def __init__(self, config: Any = None) -> None:
        super().__init__(config)
        self._plant: Plant | None = None
        self._table: Any = None
        self._state: Any = None

    @abstractmethod
    def described(self) -> Arm:
        """Return the arm that is simulated."""

    def believed(self) -> Arm:
        """Return the arm that the robot takes itself for."""
        return self.described()

    @cached_property
    def arm(self) -> Arm:
        """The arm's description."""
        return self.described()

    @property
    def limits(self) -> JointLimits:
        """What each joint may do."""
        return self.arm.limits

    @property
    def collision_thresholds(self) -> CollisionThresholds:
        """From where on the arm stops by itself."""
        from handloom_simulation.arm.told import thresholds_of

        return thresholds_of(self.arm, self.config)

    @property
    def plant(self) -> Plant:
        """Both models and their data, pushes, and the truth.

        Raises:
            HandloomError: The arm is not open.
        """
        if self._plant is None:
            raise self._not_open()
        return self._plant

    def open(self) -> None:
        """Build the models, and on first use the compiled part (a few seconds).

        Raises:
            HandloomError: There is no compiler, or a setting does not fit the arm.
        """
        from handloom_controllers.native import new
        from handloom_simulation.arm.library import RobotTable
        from handloom_simulation.arm.plant import Plant

        if self._plant is None:
            self._plant = Plant(self.arm, self.collision_thresholds, self.believed(), self.config)
            self._table = RobotTable(self._plant.table)
            self._state = new("hl_state")

    def close(self) -> None:
        """Let go; whoever holds the native table keeps it alive."""
        self._plant = self._table = None

    def native(self) -> Native:
        """Return the compiled table.

        Raises:
            HandloomError: The arm is not open.
        """
        return Native(address=self.plant.table, owner=self.plant)

    def read(self) -> RobotState:
        """Return the newest measurement.

        Raises:
            HandloomError: The arm is not open.
        """
        from handloom_controllers.realtime.states import state_of

        if self._plant is None:
            raise self._not_open()
        self._table.read(self._state)
        return state_of(self._state)

    def write(self, command: RobotCommand) -> None:
        """Command one period and let it pass.

        Raises:
            HandloomError: The arm is not open, the command is for another number of joints or has both torques and
                positions, or the simulation has become unstable.
        """
        from handloom_controllers.realtime.states import command_struct

        struct = command_struct(command, self.plant.joints)
        if self._table.write(struct):
            raise HandloomError(f"The simulation of {self.arm.name} has become unstable; open the robot anew.")

    def _not_open(self) -> HandloomError:
        return HandloomError(f"The simulated {self.arm.name} is not open; call open() first.")

    def push(self, wrench: npt.ArrayLike, duration_s: float) -> None:
        """Push the flange's body with a wrench (6,), N and Nm in base axes, from now on."""
        self.plant.push(wrench, duration_s)

    def stop(self) -> None:
        """Brake, and let pass as much simulated time as coming to rest takes."""
        if self._plant is not None:
            self._table.stop()


class MujocoFr3(MujocoArm):
    """A Franka Research 3 in MuJoCo."""

    Config = MujocoFr3Config
    summary = "A Franka Research 3 in MuJoCo, moved in C++ at 1 kHz, with the reflexes of the real one"

    def described(self) -> Arm:
        """Return the FR3 with the plant's inertias."""
        return self._fr3(self.config.inertials, fingers=self.config.fingers)

    def believed(self) -> Arm:
        """Return the FR3 with its own model's inertias."""
        return self._fr3(self.config.own_inertials, fingers=False)

    def _fr3(self, inertials: str, *, fingers: bool) -> Arm:
        config = self.config
        arm: Arm = _arms().fr3(
            limits_edition=config.limits_edition, hand=config.hand, fingers=fingers, inertials=inertials
        )
        return arm


class MujocoUrdf(MujocoArm):
    """Any serial arm in MuJoCo, from its URDF."""

    Config = MujocoUrdfConfig
    summary = "Any serial arm in MuJoCo from its URDF, torque- or position-controlled, moved in C++ at 1 kHz"

    def described(self) -> Arm:
        """Return the arm that the URDF describes."""
        config = self.config
        arm: Arm = _arms().load_arm(config.urdf, flange=config.flange, torque_controlled=config.torque_controlled)
        return arm


def _arms() -> Any:
    try:
        from handloom_controllers import arms
    except ImportError as error:
        raise HandloomError(
            f"A simulated arm needs handloom-controllers ({error}); pip install 'handloom-simulation[arm]'."
        ) from error
    return arms


ROBOTS: Mapping[str, type[MujocoArm]] = {"mujoco_fr3": MujocoFr3, "mujoco_urdf": MujocoUrdf}
"""By kind."""


@hookimpl
def robot(kind: str) -> type[Robot] | None:
    """Answer for `mujoco_fr3` and `mujoco_urdf`."""
    return ROBOTS.get(kind)
