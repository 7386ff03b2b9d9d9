"""Translates the arm's state into the one of handloom_rt.h, and the names of its errors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom_controllers.native.structs import REFLEXES, STATE_COMPENSATES_GRAVITY, STATE_FRESH

Float64Array = npt.NDArray[np.float64]

NAMED = tuple(name for name in REFLEXES if name not in {"start_pose_invalid", "command_not_finite"})
"""Reflexes that the arm calls by the same names; it knows no other two."""

UNNAMED_BIT = 1 << REFLEXES.index("instability_detected")
"""Stands for errors of the arm for which handloom_rt.h has no name; the process tells the arm's own name."""


class Translation:
    """Fills an `hl_state`.

    The arm's wrench is what it does to its surroundings, at its stiffness frame; ours is what they do to it, at
    the flange. Source: libfranka, franka::RobotState, O_F_ext_hat_K.
    """

    def __init__(self, model: Any, target: Any) -> None:
        """Begin a translation.

        Args:
            model: The arm's own, of pylibfranka.
            target: The `hl_state` to fill.
        """
        self._model, self._target = model, target
        target["joints"] = 7
        target["flags"] = STATE_FRESH | STATE_COMPENSATES_GRAVITY
        for name in ("width_m", "width_speed", "width_force"):
            target[name] = np.nan
        self._flange: list[float] = []
        self._T_ee_flange: Float64Array = np.eye(4)
        self._cross = np.zeros((3, 3))
        # Views, so that a cycle makes no new ones.
        self._joints = {
            name: target[name][:7] for name in ("q", "dq", "tau", "tau_applied", "coriolis", "gravity")
        }
        self._jacobian, self._pose, self._wrench = (
            target["jacobian"][:, :7],
            target["T_base_flange"],
            target["wrench"],
        )

    def fill(self, state: Any) -> None:
        """Take over everything but stamps and reflexes."""
        joints, model = self._joints, self._model
        joints["q"][:], joints["dq"][:] = state.q, state.dq
        joints["tau"][:], joints["tau_applied"][:] = state.tau_J, state.tau_J_d
        joints["coriolis"][:], joints["gravity"][:] = model.coriolis(state), model.gravity(state)
        T_base_ee = _matrix(state.O_T_EE)
        T_base_flange = T_base_ee @ self._from_ee(state.F_T_EE)
        self._pose[:3] = T_base_flange[:3, 3]
        self._pose[3:] = quaternion_of(T_base_flange[:3, :3])
        self._fill_jacobian(model.zero_jacobian(state), T_base_flange[:3, 3] - T_base_ee[:3, 3])
        self._fill_wrench(state, T_base_ee, T_base_flange)

    def _from_ee(self, flange_to_ee: list[float]) -> Float64Array:
        """Return T_ee_flange, worked out anew only when the tool has changed."""
        if self._flange != flange_to_ee:
            self._flange = flange_to_ee
            self._T_ee_flange = np.asarray(np.linalg.inv(_matrix(flange_to_ee)), dtype=np.float64)
        return self._T_ee_flange

    def _fill_jacobian(self, at_ee: list[float], lever: Float64Array) -> None:
        """Move the Jacobian from the end effector to the flange: v_flange = v_ee + w x lever."""
        jacobian = np.array(at_ee).reshape(7, 6).T
        self._jacobian[:] = jacobian
        self._jacobian[:3] -= self._crossing(lever) @ jacobian[3:]

    def _fill_wrench(self, state: Any, T_base_ee: Float64Array, T_base_flange: Float64Array) -> None:
        at_k = np.array(state.O_F_ext_hat_K)
        lever = T_base_ee[:3, :3] @ np.array(state.EE_T_K[12:15]) + T_base_ee[:3, 3] - T_base_flange[:3, 3]
        self._wrench[:3] = -at_k[:3]
        self._wrench[3:] = -(at_k[3:] + self._crossing(lever) @ at_k[:3])

    def _crossing(self, lever: Float64Array) -> Float64Array:
        """Return the matrix (3, 3) that does lever x."""
        x, y, z = lever.tolist()
        cross = self._cross
        cross[0, 1], cross[0, 2], cross[1, 2] = -z, y, -x
        cross[1, 0], cross[2, 0], cross[2, 1] = z, -y, x
        return cross


def reflexes_of(errors: Any) -> int:
    """Return the bits of HL_REFLEX_* for the errors of the arm."""
    if not errors:
        return 0
    found = sum(1 << REFLEXES.index(name) for name in NAMED if getattr(errors, name))
    return found or UNNAMED_BIT


def _matrix(column_major: list[float]) -> Float64Array:
    return np.array(column_major).reshape(4, 4).T


def quaternion_of(rotation: Float64Array) -> tuple[float, float, float, float]:
    """Return x y z w of a rotation matrix (3, 3), from its largest component, of length 1.

    `handloom.geometry` does the same for arrays, in thirty times the time.

    Source: S. W. Shepperd, Quaternion from rotation matrix, J. Guidance and Control 1 (3), 1978.
    """
    (a, b, c), (d, e, f), (g, h, i) = rotation.tolist()
    if a + e + i > 0:
        x, y, z, w = h - f, c - g, d - b, 1 + a + e + i
    elif a >= e and a >= i:
        x, y, z, w = 1 + a - e - i, b + d, c + g, h - f
    elif e >= i:
        x, y, z, w = b + d, 1 - a + e - i, f + h, c - g
    else:
        x, y, z, w = c + g, f + h, 1 - a - e + i, d - b
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    return x / norm, y / norm, z / norm, w / norm
