"""Robots: the contract of an arm, real, simulated or recorded, and the limits it keeps."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api.component import Component
from handloom.errors import HandloomError

Float64Array = npt.NDArray[np.float64]

_TABLES = ("lower", "upper", "velocity", "acceleration", "jerk", "torque", "torque_rate")


@attrs.frozen(kw_only=True, eq=False)
class JointLimits:
    """What each joint may do, and who says so.

    Attributes:
        names: Joint names from the base to the flange.
        lower: (n,) rad.
        upper: (n,) rad.
        velocity: (n,) rad/s.
        acceleration: (n,) rad/s^2; infinite where nobody gives one.
        jerk: (n,) rad/s^3; likewise.
        torque: (n,) Nm.
        torque_rate: (n,) Nm/s; infinite where nobody gives one.
        source: Document or file that they come from.
        edition: Its date or version.

    Raises:
        HandloomError: Lengths differ, a limit is NaN or not positive, or a range is empty.
    """

    names: tuple[str, ...]
    lower: Float64Array
    upper: Float64Array
    velocity: Float64Array
    acceleration: Float64Array
    jerk: Float64Array
    torque: Float64Array
    torque_rate: Float64Array
    source: str
    edition: str

    def __attrs_post_init__(self) -> None:
        for name in _TABLES:
            table = getattr(self, name)
            if table.shape != (len(self.names),):
                raise HandloomError(
                    f"Joint limits of {self.source} ({self.edition}): `{name}` has shape {table.shape}; "
                    f"expected one value for each of the joints {', '.join(self.names)}."
                )
            if np.isnan(table).any() or (name not in ("lower", "upper") and (table <= 0).any()):
                raise HandloomError(
                    f"Joint limits of {self.source} ({self.edition}): `{name}` is {table.tolist()}; expected "
                    "positive numbers."
                )
        if (self.lower >= self.upper).any():
            joint = self.names[int(np.argmax(self.lower >= self.upper))]
            raise HandloomError(
                f"Joint limits of {self.source} ({self.edition}): the range of {joint} is empty; lower must be "
                "below upper."
            )


@attrs.frozen(kw_only=True, eq=False)
class CollisionThresholds:
    """From where on the robot takes a contact for a collision and stops by itself.

    Attributes:
        force_n: Norm of the external force at the flange, N; infinite where it never does.
        torque_nm: Norm of the external torque at the flange, Nm.
        joint_torque_nm: (n,) external torque at each joint, Nm.
    """

    force_n: float
    torque_nm: float
    joint_torque_nm: Float64Array


@attrs.frozen(kw_only=True, eq=False)
class RobotState:
    """What a robot measured, and what its own model says there.

    Attributes:
        stamp: int64 ns on the robot's clock.
        q: (n,) joint positions, rad; NaN for a lost one.
        dq: (n,) joint velocities, rad/s.
        tau: (n,) measured joint torques, Nm, gravity included.
        jacobian: (6, n) joint velocities to the flange's twist, linear first, base axes.
        T_base_flange: (7,) metres and quaternion x y z w.
        coriolis: (n,) Nm.
        gravity: (n,) Nm that hold the arm.
        wrench: (6,) external wrench at the flange in base axes, N and Nm; NaN where it is not measured.
        width_m: Gripper width; NaN without a gripper.
        width_speed_m_per_s: How fast that grows; NaN where it is not measured.
        grip_force_n: Force of the gripper on what it holds, N; NaN where it is not measured.
        tau_applied: (n,) the torque command that it applied last, Nm; None where it does not tell.
        compensates_gravity: Whether it adds gravity to a commanded torque by itself.
        reflexes: Names of the reflexes that stopped it ("joint_velocity_violation"); empty while it is well.
    """

    stamp: int
    q: Float64Array
    dq: Float64Array
    tau: Float64Array
    jacobian: Float64Array
    T_base_flange: Float64Array
    coriolis: Float64Array
    gravity: Float64Array
    wrench: Float64Array
    width_m: float = float("nan")
    width_speed_m_per_s: float = float("nan")
    grip_force_n: float = float("nan")
    tau_applied: Float64Array | None = None
    compensates_gravity: bool = True
    reflexes: tuple[str, ...] = ()


@attrs.frozen(kw_only=True, eq=False)
class RobotCommand:
    """What a robot shall do in this cycle; exactly one of `tau` and `q`, or neither for a damped stop.

    Attributes:
        tau: (n,) joint torques, Nm.
        q: (n,) joint positions, rad.
        width_m: Gripper width; NaN leaves the gripper alone.
        width_speed_m_per_s: How fast it moves at most; NaN is the gripper's own.
        grip_force_n: How hard it grips at most, N; NaN is the gripper's own.
    """

    tau: Float64Array | None = None
    q: Float64Array | None = None
    width_m: float = float("nan")
    width_speed_m_per_s: float = float("nan")
    grip_force_n: float = float("nan")


@attrs.frozen(kw_only=True, eq=False)
class Native:
    """A compiled table that the real-time loop calls instead of Python.

    Attributes:
        address: Of an `hl_robot_v1` or `hl_law_v1` as in handloom_rt.h.
        owner: Keeps everything behind the address alive as long as it is held.
    """

    address: int
    owner: Any


class Robot(Component):
    """An arm with or without a gripper.

    `open` connects, `close` lets go; between them `native` or `read`, `write` and `stop` may be used.
    """

    @property
    @abstractmethod
    def limits(self) -> JointLimits:
        """What each joint may do; known before `open`."""

    @property
    @abstractmethod
    def collision_thresholds(self) -> CollisionThresholds:
        """From where on the robot stops by itself; known before `open`."""

    @abstractmethod
    def open(self) -> None:
        """Connect.

        Raises:
            HandloomError: It can't be reached, or is not ready to move.
        """

    @abstractmethod
    def close(self) -> None:
        """Let go; harmless when it is not open."""

    def native(self) -> Native | None:
        """Return the compiled table; None for a robot that runs in Python, and so not in the real-time loop."""
        return None

    @abstractmethod
    def read(self) -> RobotState:
        """Return the newest measurement."""

    @abstractmethod
    def write(self, command: RobotCommand) -> None:
        """Command one cycle; a simulated robot advances by it."""

    @abstractmethod
    def stop(self) -> None:
        """Come to rest by the robot's own means; harmless at rest."""

    def __enter__(self) -> Robot:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
