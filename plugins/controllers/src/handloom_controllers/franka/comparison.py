"""Where the arm that is connected and the one in our files disagree, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from handloom_controllers.arms import Arm

_NEAR_M = 1e-3
_NEAR_KG = 0.05


def compare(state: Any, arm: Arm) -> Iterator[str]:
    """Yield a sentence for each disagreement.

    pylibfranka 0.21 tells no limits, so there is nothing to hold those in our files against.

    Args:
        state: The arm's, of pylibfranka.
        arm: The one in our files, with the hand that the settings say.
    """
    T_base_ee = np.array(state.O_T_EE).reshape(4, 4).T
    T_flange_ee = np.array(state.F_T_EE).reshape(4, 4).T
    told = (T_base_ee @ np.linalg.inv(T_flange_ee))[:3, 3]
    ours = arm.chain.forward(state.q)[:3, 3]
    apart = float(np.linalg.norm(told - ours))
    if apart > _NEAR_M:
        yield (
            f"The arm says that its flange is at {told.round(4).tolist()} m, our kinematics of {arm.name} say "
            f"{ours.round(4).tolist()} m: {apart * 1e3:.1f} mm apart. Find out whether it is an {arm.name}."
        )
    if np.isfinite(arm.width_m) and state.m_ee < _NEAR_KG:
        yield (
            "The settings say that it carries the hand, but the arm knows of no tool (m_ee = "
            f"{state.m_ee:.2f} kg); set the end effector in Desk, or hand = false."
        )
    if not np.isfinite(arm.width_m) and state.m_ee > _NEAR_KG:
        yield (
            f"The settings say that it carries no hand, but the arm knows of a tool of {state.m_ee:.2f} kg; its "
            "weight is carried all the same."
        )
