"""What a law reads of the robot's state, and the two things it does with a Jacobian."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom_controllers.laws.rotation import Float64Array, read_pose
from handloom_controllers.native import structs

Struct = npt.NDArray[np.void]


@attrs.frozen(kw_only=True, eq=False)
class Sample:
    """What the robot measured, known to be finite.

    Attributes:
        q: (n,) rad.
        dq: (n,) rad/s.
        coriolis: (n,) Nm.
        gravity: (n,) Nm; 0 where the robot compensates it.
        jacobian: (6, n) of the flange, linear first, base axes.
        T_base_flange: (7,).
    """

    q: Float64Array
    dq: Float64Array
    coriolis: Float64Array
    gravity: Float64Array
    jacobian: Float64Array
    T_base_flange: Float64Array


def read_sample(state: Struct) -> Sample | None:
    """Return what an `hl_state` says; None where something that is needed is not finite."""
    n = int(state["joints"])
    compensates = int(state["flags"]) & structs.STATE_COMPENSATES_GRAVITY
    T_base_flange = read_pose(state["T_base_flange"])
    sample: dict[str, Any] = {name: state[name][:n].copy() for name in ("q", "dq", "coriolis")}
    sample["gravity"] = np.zeros(n) if compensates else state["gravity"][:n].copy()
    sample["jacobian"] = state["jacobian"][:, :n].copy()
    if T_base_flange is None or not all(np.isfinite(array).all() for array in sample.values()):
        return None
    return Sample(**sample, T_base_flange=T_base_flange)


def moved_by(jacobian: Float64Array, arm: Float64Array) -> Float64Array:
    """Return the Jacobian (6, n) of a point that is `arm` (3,) metres in base axes from the one it belongs to.

    The velocity of the point is v + w x arm.
    """
    x, y, z = arm.tolist()
    cross_arm = np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])
    return np.vstack([jacobian[:3] + cross_arm @ jacobian[3:], jacobian[3:]])


def damped_solve(jacobian: Float64Array, damping: float, twist: Float64Array) -> Float64Array:
    """Return J^T (J J^T + damping^2 I)^-1 twist, (n,): the damped pseudo-inverse applied to a twist.

    Source: Wampler, "Manipulator inverse kinematic solutions based on vector formulations and damped least-squares
    methods", IEEE Trans. Systems, Man, and Cybernetics 16 (1986).
    """
    gram = jacobian @ jacobian.T + damping**2 * np.eye(6)
    try:
        solved: Float64Array = jacobian.T @ np.linalg.solve(gram, twist)
    except np.linalg.LinAlgError:  # a Jacobian so large that the damping is lost; the finite check ends the cycle
        return np.full(jacobian.shape[1], np.nan)
    return solved


def elapsed_s(state: Struct, period_s: float) -> float:
    """Return the measured time since the sample before, between 0 and ten periods."""
    return min(max(float(state["period_ns"]) * 1e-9, 0.0), 10.0 * period_s)
