"""The law `impedance`: a spring and a damper between the tool and its reference, for torque-controlled arms.

It is PolyUMI's law with velocity feed-forward and a bound on the whole wrench; see docs/law.md.
"""

from __future__ import annotations

from typing import Any, Literal

import attrs

from handloom.api import CollisionThresholds, JointLimits, Law, RobotState, hookimpl
from handloom.errors import HandloomError
from handloom_controllers.laws.compiled import CompiledImpedance
from handloom_controllers.laws.impedance_numpy import NumpyImpedance
from handloom_controllers.laws.kinematics import Struct
from handloom_controllers.laws.presets import PRESETS
from handloom_controllers.laws.ranges import above_0, all_at_least_0, at_least_0, numbers
from handloom_controllers.laws.settings import TorqueSettings, by_joint, torque_config
from handloom_controllers.laws.struct_law import StructLaw, TableLaw
from handloom_controllers.laws.thresholds import check_thresholds
from handloom_controllers.native import Library, structs


@attrs.frozen(kw_only=True)
class ImpedanceConfig(TorqueSettings):
    """Gains; one that is left out is the preset's.

    Attributes:
        preset: "polyumi" for SERL's and PolyUMI's gains, "umi" for the softer ones of UMI.
        stiffness_n_per_m: Force per metre of error.
        stiffness_nm_per_rad: Torque per unit of the vector part of the turn that is left, which is the sine of
            half its angle: near 0 half of this is felt per radian.
        damping_ns_per_m: Force per m/s.
        damping_nms_per_rad: Torque per rad/s.
        integral_n_per_m_s: Force that an error of a metre adds each second.
        integral_nm_per_rad_s: Torque likewise.
        clip_m: Length to which the position error is cut.
        clip_sine: Length to which the vector part of the turn is cut.
        wrench_bound_n: Norm of the force at the tool, damping and integral included.
        wrench_bound_nm: Norm of the torque at the tool likewise.
        nullspace_stiffness_nm_per_rad: By joint from the base; the last value holds for the joints after it.
        nullspace_damping_nms_per_rad: Likewise; empty for twice the square root of the stiffness.
        feed_forward: Whether the difference to the reference's velocity is damped, or the velocity itself.
        blend_s: How long a change of gains takes.
    """

    preset: Literal["polyumi", "umi"] = "polyumi"
    stiffness_n_per_m: float | None = attrs.field(default=None, validator=at_least_0)
    stiffness_nm_per_rad: float | None = attrs.field(default=None, validator=at_least_0)
    damping_ns_per_m: float | None = attrs.field(default=None, validator=at_least_0)
    damping_nms_per_rad: float | None = attrs.field(default=None, validator=at_least_0)
    integral_n_per_m_s: float = attrs.field(default=0.0, validator=at_least_0)
    integral_nm_per_rad_s: float = attrs.field(default=0.0, validator=at_least_0)
    clip_m: float | None = attrs.field(default=None, validator=at_least_0)
    clip_sine: float | None = attrs.field(default=None, validator=at_least_0)
    wrench_bound_n: float = attrs.field(default=20.0, validator=above_0)
    wrench_bound_nm: float = attrs.field(default=7.5, validator=above_0)
    nullspace_stiffness_nm_per_rad: tuple[float, ...] = attrs.field(
        default=(), converter=numbers, validator=all_at_least_0
    )
    nullspace_damping_nms_per_rad: tuple[float, ...] = attrs.field(
        default=(), converter=numbers, validator=all_at_least_0
    )
    feed_forward: bool = True
    blend_s: float = attrs.field(default=0.5, validator=at_least_0)


class Impedance(StructLaw):
    """Keeps the tool at its reference as a spring and a damper would, within the limits of the arm."""

    Config = ImpedanceConfig
    summary = (
        "Cartesian impedance at 1 kHz for torque-controlled arms: clipped spring, feed-forward, bounded wrench"
    )

    def made(
        self, limits: JointLimits, thresholds: CollisionThresholds, state: RobotState, compiled: Library | None
    ) -> TableLaw:
        """Return the law for an arm.

        Raises:
            HandloomError: The gains are those of another arm, or the robot would take the bound for a collision.
        """
        self._limits, self._thresholds, self._at = limits, thresholds, state
        self._gains_config = self.config
        gains = self._checked_gains(self.config)
        config = torque_config(self.config, limits, state.q)
        config["blend_s"] = self.config.blend_s
        return CompiledImpedance(compiled, config, gains) if compiled else NumpyImpedance(config, gains)

    def set_gains(self, **changes: Any) -> None:
        """Blend to other gains while the law runs, without a step of the torque; from any thread.

        Args:
            **changes: Settings of `ImpedanceConfig` that are gains: `stiffness_n_per_m=500.0`.

        Raises:
            HandloomError: One is no gain or out of range, or the robot would take the new bound for a collision.
        """
        table = self._running()
        unknown = sorted(set(changes) - _GAINS)
        if unknown:
            raise HandloomError(
                f"{unknown[0]} can't change while the law runs; gains are {', '.join(sorted(_GAINS))}."
            )
        try:
            wanted = attrs.evolve(self._gains_config, **changes)
        except TypeError as error:
            raise HandloomError(f"These gains are no numbers: {error}.") from error
        table.set_gains(self._checked_gains(wanted))
        self._gains_config = wanted

    def _checked_gains(self, settings: ImpedanceConfig) -> Struct:
        check_thresholds(
            settings.wrench_bound_n, settings.wrench_bound_nm, self._thresholds, self._at, self.T_flange_tcp
        )
        return gains_of(settings, len(self._limits.names))


_GAINS = frozenset(
    field.name for field in attrs.fields(ImpedanceConfig) if field.name not in attrs.fields_dict(TorqueSettings)
) - {"blend_s"}


def gains_of(settings: ImpedanceConfig, joints: int) -> Struct:
    """Return the `hl_impedance_gains` of settings.

    Raises:
        HandloomError: There are gains for more joints than the arm has.
    """
    preset, gains = PRESETS[settings.preset], structs.new("hl_impedance_gains")

    def chosen(name: str) -> Any:
        value = getattr(settings, name)
        return getattr(preset, name) if value in (None, ()) else value

    gains["stiffness"] = chosen("stiffness_n_per_m"), chosen("stiffness_nm_per_rad")
    gains["damping"] = chosen("damping_ns_per_m"), chosen("damping_nms_per_rad")
    gains["integral"] = settings.integral_n_per_m_s, settings.integral_nm_per_rad_s
    gains["clip"] = chosen("clip_m"), chosen("clip_sine")
    gains["wrench_bound"] = settings.wrench_bound_n, settings.wrench_bound_nm
    name = "nullspace_stiffness_nm_per_rad"
    gains["nullspace_stiffness"][:joints] = _repeated(chosen(name), joints, name)
    damping = settings.nullspace_damping_nms_per_rad or (float("nan"),)
    gains["nullspace_damping"][:joints] = _repeated(damping, joints, "nullspace_damping_nms_per_rad")
    gains["feed_forward"] = float(settings.feed_forward)
    return gains


def _repeated(values: tuple[float, ...], joints: int, name: str) -> Any:
    if len(values) > joints:
        raise HandloomError(f"{name} has {len(values)} values; the arm has {joints} joints.")
    return by_joint(values + values[-1:] * (joints - len(values)), joints, name)


@hookimpl
def controller(kind: str) -> type[Law]:
    """Answer for `impedance`."""
    return Impedance
