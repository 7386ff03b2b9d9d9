"""The law `cartesian_following`: joint positions that keep the tool on its reference."""

from __future__ import annotations

import attrs
import numpy as np

from handloom.api import CollisionThresholds, JointLimits, Law, RobotState, hookimpl
from handloom.errors import HandloomError
from handloom_controllers.laws.compiled import CompiledFollowing
from handloom_controllers.laws.following_numpy import NumpyFollowing
from handloom_controllers.laws.kinematics import Struct
from handloom_controllers.laws.ranges import a_pose, a_share, above_0, at_least_0, numbers
from handloom_controllers.laws.rotation import Float64Array
from handloom_controllers.laws.settings import AT_THE_FLANGE, posture_of
from handloom_controllers.laws.struct_law import StructLaw, TableLaw
from handloom_controllers.native import Library, structs


@attrs.frozen(kw_only=True)
class CartesianFollowingConfig:
    """How to follow.

    Attributes:
        T_flange_tcp: x y z and quaternion x y z w of the tool's centre point in the flange.
        rate_hz: How often the law is called.
        damping: Of the pseudo-inverse, in its singular values; near a singular posture the tool lags instead of
            the joints racing.
        position_gain_per_s: Share of the position error that is made good each second.
        rotation_gain_per_s: Share of the turn likewise.
        posture_gain_per_s: Share of the way to the posture that the spare joint makes each second.
        posture_rad: Joint positions that it is drawn to; empty for those at the start.
        clip_m: An error of position beyond this counts as this much, and is told as `clip_reached`: the arm does
            not keep up.
        clip_rad: Of the turn likewise.
        limits_share: Share of the arm's greatest joint speeds, accelerations and jerks that is used.
        acceleration_rad_per_s2: Greatest joint acceleration; that share of the arm's own limit holds besides.
        jerk_rad_per_s3: Greatest change of it likewise.
    """

    T_flange_tcp: tuple[float, ...] = attrs.field(default=AT_THE_FLANGE, converter=numbers, validator=a_pose)
    rate_hz: float = attrs.field(default=1000.0, validator=above_0)
    damping: float = attrs.field(default=0.05, validator=above_0)
    position_gain_per_s: float = attrs.field(default=10.0, validator=at_least_0)
    rotation_gain_per_s: float = attrs.field(default=10.0, validator=at_least_0)
    posture_gain_per_s: float = attrs.field(default=0.5, validator=at_least_0)
    posture_rad: tuple[float, ...] = attrs.field(default=(), converter=numbers)
    clip_m: float = attrs.field(default=0.1, validator=above_0)
    clip_rad: float = attrs.field(default=0.5, validator=above_0)
    limits_share: float = attrs.field(default=0.9, validator=a_share)
    acceleration_rad_per_s2: float = attrs.field(default=10.0, validator=above_0)
    jerk_rad_per_s3: float = attrs.field(default=5000.0, validator=above_0)


class CartesianFollowing(StructLaw):
    """Follows the reference with joint positions, within their range, speed, acceleration and jerk."""

    Config = CartesianFollowingConfig
    summary = "Cartesian following for position-controlled arms: damped least squares within the joints' limits"

    def made(
        self, limits: JointLimits, thresholds: CollisionThresholds, state: RobotState, compiled: Library | None
    ) -> TableLaw:
        """Return the law for an arm.

        Raises:
            HandloomError: The posture is that of another arm.
        """
        config = following_config(self.config, limits, state.q)
        return CompiledFollowing(compiled, config) if compiled else NumpyFollowing(config)


def following_config(settings: CartesianFollowingConfig, limits: JointLimits, q: Float64Array) -> Struct:
    """Return the `hl_following_config` of settings and an arm at (n,) q."""
    config, n = structs.new("hl_following_config"), len(limits.names)
    if not np.isfinite(limits.velocity).all():
        raise HandloomError(f"Following needs greatest joint speeds; {limits.source} gives none.")
    config["joints"], config["period_s"], config["lambda"] = n, 1.0 / settings.rate_hz, settings.damping
    config["gain"] = settings.position_gain_per_s, settings.rotation_gain_per_s
    config["T_flange_tcp"] = settings.T_flange_tcp
    config["clip"], config["posture_gain"] = (settings.clip_m, settings.clip_rad), settings.posture_gain_per_s
    posture = settings.posture_rad
    config["posture"][:n] = posture_of(posture, limits) if posture else q
    config["q_lower"][:n], config["q_upper"][:n] = limits.lower, limits.upper
    config["near_deceleration"][:n] = np.inf if limits.near_deceleration is None else limits.near_deceleration
    config["near_offset"][:n] = 0.0 if limits.near_offset is None else limits.near_offset
    share = settings.limits_share
    config["dq_max"][:n] = share * limits.velocity
    config["ddq_max"][:n] = np.minimum(settings.acceleration_rad_per_s2, share * limits.acceleration)
    config["jerk_max"][:n] = np.minimum(settings.jerk_rad_per_s3, share * limits.jerk)
    return config


@hookimpl
def controller(kind: str) -> type[Law]:
    """Answer for `cartesian_following`."""
    return CartesianFollowing
