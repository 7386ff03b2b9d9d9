"""The messages of the Franka Control Interface as numpy types, little-endian and packed.

Source: frankarobotics/libfranka-common, research_interface/robot/{rbk_types,service_types,error}.h, for the fields
and their order; protocol version 10, which libfranka 0.21 speaks.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

VERSION = 10
PORT = 1337

CONNECT, MOVE, STOP_MOVE, SET_COLLISION, SET_JOINT_IMPEDANCE, SET_CARTESIAN_IMPEDANCE = range(6)
SET_GUIDING, SET_EE_TO_K, SET_NE_TO_EE, SET_LOAD, RECOVER, GET_MODEL = range(6, 12)

MODE_OTHER, MODE_IDLE, MODE_MOVE, MODE_GUIDING, MODE_REFLEX, MODE_USER_STOPPED, MODE_RECOVERING = range(7)

GENERATOR_IDLE, GENERATOR_NONE = 0, 5
CONTROLLER_EXTERNAL, CONTROLLER_OTHER = 2, 3
ASKED_EXTERNAL, ASKED_NO_GENERATOR = 2, 4

SUCCESS = 0
INCOMPATIBLE = 1
NOT_POSSIBLE = 1
INVALID_ARGUMENT = 2
MOVE_STARTED, MOVE_PREEMPTED, MOVE_NOT_POSSIBLE, MOVE_INVALID = 1, 2, 5, 7
MOVE_REFLEX, MOVE_EMERGENCY = 8, 9

HEADER = np.dtype([("command", "<u4"), ("id", "<u4"), ("size", "<u4")])
CONNECT_REQUEST = np.dtype([("version", "<u2"), ("udp_port", "<u2")])
MOVE_REQUEST = np.dtype(
    [
        ("controller", "<u4"),
        ("generator", "<u4"),
        ("path_deviation", "<f8", (3,)),
        ("goal_deviation", "<f8", (3,)),
        ("asynchronous", "?"),
        ("maximum_velocity", "<f8", (7,)),
    ]
)
COLLISION_REQUEST = np.dtype(
    [
        ("lower_torque_acceleration", "<f8", (7,)),
        ("upper_torque_acceleration", "<f8", (7,)),
        ("lower_torque_nominal", "<f8", (7,)),
        ("upper_torque_nominal", "<f8", (7,)),
        ("lower_force_acceleration", "<f8", (6,)),
        ("upper_force_acceleration", "<f8", (6,)),
        ("lower_force_nominal", "<f8", (6,)),
        ("upper_force_nominal", "<f8", (6,)),
    ]
)
LOAD_REQUEST = np.dtype([("mass", "<f8"), ("com", "<f8", (3,)), ("inertia", "<f8", (9,))])

STATE = np.dtype(
    [
        ("message_id", "<u8"),
        ("O_T_EE", "<f4", (16,)),
        ("O_T_EE_d", "<f4", (16,)),
        ("F_T_EE", "<f4", (16,)),
        ("EE_T_K", "<f4", (16,)),
        ("F_T_NE", "<f4", (16,)),
        ("NE_T_EE", "<f4", (16,)),
        ("m_ee", "<f4"),
        ("I_ee", "<f4", (9,)),
        ("F_x_Cee", "<f4", (3,)),
        ("m_load", "<f4"),
        ("I_load", "<f4", (9,)),
        ("F_x_Cload", "<f4", (3,)),
        ("elbow", "<f4", (2,)),
        ("elbow_d", "<f4", (2,)),
        ("tau_J", "<f4", (7,)),
        ("tau_J_d", "<f4", (7,)),
        ("dtau_J", "<f4", (7,)),
        ("q", "<f4", (7,)),
        ("q_d", "<f4", (7,)),
        ("dq", "<f4", (7,)),
        ("dq_d", "<f4", (7,)),
        ("ddq_d", "<f4", (7,)),
        ("joint_contact", "<f4", (7,)),
        ("cartesian_contact", "<f4", (6,)),
        ("joint_collision", "<f4", (7,)),
        ("cartesian_collision", "<f4", (6,)),
        ("tau_ext_hat_filtered", "<f4", (7,)),
        ("O_F_ext_hat_K", "<f4", (6,)),
        ("K_F_ext_hat_K", "<f4", (6,)),
        ("O_dP_EE_d", "<f4", (6,)),
        ("O_ddP_O", "<f4", (3,)),
        ("elbow_c", "<f4", (2,)),
        ("delbow_c", "<f4", (2,)),
        ("ddelbow_c", "<f4", (2,)),
        ("O_T_EE_c", "<f4", (16,)),
        ("O_dP_EE_c", "<f4", (6,)),
        ("O_ddP_EE_c", "<f4", (6,)),
        ("theta", "<f4", (7,)),
        ("dtheta", "<f4", (7,)),
        ("accelerometer_top", "<f4", (6, 3)),
        ("accelerometer_bottom", "<f4", (6, 3)),
        ("motion_generator_mode", "u1"),
        ("controller_mode", "u1"),
        ("errors", "?", (41,)),
        ("reflex_reason", "?", (41,)),
        ("robot_mode", "u1"),
        ("control_command_success_rate", "<f4"),
    ]
)
COMMAND = np.dtype(
    [
        ("message_id", "<u8"),
        ("q_c", "<f8", (7,)),
        ("dq_c", "<f8", (7,)),
        ("O_T_EE_c", "<f8", (16,)),
        ("O_dP_EE_c", "<f8", (6,)),
        ("elbow_c", "<f8", (2,)),
        ("valid_elbow", "?"),
        ("motion_generation_finished", "?"),
        ("tau_J_d", "<f8", (7,)),
        ("torque_command_finished", "?"),
    ]
)

ERRORS: Mapping[str, int] = {
    "joint_position_limits_violation": 0,
    "self_collision_avoidance_violation": 2,
    "joint_velocity_violation": 3,
    "cartesian_velocity_violation": 4,
    "joint_reflex": 6,
    "cartesian_reflex": 7,
    "communication_constraints_violation": 25,
    "power_limit_violation": 26,
    "controller_torque_discontinuity": 32,
    "tau_j_range_violation": 34,
    "instability_detected": 35,
}
"""Places in the state's errors of those that the simulated arm raises, or a test does."""
