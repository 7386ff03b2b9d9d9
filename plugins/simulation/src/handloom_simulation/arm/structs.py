"""The structs of hl_arm.h as numpy types; a test holds them against the compiled ones."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

MAX_JOINTS = 12

COMPENSATES_GRAVITY = 1
MONOTONIC = 2
TORQUE_SENSORS = 4

_F, _I, _U, _L, _X = "f8", "i4", "u4", "i8", "u8"
_JOINTS = (MAX_JOINTS,)


def _struct(*fields: tuple[str, str] | tuple[str, str, tuple[int, ...]]) -> np.dtype[np.void]:
    return np.dtype(list(fields), align=True)


_GRIPPER = _struct(
    ("present", _U),
    ("blocking", _U),
    ("width_min", _F),
    ("width_max", _F),
    ("speed", _F),
    ("acceleration", _F),
    ("force", _F),
    ("latency_s", _F),
    ("move_cost_s", _F),
    ("least_move", _F),
    ("command_s", _F),
    ("state_s", _F),
    ("object_width", _F),
    ("object_stiffness", _F),
)

STRUCTS: Mapping[str, np.dtype[np.void]] = {
    "hl_gripper_config": _GRIPPER,
    "hl_arm_config": np.dtype(
        [
            ("joints", _U),
            ("flags", _U),
            ("reflexes", _X),
            ("seed", _X),
            ("period_ns", _L),
            ("start_ns", _L),
            ("plant_model", _X),
            ("plant_data", _X),
            ("own_model", _X),
            ("own_data", _X),
            ("plant_q", _I, _JOINTS),
            ("plant_dof", _I, _JOINTS),
            ("own_q", _I, _JOINTS),
            ("own_dof", _I, _JOINTS),
            ("plant_flange", _I),
            ("own_flange", _I),
            ("finger_q", _I, (2,)),
            ("finger_dof", _I, (2,)),
            ("q_lower", _F, _JOINTS),
            ("q_upper", _F, _JOINTS),
            ("dq_max", _F, _JOINTS),
            ("ddq_max", _F, _JOINTS),
            ("jerk_max", _F, _JOINTS),
            ("tau_max", _F, _JOINTS),
            ("tau_rate", _F, _JOINTS),
            ("braking", _F, _JOINTS),
            ("braking_offset", _F, _JOINTS),
            ("collision_torque", _F, _JOINTS),
            ("collision_wrench", _F, (2,)),
            ("power_max", _F),
            ("start_pose_rad", _F),
            ("noise_q", _F),
            ("noise_dq", _F),
            ("noise_tau", _F),
            ("observer_s", _F),
            ("servo_hz", _F),
            ("braking_s", _F),
            ("gripper", _GRIPPER),
        ],
        align=True,
    ),
    "hl_arm_truth": _struct(
        ("steps", _L),
        ("steps_stopping", _L),
        ("reflexes", _X),
        ("at_rest", _U),
        ("stopping", _U),
        ("contact_force", _F, (3,)),
        ("contact_peak", _F),
        ("speed_peak", _F),
        ("power", _F),
        ("tau_motor", _F, _JOINTS),
        ("tau_external", _F, _JOINTS),
    ),
}
"""By the name in C."""


def new(name: str) -> npt.NDArray[np.void]:
    """Return a zeroed struct by its name in C, 0-dimensional."""
    return np.zeros((), dtype=STRUCTS[name])
