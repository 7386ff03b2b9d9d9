"""A robot's state out of a struct of handloom_rt.h, and a command into one."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.api import RobotCommand, RobotState
from handloom.errors import HandloomError
from handloom_controllers.native.structs import (
    MODE_DAMPED,
    MODE_POSITION,
    MODE_TORQUE,
    REFLEXES,
    STATE_COMPENSATES_GRAVITY,
    names_of,
    new,
)

Struct = npt.NDArray[np.void]


def state_of(struct: Struct) -> RobotState:
    """Return an hl_state as a RobotState; nothing of it is shared."""
    n = int(struct["joints"])
    return RobotState(
        stamp=int(struct["stamp_ns"]),
        q=np.array(struct["q"][:n]),
        dq=np.array(struct["dq"][:n]),
        tau=np.array(struct["tau"][:n]),
        tau_applied=np.array(struct["tau_applied"][:n]),
        coriolis=np.array(struct["coriolis"][:n]),
        gravity=np.array(struct["gravity"][:n]),
        compensates_gravity=bool(int(struct["flags"]) & STATE_COMPENSATES_GRAVITY),
        jacobian=np.array(struct["jacobian"][:, :n]),
        T_base_flange=np.array(struct["T_base_flange"]),
        wrench=np.array(struct["wrench"]),
        width_m=float(struct["width_m"]),
        width_speed_m_per_s=float(struct["width_speed"]),
        grip_force_n=float(struct["width_force"]),
        reflexes=names_of(int(struct["reflexes"]), REFLEXES),
    )


def command_struct(command: RobotCommand, joints: int) -> Struct:
    """Return a RobotCommand as an hl_command of one period; a joint's velocity, which it does not carry, is 0.

    Args:
        command: The command.
        joints: How many the robot has.

    Raises:
        HandloomError: It is for another number of joints, not of numbers, or has both torques and positions.
    """
    if command.tau is not None and command.q is not None:
        raise HandloomError("The command is refused: it has torques and positions, and only one can be followed.")
    struct = new("hl_command")
    struct["mode"] = MODE_DAMPED
    struct["periods"] = 1
    for name, mode in (("tau", MODE_TORQUE), ("q", MODE_POSITION)):
        values = getattr(command, name)
        if values is None:
            continue
        if not isinstance(values, np.ndarray) or values.dtype.kind not in "fiu":
            found = getattr(values, "dtype", type(values).__name__)
            raise HandloomError(f"The command is refused: its `{name}` is {found}; expected an array of numbers.")
        if values.shape != (joints,):
            raise HandloomError(
                f"The command is refused: it is for {values.size} joints, and the robot has {joints}."
            )
        struct["mode"] = mode
        struct[name][:joints] = values
    struct["width_m"] = command.width_m
    struct["width_speed"], struct["width_force"] = command.width_speed_m_per_s, command.grip_force_n
    for name in ("T_base_tcp", "error", "wrench"):
        struct[name] = np.nan
    return struct
