"""What the compiled part is told of an arm: its limits, thresholds, gripper, and how it behaves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import HandloomError, did_you_mean
from handloom_simulation.arm import structs
from handloom_simulation.arm.models import STOPS_RAD, per_joint
from handloom_simulation.arm.settings import MujocoArmConfig

if TYPE_CHECKING:
    from handloom.api import CollisionThresholds
    from handloom_controllers.arms import Arm, GripperModel

Float64Array = npt.NDArray[np.float64]

START_POSE_RAD = 0.01
"""Furthest that a first position command may be from the arm."""

OBSERVER_S = 0.005
"""Time constant of the estimate of external torques: a contact is seen within a few periods."""

SERVO_HZ = 10.0
BRAKING_S = 0.03
"""A damped stop takes e to the minus t/BRAKING_S off the speed, within what the motors can give."""


def fill(
    settings: npt.NDArray[np.void], arm: Arm, thresholds: CollisionThresholds, config: MujocoArmConfig
) -> None:
    """Fill an `hl_arm_config`, but for where things are in the models."""
    _behaviour(settings, config)
    _limits(settings, arm, thresholds)
    _gripper(settings["gripper"], arm, config)
    settings["flags"] = _flags(arm, config)


def start_of(arm: Arm, config: MujocoArmConfig) -> Float64Array:
    """Return where the joints stand at first (n,).

    Raises:
        HandloomError: There are more or fewer positions than joints, or one is beyond the joint's stops.
    """
    start = np.asarray(config.start_rad or arm.home, dtype=np.float64)
    if start.shape != (len(arm.joints),) or not np.isfinite(start).all():
        raise HandloomError(f"start_rad: found {start.tolist()}; expected {len(arm.joints)} positions.")
    lower, upper = arm.limits.lower - STOPS_RAD, arm.limits.upper + STOPS_RAD
    for name, at, least, most in zip(arm.joints, start, lower, upper, strict=True):
        if not least <= at <= most:
            told = f"start_rad: {name} stands at {at:g} rad, beyond its mechanical stops"
            raise HandloomError(f"{told}; expected {least:.4g} to {most:.4g} rad.")
    return start


def _flags(arm: Arm, config: MujocoArmConfig) -> int:
    flags = structs.COMPENSATES_GRAVITY if arm.compensates_gravity else 0
    # Only who compensates gravity below the command needs to feel the torque behind the gear.
    flags |= structs.TORQUE_SENSORS if arm.compensates_gravity else 0
    return flags | (structs.MONOTONIC if config.first_stamp_ns is None else 0)


def _behaviour(settings: npt.NDArray[np.void], config: MujocoArmConfig) -> None:
    from handloom_controllers.native.structs import REFLEXES

    for name in config.ignored_reflexes:
        if name not in REFLEXES:
            raise HandloomError(f"ignored_reflexes: '{name}' is none{did_you_mean(name, REFLEXES)}")
    kept = (1 << place for place, name in enumerate(REFLEXES) if name not in config.ignored_reflexes)
    settings["reflexes"] = sum(kept)
    settings["seed"] = config.seed
    settings["start_ns"] = config.first_stamp_ns or 0
    settings["power_max"] = config.power_limit_w
    settings["start_pose_rad"] = START_POSE_RAD
    settings["noise_q"] = config.noise.position_rad
    settings["noise_dq"] = config.noise.velocity_rad_per_s
    settings["noise_tau"] = config.noise.torque_nm
    settings["observer_s"] = OBSERVER_S
    settings["servo_hz"] = SERVO_HZ
    settings["braking_s"] = BRAKING_S


def _limits(settings: npt.NDArray[np.void], arm: Arm, thresholds: CollisionThresholds) -> None:
    limits, count = arm.limits, len(arm.joints)
    tables = {
        "q_lower": limits.lower,
        "q_upper": limits.upper,
        "dq_max": limits.velocity,
        "ddq_max": limits.acceleration,
        "jerk_max": limits.jerk,
        "tau_max": limits.torque,
        "tau_rate": limits.torque_rate,
        "braking": arm.near_range.deceleration if arm.near_range else np.full(count, np.nan),
        "braking_offset": arm.near_range.offset if arm.near_range else np.zeros(count),
        "collision_torque": thresholds.joint_torque_nm,
    }
    for name, values in tables.items():
        settings[name][:count] = values
    settings["collision_wrench"] = (thresholds.force_n, thresholds.torque_nm)


def _gripper(settings: npt.NDArray[np.void], arm: Arm, config: MujocoArmConfig) -> None:
    if not config.carried_gripper:
        return
    from handloom_controllers.arms import load_gripper

    model: GripperModel = load_gripper(config.carried_gripper)
    settings["present"], settings["blocking"] = 1, model.blocking
    settings["width_max"] = min(model.stroke_m, arm.width_m) if arm.fingers else model.stroke_m
    settings["speed"], settings["acceleration"] = model.speed_m_per_s, model.acceleration_m_per_s2
    settings["force"], settings["latency_s"] = model.force_n, model.latency_s
    settings["move_cost_s"], settings["least_move"] = model.move_cost_s, model.least_move_m
    settings["command_s"], settings["state_s"] = 1 / model.command_rate_hz, 1 / model.state_rate_hz
    settings["object_width"], settings["object_stiffness"] = config.in_hand_m, config.in_hand_n_per_m


def thresholds_of(arm: Arm, config: MujocoArmConfig) -> CollisionThresholds:
    """Return the arm's thresholds with those that were set in their place."""
    own, joints = arm.thresholds, config.collision_joint_torque_nm
    return attrs.evolve(
        own,
        force_n=own.force_n if math.isnan(config.collision_force_n) else config.collision_force_n,
        torque_nm=own.torque_nm if math.isnan(config.collision_torque_nm) else config.collision_torque_nm,
        joint_torque_nm=_joint_torques(joints, len(arm.joints)) if joints else own.joint_torque_nm,
    )


def _joint_torques(values: Sequence[float], count: int) -> Float64Array:
    return per_joint(values, count, "collision_joint_torque_nm")
