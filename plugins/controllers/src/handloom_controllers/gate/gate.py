"""The gate: takes joint targets as they come, lets through only what the arm may do."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Fault
from handloom.errors import HandloomError
from handloom_controllers.arms import Arm
from handloom_controllers.collision import Collisions
from handloom_controllers.gate.admission import Admission
from handloom_controllers.gate.clearance import Clearance
from handloom_controllers.gate.jaw import JawGate, WidthAnswer
from handloom_controllers.gate.path import Path, at_rest
from handloom_controllers.gate.ramp import Ramp
from handloom_controllers.gate.settings import GateSettings, bounds
from handloom_controllers.gate.ticks import Ticks

Float64Array = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True, eq=False)
class GateAnswer:
    """What the arm shall do in this tick; always finite.

    Attributes:
        q: (n,) rad.
        dq: (n,) rad/s.
        ddq: (n,) rad/s^2.
        faults: What was noticed in this tick, and what is done about it.
    """

    q: Float64Array
    dq: Float64Array
    ddq: Float64Array
    faults: tuple[Fault, ...]


class Gate:
    """Holds a stream of joint targets to what an arm may do.

    At every instant it is on a path that was checked to its end, where the arm rests: range, speed,
    acceleration and jerk for each instant, distances all along. A target is taken when the path from the present
    motion to it passes the same checks; otherwise the path before goes on. So nothing that comes later, and
    nothing that does not come, can force it out of what is allowed.

    Each call is one control period, in which the arm takes one command; stamps only tell that something is wrong.
    """

    def __init__(self, settings: GateSettings, arm: Arm) -> None:
        """Name the arm; nothing is loaded before `reset`.

        Args:
            settings: What the gate allows.
            arm: Its limits hold besides.

        Raises:
            HandloomError: The margin leaves a joint no room.
        """
        self.settings = settings
        self.arm = arm
        self._bounds = bounds(settings, arm)
        self._jaw = JawGate(settings)
        self._ticks = Ticks(settings)
        self._ramp = Ramp(settings)
        self._admission: Admission | None = None
        self._begin(arm.home)

    def reset(self, q: Float64Array, *, width_m: float = float("nan")) -> None:
        """Begin at rest at measured joint positions, also where these are outside the range.

        Args:
            q: (n,) rad.
            width_m: Measured width of the jaw; NaN without one.

        Raises:
            HandloomError: The positions are not n finite numbers.
            PluginError: Ruckig or MuJoCo is not installed.
        """
        start = np.array(q, dtype=np.float64)
        if start.shape != self.arm.home.shape or not np.isfinite(start).all():
            raise HandloomError(
                f"The gate can't begin at {start.tolist()}; {self.arm.name} has {len(self.arm.home)} joints, "
                "each at a finite position."
            )
        if self._admission is None:
            self._admission = self._built()
        self._begin(start)
        self._admission.begin(start)
        self._ticks.begin()
        self._jaw.reset(width_m)

    def step(self, target: Float64Array | None, now: int) -> GateAnswer:
        """Return the command of this tick, one `period_s` after the one before.

        Args:
            target: (n,) rad where the joints shall be; None where there is no target.
            now: int64 ns on the robot's clock.

        Raises:
            HandloomError: It was not reset.
        """
        if self._admission is None:
            raise HandloomError("The gate does not know where the arm is; call reset with its joint positions.")
        faults: list[Fault] = []
        wrong = self._ticks.next(now)
        if wrong:
            faults.append(wrong)
            self._brake(self._admission)
            self._rests_first = True
        self._rests_first = self._rests_first and not self._at_rest()
        wanted = None if self._rests_first else target
        taken = wanted is not None and self._take(self._admission, wanted, now, faults)
        if self._ticks.silent(taken=taken):
            faults.append(self._lost(self._admission, now))
        self._advance()
        q, dq, ddq = (each.copy() for each in self._motion)
        return GateAnswer(q=q, dq=dq, ddq=ddq, faults=tuple(faults))

    def within(self, share: float) -> Float64Array:
        """Return (n,) rad at a share of the period that the last call covers; 1 is what that answered.

        For an arm that takes several commands a period: they keep the same limits.
        """
        if self._path is None:
            return self._motion.q.copy()
        return self._path.at(max(self._path_s - (1 - share) * self.settings.period_s, 0.0)).q

    def width(self, target_m: float | None, now: int) -> WidthAnswer:
        """Return the jaw's width of this tick, one `period_s` later; only range and speed are held.

        Args:
            target_m: Where the jaw shall be; None leaves it where it is.
            now: int64 ns on the robot's clock.
        """
        return self._jaw.step(target_m, now)

    def _begin(self, q: Float64Array) -> None:
        self._motion = at_rest(q)
        self._path: Path | None = None
        self._path_s = 0.0
        self._goal: Float64Array | None = None
        self._rests_first = False
        self._ramp.restart()

    def _take(self, admission: Admission, target: Float64Array, now: int, faults: list[Fault]) -> bool:
        """Go to a target where that is allowed, and say whether it is."""
        if self._goal is not None and np.array_equal(target, self._goal):
            return True
        share = self._ramp.share(self._motion, self._bounds)
        answer = admission.of(target, self._motion, share, now)
        if isinstance(answer, Fault):
            faults.append(answer)
            return False
        faults.extend(answer.faults)
        self._path, self._path_s = answer.path, 0.0
        # Planned below full speed, it is planned again in the next tick, with more.
        self._goal = np.array(target) if share == 1 else None
        self._ramp.engage(share)
        return True

    def _lost(self, admission: Admission, now: int) -> Fault:
        """Come to rest, because targets have stopped coming."""
        how = "brakes" if self._brake(admission) else "goes on to the last target, having no room to brake before"
        message = f"No target could be followed for {self.settings.silence_s:g} s; the arm {how}, and rests."
        return Fault(kind="stale_stream", message=message, stamp=now)

    def _brake(self, admission: Admission) -> bool:
        """Come to rest, and say whether that is sooner than at the last target."""
        path = admission.rest(self._motion)
        if path is not None:
            self._path, self._path_s = path, 0.0
        self._goal = None
        self._ramp.restart()
        self._ticks.forget_targets()
        return path is not None

    def _at_rest(self) -> bool:
        return self._path is None or self._path_s >= self._path.duration_s

    def _advance(self) -> None:
        period_s = self.settings.period_s
        if self._path is not None:
            self._path_s += period_s
            self._motion = self._path.at(self._path_s)
        self._ramp.advance(period_s)

    def _built(self) -> Admission:
        settings = self.settings
        collisions = Collisions(self.arm, table_z_m=settings.table_z_m, clearance_m=settings.clearance_m)
        clearance = Clearance(collisions=collisions, clearance_m=settings.clearance_m)
        return Admission(settings, self.arm, self._bounds, clearance)
