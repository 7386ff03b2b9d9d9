"""The structs of the public headers as numpy types; a test holds them against the compiled ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import numpy.typing as npt

MAX_JOINTS = 12
HISTOGRAM_BINS = 64
ABI = 1

OK, ERROR_NOT_FINITE, ERROR_ABI, ERROR_ROBOT, ERROR_ARGUMENT = 0, -1, -2, -3, -4
STATE_FRESH, STATE_COMPENSATES_GRAVITY = 1, 2
REFERENCE_FIRST, REFERENCE_HOLD, REFERENCE_STOPPING = 1, 2, 4
MODE_TORQUE, MODE_POSITION, MODE_DAMPED = 0, 1, 2

REFLEXES: tuple[str, ...] = (
    "joint_position_limits_violation",
    "joint_velocity_violation",
    "controller_torque_discontinuity",
    "tau_j_range_violation",
    "communication_constraints_violation",
    "joint_reflex",
    "cartesian_reflex",
    "self_collision_avoidance_violation",
    "start_pose_invalid",
    "joint_motion_generator_velocity_discontinuity",
    "joint_motion_generator_acceleration_discontinuity",
    "power_limit_violation",
    "instability_detected",
    "command_not_finite",
)
"""Names of the bits HL_REFLEX_*, from bit 0 up."""

EVENTS: tuple[str, ...] = (
    "clip_position",
    "clip_rotation",
    "wrench_bound",
    "torque_rate",
    "torque_limit",
    "joint_repulsion",
    "velocity_damping",
)
"""Names of the bits HL_EVENT_*, from bit 0 up."""

FAULTS: tuple[str, ...] = (
    "late_chunk",
    "empty_chunk",
    "invalid_chunk",
    "stretched_chunk",
    "no_reference",
    "stale_stream",
    "missed_slots",
    "clip_reached",
    "reflex",
    "not_finite",
    "emergency_stop",
    "telemetry_lost",
    "lost_state",
)
"""Kinds of fault (`handloom.api.FaultKind`) of the bits HL_FAULT_*, from bit 0 up."""

PHASES: tuple[str, ...] = ("ready", "following", "holding", "stopping", "stopped", "damped", "ended")
"""Names of HL_PHASE_*, by their number."""

STOPS: tuple[str, ...] = (
    "none",
    "asked",
    "emergency",
    "stale",
    "reflex",
    "not_finite",
    "law",
    "robot",
    "owner",
)
"""Names of HL_STOP_*, by their number."""

_F, _I, _U, _L, _X = "f8", "i4", "u4", "i8", "u8"
_JOINTS = (MAX_JOINTS,)


def _struct(*fields: tuple[str, str] | tuple[str, str, tuple[int, ...]]) -> np.dtype[np.void]:
    return np.dtype(list(fields), align=True)


STRUCTS: Mapping[str, np.dtype[np.void]] = {
    "hl_state": _struct(
        ("stamp_ns", _L),
        ("period_ns", _L),
        ("reflexes", _X),
        ("flags", _U),
        ("joints", _U),
        ("q", _F, _JOINTS),
        ("dq", _F, _JOINTS),
        ("tau", _F, _JOINTS),
        ("tau_applied", _F, _JOINTS),
        ("coriolis", _F, _JOINTS),
        ("gravity", _F, _JOINTS),
        ("jacobian", _F, (6, MAX_JOINTS)),
        ("T_base_flange", _F, (7,)),
        ("wrench", _F, (6,)),
        ("width_m", _F),
        ("width_speed", _F),
        ("width_force", _F),
    ),
    "hl_reference": _struct(
        ("stamp_ns", _L),
        ("flags", _U),
        ("reserved", _U),
        ("T_base_tcp", _F, (7,)),
        ("twist", _F, (6,)),
        ("width_m", _F),
    ),
    "hl_command": _struct(
        ("mode", _U),
        ("events", _U),
        ("periods", _U),
        ("reserved", _U),
        ("tau", _F, _JOINTS),
        ("q", _F, _JOINTS),
        ("dq", _F, _JOINTS),
        ("width_m", _F),
        ("width_speed", _F),
        ("width_force", _F),
        ("T_base_tcp", _F, (7,)),
        ("error", _F, (6,)),
        ("wrench", _F, (6,)),
    ),
    "hl_robot_v1": _struct(
        ("abi", _U), ("struct_size", _U), ("self", _X), ("read", _X), ("write", _X), ("stop", _X)
    ),
    "hl_law_v1": _struct(("abi", _U), ("struct_size", _U), ("self", _X), ("step", _X)),
    "hl_trajectory_config": _struct(
        ("interpolation", _U),
        ("reserved", _U),
        ("max_speed", _F, (2,)),
        ("braking", _F, (2,)),
        ("contact_speed", _F),
        ("reach_m", _F),
        ("ahead_ns", _L),
        ("arm_latency_ns", _L),
        ("width_latency_ns", _L),
    ),
    "hl_splice_report": _struct(("outcome", _I), ("what", _I), ("row", _I), ("dropped", _I), ("stretched_ns", _L)),
    "hl_loop_config": _struct(
        ("period_ns", _L),
        ("hold_ns", _L),
        ("owner_ns", _L),
        ("fifo_priority", _I),
        ("lock_memory", _I),
        ("cpu", _I),
        ("telemetry_every", _I),
        ("telemetry_room", _I),
        ("chunk_room", _I),
        ("width_speed", _F),
        ("width_force", _F),
    ),
    "hl_telemetry": _struct(
        ("stamp_ns", _L),
        ("lateness_ns", _L),
        ("compute_ns", _L),
        ("reflexes", _X),
        ("phase", _U),
        ("faults", _U),
        ("events", _U),
        ("missed", _U),
        ("chunks", _U),
        ("joints", _U),
        ("q", _F, _JOINTS),
        ("dq", _F, _JOINTS),
        ("tau", _F, _JOINTS),
        ("tau_command", _F, _JOINTS),
        ("T_base_tcp", _F, (7,)),
        ("reference", _F, (7,)),
        ("twist", _F, (6,)),
        ("error", _F, (6,)),
        ("wrench_command", _F, (6,)),
        ("wrench_measured", _F, (6,)),
        ("width_m", _F),
        ("width_reference", _F),
        ("width_force", _F),
    ),
    "hl_loop_status": _struct(
        ("cycles", _L),
        ("missed", _L),
        ("stamp_ns", _L),
        ("stretched_ns", _L),
        ("chunks_taken", _L),
        ("chunks_refused", _L),
        ("telemetry_lost", _L),
        ("reflexes", _X),
        ("phase", _U),
        ("stop", _U),
        ("fifo_errno", _I),
        ("lock_errno", _I),
        ("last_refusal", _I),
        ("last_wrong", _I),
        ("last_row", _I),
        ("reserved", _I),
        ("lateness_histogram", _L, (HISTOGRAM_BINS,)),
        ("compute_histogram", _L, (HISTOGRAM_BINS,)),
        ("lateness_max_ns", _L),
        ("compute_max_ns", _L),
    ),
    "hl_impedance_gains": _struct(
        ("stiffness", _F, (2,)),
        ("damping", _F, (2,)),
        ("integral", _F, (2,)),
        ("clip", _F, (2,)),
        ("wrench_bound", _F, (2,)),
        ("nullspace_stiffness", _F, _JOINTS),
        ("nullspace_damping", _F, _JOINTS),
        ("feed_forward", _F),
    ),
    "hl_impedance_config": _struct(
        ("joints", _U),
        ("follow_joints", _U),
        ("period_s", _F),
        ("blend_s", _F),
        ("lambda", _F),
        ("T_flange_tcp", _F, (7,)),
        ("payload_kg", _F),
        ("payload_com", _F, (3,)),
        ("gravity", _F, (3,)),
        ("posture", _F, _JOINTS),
        ("q_lower", _F, _JOINTS),
        ("q_upper", _F, _JOINTS),
        ("dq_max", _F, _JOINTS),
        ("tau_max", _F, _JOINTS),
        ("tau_step", _F, _JOINTS),
        ("repulsion_margin", _F),
        ("repulsion_torque", _F, _JOINTS),
        ("velocity_margin", _F),
        ("guide_leash", _F, (2,)),
    ),
    "hl_following_config": _struct(
        ("joints", _U),
        ("reserved", _U),
        ("period_s", _F),
        ("lambda", _F),
        ("gain", _F, (2,)),
        ("T_flange_tcp", _F, (7,)),
        ("posture_gain", _F),
        ("posture", _F, _JOINTS),
        ("q_lower", _F, _JOINTS),
        ("q_upper", _F, _JOINTS),
        ("dq_max", _F, _JOINTS),
        ("ddq_max", _F, _JOINTS),
    ),
}
"""By the name in C."""


def new(name: str, count: int | None = None) -> npt.NDArray[np.void]:
    """Return a zeroed struct by its name in C, 0-dimensional, or an array of `count` of them."""
    return np.zeros((() if count is None else (count,)), dtype=STRUCTS[name])


def names_of(bits: int, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the bits that are set, from bit 0 up."""
    return tuple(name for place, name in enumerate(names) if bits >> place & 1)


def bits_of(names: Collection[str], order: tuple[str, ...]) -> int:
    """Return the bits of names, the first of the order being bit 0."""
    return sum(1 << place for place, name in enumerate(order) if name in names)
