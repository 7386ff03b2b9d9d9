"""From poses of the tool to joint positions: differential IK, and the gate behind it, one step each period."""

from __future__ import annotations

import math

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Fault, RobotCommand
from handloom.errors import HandloomError
from handloom_controllers.differential_ik import DifferentialIk
from handloom_controllers.gate import Gate

Float64Array = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True, eq=False)
class JointAnswer:
    """What the arm shall do in this period.

    Attributes:
        command: Joint positions and the jaw's width; always finite, but for a width that nobody knows.
        error_m: How far the tool that the IK moves is from its pose; what the gate holds back comes on top.
        error_rad: Likewise.
        faults: What was noticed.
    """

    command: RobotCommand
    error_m: float
    error_rad: float
    faults: tuple[Fault, ...]


class GatedIk:
    """Follows poses of the tool with the joints of an arm; the gate has the last word.

    What is measured is read at `start` alone; from then on each part goes on from what it answered before, so that
    neither noise nor sag comes back as motion.
    """

    def __init__(self, ik: DifferentialIk, gate: Gate) -> None:
        """Put the parts together.

        Args:
            ik: Follows poses with joints.
            gate: Lets through what the arm may do; of the same arm.

        Raises:
            HandloomError: They are of different arms.
        """
        if ik.arm.joints != gate.arm.joints:
            raise HandloomError(
                f"The IK moves {', '.join(ik.arm.joints)}; the gate holds {', '.join(gate.arm.joints)}: they have "
                "to be of one arm."
            )
        self._ik, self._gate = ik, gate

    def start(self, q: Float64Array, *, width_m: float = math.nan) -> Float64Array:
        """Begin at rest at measured joint positions; returns (7,) T_base_tcp there.

        Args:
            q: (n,) rad.
            width_m: Of the jaw; NaN without one.

        Raises:
            HandloomError: The positions are lost.
            PluginError: Something that has to be installed is not.
        """
        self._ik.reset(q)
        self._gate.reset(q, width_m=width_m)
        return self.pose()

    def pose(self) -> Float64Array:
        """Return (7,) T_base_tcp where the IK is, which the gate follows."""
        return self._ik.pose()

    def step(self, T_base_tcp: Float64Array, width_m: float, now: int) -> JointAnswer:
        """Return the command of this period.

        Args:
            T_base_tcp: (7,) where the tool shall be.
            width_m: Of the jaw; NaN leaves it where it is.
            now: int64 ns on the robot's clock.

        Raises:
            HandloomError: It was not started.
        """
        moved = self._ik.step(T_base_tcp, self._gate.settings.period_s)
        let_through = self._gate.step(None if moved.problem else moved.q, now)
        width = self._gate.width(None if math.isnan(width_m) else width_m, now)
        faults = (Fault(kind="solver_failed", message=moved.problem, stamp=now),) if moved.problem else ()
        return JointAnswer(
            command=RobotCommand(q=let_through.q, width_m=width.width_m),
            error_m=moved.error_m,
            error_rad=moved.error_rad,
            faults=(*faults, *let_through.faults, *width.faults),
        )

    def within(self, share: float) -> Float64Array:
        """Return (n,) rad at a share of the period that the last step covers."""
        return self._gate.within(share)
