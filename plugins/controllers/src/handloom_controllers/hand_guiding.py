"""The law `hand_guiding`: the arm weighs nothing and goes where it is led, for torque-controlled arms.

It is the impedance law with low gains whose reference follows the tool on a leash: led, it comes along; let go, it
stays within the leash, however wrong the model of its weight is by less than the leash's spring.
"""

from __future__ import annotations

import math
from typing import Any

import attrs

from handloom.api import CollisionThresholds, JointLimits, Law, RobotState, hookimpl
from handloom.errors import ConfigError, HandloomError
from handloom_controllers.laws.compiled import CompiledImpedance
from handloom_controllers.laws.impedance_numpy import NumpyImpedance
from handloom_controllers.laws.kinematics import Struct
from handloom_controllers.laws.ranges import above_0, at_least_0
from handloom_controllers.laws.settings import TorqueSettings, torque_config
from handloom_controllers.laws.struct_law import StructLaw, TableLaw
from handloom_controllers.laws.thresholds import check_thresholds
from handloom_controllers.native import Library, structs


def _below_pi(_: Any, field: attrs.Attribute[Any], value: float) -> None:
    if not 0 <= value < math.pi:
        raise ConfigError([f"{field.name} is {value}; expected 0 or more and less than pi."])


@attrs.frozen(kw_only=True)
class HandGuidingConfig(TorqueSettings):
    """How the arm feels in the hand.

    Attributes:
        stiffness_n_per_m: Force per metre on the leash.
        stiffness_nm_per_rad: Torque per unit of the vector part of the turn, half of it per radian.
        damping_ns_per_m: Force per m/s.
        damping_nms_per_rad: Torque per rad/s.
        joint_damping_nms_per_rad: Torque per rad/s of a motion of the joints that does not move the tool.
        leash_m: How far the reference lies behind the tool.
        leash_rad: How far it is turned behind the tool, and each joint's posture behind the joint; below pi.
        wrench_bound_n: Norm of the force that the hand feels at most.
        wrench_bound_nm: Norm of the torque likewise.
        blend_s: How long a change of gains takes.
    """

    stiffness_n_per_m: float = attrs.field(default=100.0, validator=at_least_0)
    stiffness_nm_per_rad: float = attrs.field(default=5.0, validator=at_least_0)
    damping_ns_per_m: float = attrs.field(default=10.0, validator=at_least_0)
    damping_nms_per_rad: float = attrs.field(default=0.5, validator=at_least_0)
    joint_damping_nms_per_rad: float = attrs.field(default=0.5, validator=at_least_0)
    leash_m: float = attrs.field(default=0.02, validator=at_least_0)
    leash_rad: float = attrs.field(default=0.1, validator=_below_pi)
    wrench_bound_n: float = attrs.field(default=20.0, validator=above_0)
    wrench_bound_nm: float = attrs.field(default=7.5, validator=above_0)
    blend_s: float = attrs.field(default=0.5, validator=at_least_0)


class HandGuiding(StructLaw):
    """Carries the arm's weight and lets a hand lead it."""

    Config = HandGuidingConfig
    summary = "Carries a torque-controlled arm's weight and lets a hand lead it; let go, it stays"

    def made(
        self, limits: JointLimits, thresholds: CollisionThresholds, state: RobotState, compiled: Library | None
    ) -> TableLaw:
        """Return the law for an arm.

        Raises:
            HandloomError: The robot would take the bound on the wrench for a collision.
        """
        settings: HandGuidingConfig = self.config
        bounds = settings.wrench_bound_n, settings.wrench_bound_nm
        check_thresholds(*bounds, thresholds, state, self.T_flange_tcp)
        self._joints = len(limits.names)
        config = torque_config(settings, limits, state.q)
        config["follow_joints"], config["blend_s"] = 1, settings.blend_s
        config["guide_leash"] = settings.leash_m, settings.leash_rad
        gains = gains_of(settings, self._joints)
        return CompiledImpedance(compiled, config, gains) if compiled else NumpyImpedance(config, gains)

    def set_gains(self, **changes: Any) -> None:
        """Blend to other stiffnesses and dampings while the law runs; from any thread.

        Raises:
            HandloomError: One is neither, or out of range.
        """
        table = self._running()
        unknown = sorted(name for name in changes if "stiffness" not in name and "damping" not in name)
        if unknown:
            raise HandloomError(f"{unknown[0]} can't change while the law runs; stiffnesses and dampings can.")
        try:
            self.config = attrs.evolve(self.config, **changes)
        except TypeError as error:
            raise HandloomError(f"These gains can't be set: {error}.") from error
        table.set_gains(gains_of(self.config, self._joints))


def gains_of(settings: HandGuidingConfig, joints: int) -> Struct:
    """Return the `hl_impedance_gains` of settings; the leash bounds the error, so that the clip lies beyond it."""
    gains = structs.new("hl_impedance_gains")
    gains["stiffness"] = settings.stiffness_n_per_m, settings.stiffness_nm_per_rad
    gains["damping"] = settings.damping_ns_per_m, settings.damping_nms_per_rad
    gains["clip"] = 2.0 * settings.leash_m, 1.0
    gains["wrench_bound"] = settings.wrench_bound_n, settings.wrench_bound_nm
    gains["nullspace_damping"][:joints] = settings.joint_damping_nms_per_rad
    return gains


@hookimpl
def controller(kind: str) -> type[Law]:
    """Answer for `hand_guiding`."""
    return HandGuiding
