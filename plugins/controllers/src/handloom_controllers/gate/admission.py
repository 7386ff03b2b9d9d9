"""Whether a target may be gone to from the present motion, and the path that goes there."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Fault
from handloom.api.control import FaultKind
from handloom_controllers.arms import Arm
from handloom_controllers.gate.braking import brake, brake_then_move
from handloom_controllers.gate.clearance import Clearance
from handloom_controllers.gate.path import Motion, Path
from handloom_controllers.gate.planner import NoPathError, Planner
from handloom_controllers.gate.settings import Bounds, GateSettings

Float64Array = npt.NDArray[np.float64]

_ROUNDING = 1e-9
"""rad; a position that rounding put outside the range is not outside."""


@attrs.frozen(kw_only=True)
class Admitted:
    """A target that is gone to.

    Attributes:
        path: The way, checked to its end.
        faults: What had to be done to the target, and how the way was found.
    """

    path: Path
    faults: tuple[Fault, ...] = ()


class Admission:
    """Checks targets and plans the ways to them."""

    def __init__(self, settings: GateSettings, arm: Arm, limits: Bounds, clearance: Clearance) -> None:
        self._settings = settings
        self._arm = arm
        self._limits = limits
        self._clearance = clearance
        self._planner = Planner(len(arm.joints))

    def begin(self, q: Float64Array) -> None:
        """Take a position for granted: what is too near there may stay so, but not come nearer."""
        self._clearance.begin(q)

    def of(self, target: Float64Array, motion: Motion, share: float, now: int) -> Admitted | Fault:
        """Return the way to a target, or why it is refused.

        Args:
            target: (n,) rad.
            motion: Where the arm is.
            share: Of the speed limit.
            now: int64 ns.
        """
        fault = self._unfit(target, now)
        if fault:
            return fault
        limits = self._limits_at(motion.q)
        clipped = np.minimum(np.maximum(target, limits.lower), limits.upper)
        faults = () if np.abs(clipped - target).max() <= _ROUNDING else (self._clipped(target, clipped, now),)
        return self._planned(clipped, motion, limits.slower(share) if share < 1 else limits, faults, now)

    def rest(self, motion: Motion) -> Path | None:
        """Return the quickest way to rest; None where that leads too near to something."""
        path = brake(motion, self._limits_at(motion.q))
        if path.breach(self._limits_at(motion.q)) or self._clearance.on_the_way(path):
            return None
        return path

    def _planned(
        self, target: Float64Array, motion: Motion, limits: Bounds, faults: tuple[Fault, ...], now: int
    ) -> Admitted | Fault:
        slow = limits.towards(motion.q, target)
        path, problem = self._quickest(target, motion, slow, limits)
        if path is None or problem:
            found = problem
            path = brake_then_move(motion, target, slow)
            problem = path.breach(limits)
            if problem:
                return _refused("solver_failed", f"Every way to the target {problem}", now)
            faults = (*faults, _fault("solver_failed", f"{found} The arm brakes first, then moves there.", now))
        near = self._clearance.breach(path)
        if near:
            pair = " and ".join(near.pair)
            return _refused(
                "collision", f"On the way to the target, {pair} come as near as {near.distance_m:.4f} m", now
            )
        return Admitted(path=path, faults=faults)

    def _quickest(
        self, target: Float64Array, motion: Motion, slow: Bounds, limits: Bounds
    ) -> tuple[Path | None, str]:
        """Return ruckig's way, and what is wrong with it."""
        try:
            path = self._planner.path(motion, target, slow)
        except NoPathError as error:
            return None, str(error)
        if np.abs(path.end - target).max() > 1e-6:
            return path, "Ruckig's way to the target ends elsewhere."
        problem = path.breach(limits)
        return path, problem and f"Ruckig's way to the target {problem}."

    def _limits_at(self, q: Float64Array) -> Bounds:
        """Return the limits, with a range that reaches to where the arm is: it may come in from outside."""
        limits = self._limits
        if (q < limits.lower - _ROUNDING).any() or (q > limits.upper + _ROUNDING).any():
            return limits.including(q)
        return limits

    def _unfit(self, target: Float64Array, now: int) -> Fault | None:
        joints = len(self._arm.joints)
        found = np.asarray(target, dtype=np.float64)
        if found.shape != (joints,) or not np.isfinite(found).all():
            return _refused(
                "not_finite", f"The target is {found.tolist()}; expected {joints} finite joint positions", now
            )
        outside = np.maximum(self._limits.lower - found, found - self._limits.upper)
        worst = int(outside.argmax())
        if outside[worst] <= self._settings.clip_within_rad:
            return None
        return _refused(
            "out_of_range",
            f"The target of {self._arm.joints[worst]} is {outside[worst]:.3g} rad outside its range",
            now,
        )

    def _clipped(self, target: Float64Array, clipped: Float64Array, now: int) -> Fault:
        worst = int(np.abs(target - clipped).argmax())
        found = f"The target of {self._arm.joints[worst]} is {target[worst]:.4f} rad"
        return _fault("clip_reached", f"{found}; {clipped[worst]:.4f} rad is taken instead.", now)


def _refused(kind: FaultKind, found: str, now: int) -> Fault:
    return _fault(kind, f"{found}; it is not gone to, the motion before goes on.", now)


def _fault(kind: FaultKind, message: str, now: int) -> Fault:
    return Fault(kind=kind, message=message, stamp=now)
