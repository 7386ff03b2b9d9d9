"""The IK's state between steps: the joints that it answered last."""

from __future__ import annotations

import math

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import HandloomError
from handloom.geometry import quaternion
from handloom_controllers.arms import Arm
from handloom_controllers.differential_ik.settings import IkSettings
from handloom_controllers.differential_ik.solver import Solver
from handloom_controllers.gate.settings import range_within

Float64Array = npt.NDArray[np.float64]

_AT_LIMIT_RAD = 1e-3

_KEPT_WITHIN_RAD = 0.2
"""How far the joints before may be from measured ones and still be taken for the same posture."""


@attrs.frozen(kw_only=True, eq=False)
class IkAnswer:
    """Where the joints shall be.

    Attributes:
        q: (n,) rad; always finite.
        error_m: Distance of the tool from the target; NaN where that is no pose.
        error_rad: Angle to it; likewise.
        at_limit: Names of the joints at the end of their range.
        clear_m: Distance of the nearest pair, up to `sight_m`.
        near: That pair; None where nothing is so near.
        problem: Why this step does not move, a sentence; "" where it does.
    """

    q: Float64Array
    error_m: float
    error_rad: float
    at_limit: tuple[str, ...]
    clear_m: float
    near: tuple[str, str] | None
    problem: str = ""


class DifferentialIk:
    """Follows poses of the tool with the joints of an arm.

    Each step begins at the joints of the step before, not at measured ones: so a sagging arm is not followed, and
    the same target twice gives the same joints. Only `reset` takes measured joints, and only inside the range.
    """

    def __init__(self, arm: Arm, settings: IkSettings | None = None) -> None:
        """Name the arm; nothing is loaded before `reset`.

        Args:
            arm: The arm; `T_flange_tcp` is its tool.
            settings: How to follow.

        Raises:
            HandloomError: The margin leaves a joint no room.
        """
        self.arm = arm
        self.settings = settings or IkSettings()
        self.lower, self.upper = range_within(arm, self.settings.range_margin_rad)
        self._solver: Solver | None = None
        self._q: Float64Array | None = None

    def reset(self, q: Float64Array) -> Float64Array:
        """Begin at joint positions, and return where it really begins.

        Measured positions outside the range are not followed: the joints before are kept where they are near, else
        the nearest positions inside are taken. Both stay where they are when the target is the tool's own pose, so
        that engaging a clutch moves nothing.

        Args:
            q: (n,) rad.

        Raises:
            HandloomError: The positions are not n finite numbers.
            PluginError: Mink or MuJoCo is not installed.
        """
        start = np.array(q, dtype=np.float64)
        if start.shape != self.arm.home.shape or not np.isfinite(start).all():
            raise HandloomError(
                f"The IK can't begin at {start.tolist()}; {self.arm.name} has {len(self.arm.home)} joints, each "
                "at a finite position."
            )
        if self._solver is None:
            self._solver = Solver(self.arm, self.settings, self.lower, self.upper)
        inside = np.clip(start, self.lower, self.upper)
        outside = bool((inside != start).any())
        kept = self._q is not None and outside and float(np.abs(self._q - inside).max()) < _KEPT_WITHIN_RAD
        self._q = self._q if kept and self._q is not None else inside
        return self._q.copy()

    def pose(self) -> Float64Array:
        """Return (7,) T_base_tcp at the present joints: what a clutch takes for its start.

        Raises:
            HandloomError: It was not reset.
        """
        solver, q = self._ready()
        return solver.pose(q)

    def step(self, T_base_tcp: Float64Array, dt_s: float) -> IkAnswer:
        """Make one step towards a pose.

        Args:
            T_base_tcp: (7,) metres and quaternion x y z w.
            dt_s: Time since the step before; bounds how far joints move.

        Raises:
            HandloomError: It was not reset.
        """
        solver, q = self._ready()
        problem = lost = _wrong_pose(T_base_tcp)
        if not problem and not (math.isfinite(dt_s) and dt_s > 0):
            problem = f"The step takes {dt_s} s; expected more than 0, the joints stay."
        if not problem:
            moved, problem = solver.solve(q, T_base_tcp, min(dt_s, self.settings.longest_step_s))
            self._q = q = np.clip(moved, self.lower, self.upper)
        return self._answer(solver, q, None if lost else T_base_tcp, problem)

    def _answer(self, solver: Solver, q: Float64Array, target: Float64Array | None, problem: str) -> IkAnswer:
        found = solver.pose(q)
        near = solver.collisions.nearest(q)
        at_end = (q - self.lower < _AT_LIMIT_RAD) | (self.upper - q < _AT_LIMIT_RAD)
        sight_m = self.settings.sight_m
        seen = near is not None and near.distance_m < sight_m
        return IkAnswer(
            q=q.copy(),
            error_m=math.nan if target is None else float(np.linalg.norm(found[:3] - target[:3])),
            error_rad=math.nan if target is None else float(quaternion.angle_between(found[3:], target[3:])),
            at_limit=tuple(name for name, there in zip(self.arm.joints, at_end, strict=True) if there),
            clear_m=near.distance_m if near is not None and seen else sight_m,
            near=near.pair if near is not None and seen else None,
            problem=problem,
        )

    def _ready(self) -> tuple[Solver, Float64Array]:
        if self._solver is None or self._q is None:
            raise HandloomError("The IK does not know where the arm is; call reset with its joint positions.")
        return self._solver, self._q


def _wrong_pose(T_base_tcp: Float64Array) -> str:
    """Return what is wrong with a target, or ""."""
    found = np.asarray(T_base_tcp, dtype=np.float64)
    if found.shape != (7,) or not np.isfinite(found).all():
        return f"The target pose is {found.tolist()}; expected 7 finite numbers, the joints stay."
    if np.abs(found[3:]).max() > 2 or abs(float(np.linalg.norm(found[3:])) - 1) > 1e-3:
        return f"The target's quaternion is {found[3:].tolist()}; expected norm 1, the joints stay."
    return ""
