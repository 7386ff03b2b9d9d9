"""The law `gated_following`: joint positions by differential IK and the safety gate, for any source of poses.

It runs in Python, so a loop with it is not real-time: IK and gate once each of the gate's periods, and between
those the gate's own path at the rate of the loop.
"""

from __future__ import annotations

import math
from functools import cached_property
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import (
    CartesianCommand,
    CollisionThresholds,
    Fault,
    JointLimits,
    Law,
    Ports,
    RobotCommand,
    RobotState,
    hookimpl,
)
from handloom.api.control import FaultKind
from handloom.errors import ConfigError, HandloomError
from handloom.geometry import pose, quaternion
from handloom_controllers.arms import Arm, load_arm
from handloom_controllers.differential_ik import DifferentialIk, IkSettings
from handloom_controllers.gate import Gate, GateSettings
from handloom_controllers.gated_ik import GatedIk
from handloom_controllers.laws.ranges import a_pose, above_0, numbers

Float64Array = npt.NDArray[np.float64]

_AGREE_M = 0.01
_AGREE_RAD = math.radians(2.0)
"""How far the model's tool and the measured one may be apart: more than calibrations differ, less than arms do."""


def _a_pose_or_none(owner: Any, field: attrs.Attribute[Any], value: tuple[float, ...]) -> None:
    if value:
        a_pose(owner, field, value)


@attrs.frozen(kw_only=True)
class GatedFollowingConfig:
    """How to follow.

    Attributes:
        arm: Name of an arm that is shipped; the model by which IK and gate know the robot.
        urdf: Path of a URDF, for any other arm.
        T_flange_tcp: x y z and quaternion x y z w of the tool's centre point in the flange; empty for the
            arm's own.
        rate_hz: How often the law is called; a whole number of calls for each `period_s` of the gate.
        ik: How the IK follows.
        gate: What the gate allows.

    Raises:
        ConfigError: The law's rate is no multiple of the gate's.
    """

    arm: str = "fr3"
    urdf: Path | None = None
    T_flange_tcp: tuple[float, ...] = attrs.field(default=(), converter=numbers, validator=_a_pose_or_none)
    rate_hz: float = attrs.field(default=1000.0, validator=above_0)
    ik: IkSettings = attrs.field(factory=IkSettings)
    gate: GateSettings = attrs.field(factory=GateSettings)

    def __attrs_post_init__(self) -> None:
        calls = self.rate_hz * self.gate.period_s
        if round(calls) < 1 or not math.isclose(calls, round(calls), rel_tol=1e-6):
            raise ConfigError(
                [
                    f"rate_hz is {self.rate_hz:g} and the gate's period_s {self.gate.period_s:g}, which makes "
                    f"{calls:g} calls a period; expected a whole number."
                ]
            )


class GatedFollowing(Law):
    """Follows the reference with joint positions that the safety gate lets through."""

    Config = GatedFollowingConfig
    summary = "Differential IK and the safety gate for position-controlled arms, in Python; not real-time"

    @classmethod
    def ports(cls, config: GatedFollowingConfig) -> Ports:
        """Declare nothing: states and references come through the contract of laws."""
        return Ports()

    def __init__(self, config: GatedFollowingConfig | None = None) -> None:
        super().__init__(config)
        self._gated: GatedIk | None = None
        self._faults: list[Fault] = []

    @cached_property
    def arm(self) -> Arm:
        """The arm's description, with the tool that was set."""
        arm = load_arm(self.config.urdf or self.config.arm)
        tool = self.config.T_flange_tcp
        return attrs.evolve(arm, T_flange_tcp=np.array(tool)) if tool else arm

    @property
    def T_flange_tcp(self) -> Float64Array:
        """(7,) the point that the law moves."""
        return self.arm.T_flange_tcp

    def start(self, *, limits: JointLimits, thresholds: CollisionThresholds, state: RobotState) -> None:
        """Begin at rest at the measured joints.

        Raises:
            HandloomError: The robot is another arm than the settings name, or its joints are lost.
            PluginError: What IK and gate need is not installed.
        """
        self.stop()
        self._faults, self._present = [], frozenset[FaultKind]()
        if limits.names != self.arm.joints:
            raise HandloomError(
                f"The law gated_following knows {self.arm.name}, of the joints {', '.join(self.arm.joints)}; the "
                f"robot has {', '.join(limits.names)}. Name its arm with `arm` or `urdf`."
            )
        arm = attrs.evolve(self.arm, limits=limits)
        gated = GatedIk(DifferentialIk(arm, self.config.ik), Gate(self.config.gate, arm))
        self._check(gated.start(state.q, width_m=state.width_m), state)
        self._every, self._cycle = round(self.config.rate_hz * self.config.gate.period_s), 0
        self._width_m = math.nan
        self._gated = gated

    def _check(self, T_base_tcp: Float64Array, state: RobotState) -> None:
        """Refuse a robot whose tool is not where the model has it: the first reference would be a leap.

        Raises:
            HandloomError: It is further away than a calibration may differ from a model.
        """
        measured = pose.compose(state.T_base_flange, self.T_flange_tcp)
        apart_m = float(np.linalg.norm(measured[:3] - T_base_tcp[:3]))
        apart_rad = float(quaternion.angle_between(measured[3:], T_base_tcp[3:]))
        if not (apart_m <= _AGREE_M and apart_rad <= _AGREE_RAD):
            raise HandloomError(
                f"The model of {self.arm.name} has the tool {apart_m:.3g} m and {math.degrees(apart_rad):.3g} "
                f"degrees from where the robot measures it; expected {_AGREE_M:g} m and "
                f"{math.degrees(_AGREE_RAD):.2g} degrees at most. Name the robot's own arm with `arm` or `urdf`."
            )

    def step(self, state: RobotState, reference: CartesianCommand) -> RobotCommand:
        """Return the command of this cycle; always finite.

        Raises:
            HandloomError: The law was not started.
        """
        if self._gated is None:
            raise HandloomError("The law has no arm to act on; call start first.")
        place = self._cycle % self._every
        if place == 0:
            answer = self._gated.step(reference.pose, reference.width_m, reference.stamp)
            self._width_m = answer.command.width_m
            self._keep(answer.faults)
        self._cycle += 1
        return RobotCommand(q=self._gated.within((place + 1) / self._every), width_m=self._width_m)

    def noticed(self) -> tuple[Fault, ...]:
        """Return what IK and gate noticed since the start: one fault each time that it began."""
        return tuple(self._faults)

    def stop(self) -> None:
        """Forget the arm; the next `start` begins anew."""
        self._gated = None

    def _keep(self, faults: tuple[Fault, ...]) -> None:
        """Keep the faults that were not there in the period before."""
        began = {fault.kind: fault for fault in faults if fault.kind not in self._present}
        self._faults.extend(began.values())
        self._present = frozenset(fault.kind for fault in faults)


@hookimpl
def controller(kind: str) -> type[Law]:
    """Answer for `gated_following`."""
    return GatedFollowing
