"""Whether a robot would take what a law may press with for a collision."""

from __future__ import annotations

import numpy as np

from handloom.api import CollisionThresholds, RobotState
from handloom.errors import HandloomError
from handloom_controllers.laws.kinematics import moved_by
from handloom_controllers.laws.rotation import Float64Array, rotate


def check_thresholds(
    bound_n: float, bound_nm: float, thresholds: CollisionThresholds, state: RobotState, T_flange_tcp: Float64Array
) -> None:
    """Refuse a wrench bound at the tool that the robot would take for a collision.

    A contact pushes back with up to the bound: at the flange with a torque besides, for the lever of the tool.

    Args:
        bound_n: Norm of the force at the tcp.
        bound_nm: Norm of the torque at the tcp.
        thresholds: The robot's.
        state: Where it starts; the torques at its joints are those of this posture.
        T_flange_tcp: (7,).

    Raises:
        HandloomError: It would; says which threshold to raise, or to what to lower the bound.
    """
    at_flange_nm = bound_nm + bound_n * float(np.linalg.norm(T_flange_tcp[:3]))
    if bound_n > thresholds.force_n:
        raise _refusal(f"a force of {bound_n:.4g} N", f"{thresholds.force_n:.4g} N")
    if at_flange_nm > thresholds.torque_nm:
        raise _refusal(f"a torque of {at_flange_nm:.4g} Nm at the flange", f"{thresholds.torque_nm:.4g} Nm")
    jacobian = moved_by(state.jacobian, rotate(state.T_base_flange[3:], T_flange_tcp[:3]))
    linear, angular = np.linalg.norm(jacobian[:3], axis=0), np.linalg.norm(jacobian[3:], axis=0)
    worst = bound_n * linear + bound_nm * angular
    over = np.flatnonzero(worst > thresholds.joint_torque_nm)
    if len(over):
        joint = int(over[0])
        limit = f"{thresholds.joint_torque_nm[joint]:.4g} Nm"
        raise _refusal(f"{worst[joint]:.4g} Nm at joint {joint + 1} from the base", limit)


def _refusal(pressing: str, threshold: str) -> HandloomError:
    return HandloomError(
        f"The law may press with {pressing}, but the robot takes {threshold} for a collision and would stop in "
        "every firm contact. Raise the robot's collision thresholds, or lower wrench_bound_n and wrench_bound_nm."
    )
