"""From chunks of poses to joint positions: a controller, the IK and the gate, one after the other, at 100 Hz.

For arms that take joint positions, and for whatever gives poses at that rate: a policy's chunks, or a hand.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import CartesianState, Chunk, Controller, Fault, RobotCommand
from handloom.errors import HandloomError
from handloom_controllers.differential_ik import DifferentialIk
from handloom_controllers.gate import Gate

Float64Array = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True, eq=False)
class JointAnswer:
    """What the arm shall do in this tick.

    Attributes:
        command: Joint positions and the jaw's width; always finite, but for a width that nobody knows.
        error_m: How far the tool that the IK moves is from its pose; what the gate holds back comes on top.
        error_rad: Likewise.
        faults: What was noticed in this tick.
    """

    command: RobotCommand
    error_m: float
    error_rad: float
    faults: tuple[Fault, ...]


class JointFollowing:
    """Follows chunks with the joints of an arm.

    What is measured is read at `start` alone; from then on each part goes on from what it answered before, so that
    neither noise nor sag comes back as motion. The gate has the last word.
    """

    def __init__(self, controller: Controller, ik: DifferentialIk, gate: Gate) -> None:
        """Put the parts together.

        Args:
            controller: Follows the chunks in space.
            ik: Follows the controller with joints.
            gate: Lets through what the arm may do; of the same arm.

        Raises:
            HandloomError: IK and gate are of different arms.
        """
        if ik.arm.joints != gate.arm.joints:
            raise HandloomError(
                f"The IK moves {', '.join(ik.arm.joints)}; the gate holds {', '.join(gate.arm.joints)}: they have "
                "to be of one arm."
            )
        self._controller, self._ik, self._gate = controller, ik, gate
        self._stamp = 0
        self._width_m = math.nan

    def start(self, q: Float64Array, now: int, *, width_m: float = math.nan) -> None:
        """Begin at rest at measured joint positions.

        Args:
            q: (n,) rad.
            now: int64 ns on the robot's clock.
            width_m: Of the jaw; NaN without one.

        Raises:
            HandloomError: The positions are lost.
            PluginError: Something that has to be installed is not.
        """
        self._ik.reset(q)
        self._gate.reset(q, width_m=width_m)
        self._controller.start(CartesianState(stamp=now, pose=self._ik.pose(), width_m=width_m))
        self._stamp, self._width_m = now, width_m

    def accept(self, chunk: Chunk, now: int) -> Fault | None:
        """Take a chunk in, or refuse it and leave the motion as it is."""
        return self._controller.accept(chunk, now)

    def step(self, now: int) -> JointAnswer:
        """Return the command of this tick.

        Args:
            now: int64 ns on the robot's clock.

        Raises:
            HandloomError: It was not started.
        """
        state = CartesianState(stamp=now, pose=self._ik.pose(), width_m=self._width_m)
        wanted, fault = self._controller.step(now, state)
        passed_s = max((now - self._stamp) * 1e-9, 1e-9)
        self._stamp = max(now, self._stamp)
        moved = self._ik.step(wanted.pose, passed_s)
        let_through = self._gate.step(None if moved.problem else moved.q, now)
        width = self._gate.width(None if math.isnan(wanted.width_m) else wanted.width_m, now)
        self._width_m = width.width_m
        faults = [fault] if fault else []
        if moved.problem:
            faults.append(Fault(kind="solver_failed", message=moved.problem, stamp=now))
        return JointAnswer(
            command=RobotCommand(q=let_through.q, width_m=width.width_m),
            error_m=moved.error_m,
            error_rad=moved.error_rad,
            faults=(*faults, *let_through.faults, *width.faults),
        )

    def stop(self) -> None:
        """Forget the trajectory; the next `start` begins anew."""
        self._controller.stop()
