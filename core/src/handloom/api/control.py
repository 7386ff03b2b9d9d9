"""Controllers: the contract of what turns chunks into commands at its own rate."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Literal

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api.component import Component
from handloom.api.policy import Chunk
from handloom.api.robots import CollisionThresholds, JointLimits, Native, RobotCommand, RobotState
from handloom.geometry import IDENTITY

FaultKind = Literal[
    "late_chunk",
    "empty_chunk",
    "invalid_chunk",
    "stretched_chunk",
    "stale_stream",
    "clip_reached",
    "no_reference",
    "lost_state",
    "missed_slots",
    "reflex",
    "not_finite",
    "emergency_stop",
    "telemetry_lost",
    "out_of_range",
    "collision",
    "clock_jump",
    "solver_failed",
]


@attrs.frozen(kw_only=True)
class Fault:
    """A typed, recoverable runtime event.

    Attributes:
        kind: What kind of event.
        message: One sentence: what was found, what is done about it.
        stamp: int64 ns on the controller's clock, when it was noticed.
    """

    kind: FaultKind
    message: str
    stamp: int


@attrs.frozen(kw_only=True, eq=False)
class CartesianState:
    """Where the tool is.

    Attributes:
        stamp: int64 ns on the controller's clock.
        pose: (7,) T_base_tcp, metres and quaternion x y z w.
        width_m: Gripper width; NaN without a gripper.
    """

    stamp: int
    pose: npt.NDArray[np.float64]
    width_m: float = float("nan")


@attrs.frozen(kw_only=True, eq=False)
class CartesianCommand:
    """Where the tool shall be, and how fast it shall move there.

    Attributes:
        stamp: int64 ns, the tick it is for.
        pose: (7,) T_base_tcp, metres and quaternion x y z w.
        twist: (6,) linear m/s and angular rad/s of the tcp, in base axes.
        width_m: Gripper width; NaN leaves the gripper alone.
    """

    stamp: int
    pose: npt.NDArray[np.float64]
    twist: npt.NDArray[np.float64]
    width_m: float = float("nan")


class Controller(Component):
    """Turns chunks into commands.

    Attributes:
        real_time: Whether `step` keeps the rules of the control path: no allocation, lock, log or Python.
    """

    real_time: ClassVar[bool] = False

    @abstractmethod
    def start(self, state: CartesianState) -> None:
        """Begin at rest at a measured state."""

    @abstractmethod
    def accept(self, chunk: Chunk, now: int) -> Fault | None:
        """Take a chunk in, or refuse it and leave the running trajectory untouched.

        Args:
            chunk: Waypoints on the controller's clock.
            now: int64 ns, the instant of the call.
        """

    @abstractmethod
    def step(self, now: int, state: CartesianState) -> tuple[CartesianCommand, Fault | None]:
        """Return the command of this tick; always finite.

        Args:
            now: int64 ns of the tick.
            state: The newest measurement.
        """

    @abstractmethod
    def stop(self) -> None:
        """Forget the trajectory; the next `start` begins anew."""


class Law(Component):
    """Turns the reference of a cycle into joint commands; a trajectory is followed by the loop that calls it.

    A law answers for a kind of the family `controllers`, as a `Controller` does.
    """

    @property
    def T_flange_tcp(self) -> npt.NDArray[np.float64]:
        """(7,) the point that the law moves; the flange itself unless the law says otherwise."""
        return IDENTITY

    @abstractmethod
    def start(self, *, limits: JointLimits, thresholds: CollisionThresholds, state: RobotState) -> None:
        """Get ready for an arm at rest at a measured state.

        Raises:
            HandloomError: The settings don't fit the arm: gains for another number of joints, or a bound on the
                wrench that the robot would take for a collision.
        """

    def native(self) -> Native | None:
        """Return the compiled table of a started law; None for one that is not for the real-time loop."""
        return None

    @abstractmethod
    def step(self, state: RobotState, reference: CartesianCommand) -> RobotCommand:
        """Return the command of this cycle; always finite.

        Raises:
            HandloomError: The state or the reference is not finite; the caller stops the robot.
        """

    @abstractmethod
    def stop(self) -> None:
        """Forget everything; the next `start` begins anew."""
