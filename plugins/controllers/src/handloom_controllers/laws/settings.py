"""Settings that all torque laws share: the tool, the payload, and how the arm's limits are kept."""

from __future__ import annotations

import attrs
import numpy as np

from handloom.api import JointLimits
from handloom.errors import HandloomError
from handloom_controllers.laws.kinematics import Struct
from handloom_controllers.laws.ranges import a_pose, above_0, at_least_0, less_than_whole, numbers, three_numbers
from handloom_controllers.laws.rotation import Float64Array
from handloom_controllers.native import structs

AT_THE_FLANGE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)


@attrs.frozen(kw_only=True)
class TorqueSettings:
    """Settings of a law that commands torques.

    Attributes:
        T_flange_tcp: x y z and quaternion x y z w of the tool's centre point in the flange.
        rate_hz: How often the law is called.
        payload_kg: Mass at the flange that the robot's own model does not know; the law holds it.
        payload_com_m: Its centre of mass in the flange.
        gravity_m_per_s2: Acceleration of free fall in the robot's base, for the payload only.
        torque_step_nm: How much a torque may change in a cycle, against the command before and against what the
            robot applied; the robot's own limit holds besides. Source: PolyUMI's controller, 1 Nm.
        repulsion_margin_rad: How far before the end of its range a joint is pushed back; 0 never pushes.
        repulsion_share: Share of its greatest torque with which a joint is pushed at the very end of its range, or
            braked at its greatest speed; it grows linearly from 0.
        braking_share: Share of its greatest speed from which on a joint is braked.
        nullspace_lambda: Damping of the pseudo-inverse in the projector of the posture. Source: franka_ros, 0.2.
        posture_rad: Joint positions that the spare joint is drawn to; empty for those at the start.
    """

    T_flange_tcp: tuple[float, ...] = attrs.field(default=AT_THE_FLANGE, converter=numbers, validator=a_pose)
    rate_hz: float = attrs.field(default=1000.0, validator=above_0)
    payload_kg: float = attrs.field(default=0.0, validator=at_least_0)
    payload_com_m: tuple[float, ...] = attrs.field(
        default=(0.0, 0.0, 0.0), converter=numbers, validator=three_numbers
    )
    gravity_m_per_s2: tuple[float, ...] = attrs.field(
        default=(0.0, 0.0, -9.81), converter=numbers, validator=three_numbers
    )
    torque_step_nm: float = attrs.field(default=1.0, validator=above_0)
    repulsion_margin_rad: float = attrs.field(default=0.1, validator=at_least_0)
    repulsion_share: float = attrs.field(default=0.5, validator=at_least_0)
    braking_share: float = attrs.field(default=0.9, validator=less_than_whole)
    nullspace_lambda: float = attrs.field(default=0.2, validator=above_0)
    posture_rad: tuple[float, ...] = attrs.field(default=(), converter=numbers)


def torque_config(settings: TorqueSettings, limits: JointLimits, q: Float64Array) -> Struct:
    """Return the `hl_impedance_config` of an arm at (n,) q; what belongs to one law only is left at 0."""
    config, n = structs.new("hl_impedance_config"), len(limits.names)
    period_s = 1.0 / settings.rate_hz
    config["joints"], config["period_s"], config["lambda"] = n, period_s, settings.nullspace_lambda
    config["T_flange_tcp"] = settings.T_flange_tcp
    config["payload_kg"], config["payload_com"] = settings.payload_kg, settings.payload_com_m
    config["gravity"] = settings.gravity_m_per_s2
    config["posture"][:n] = posture_of(settings.posture_rad, limits) if settings.posture_rad else q
    config["q_lower"][:n], config["q_upper"][:n] = limits.lower, limits.upper
    config["dq_max"][:n], config["tau_max"][:n] = limits.velocity, limits.torque
    config["tau_step"][:n] = np.minimum(settings.torque_step_nm, limits.torque_rate * period_s)
    config["repulsion_margin"], config["velocity_margin"] = settings.repulsion_margin_rad, settings.braking_share
    config["repulsion_torque"][:n] = settings.repulsion_share * np.where(
        np.isfinite(limits.torque), limits.torque, 0.0
    )
    return config


def posture_of(values: tuple[float, ...], limits: JointLimits) -> Float64Array:
    """Return where the spare joint is drawn to (n,).

    Raises:
        HandloomError: No arm can stand so.
    """
    posture = by_joint(values, len(limits.names), "posture_rad")
    for name, at, least, most in zip(limits.names, posture, limits.lower, limits.upper, strict=True):
        if not least <= at <= most:
            raise HandloomError(
                f"posture_rad draws {name} to {at:g} rad, out of its range; expected {least:g} to {most:g} rad."
            )
    return posture


def by_joint(values: tuple[float, ...], count: int, name: str) -> Float64Array:
    """Return one value a joint.

    Raises:
        HandloomError: There are more or fewer values than joints.
    """
    if len(values) != count:
        raise HandloomError(f"{name} has {len(values)} values; the arm has {count} joints, expected one for each.")
    return np.array(values, dtype=np.float64)
