"""From chunks of poses to joint positions: a controller, the IK and the gate, one after the other, at 100 Hz.

For arms that take joint positions, and for whatever gives poses at that rate: a policy's chunks, or a hand.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import CartesianState, Chunk, Controller, Fault
from handloom_controllers.differential_ik import DifferentialIk
from handloom_controllers.gate import Gate
from handloom_controllers.gated_ik import GatedIk, JointAnswer

Float64Array = npt.NDArray[np.float64]

__all__ = ["JointAnswer", "JointFollowing"]


class JointFollowing:
    """Follows chunks with the joints of an arm; see `GatedIk` for what comes behind the controller."""

    def __init__(self, controller: Controller, ik: DifferentialIk, gate: Gate) -> None:
        """Put the parts together.

        Args:
            controller: Follows the chunks in space.
            ik: Follows the controller with joints.
            gate: Lets through what the arm may do; of the same arm.

        Raises:
            HandloomError: IK and gate are of different arms.
        """
        self._controller, self._gated = controller, GatedIk(ik, gate)
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
        pose = self._gated.start(q, width_m=width_m)
        self._controller.start(CartesianState(stamp=now, pose=pose, width_m=width_m))
        self._width_m = width_m

    def accept(self, chunk: Chunk, now: int) -> Fault | None:
        """Take a chunk in, or refuse it and leave the motion as it is."""
        return self._controller.accept(chunk, now)

    def step(self, now: int) -> JointAnswer:
        """Return the command of this tick, one period of the gate after the one before.

        Args:
            now: int64 ns on the robot's clock.

        Raises:
            HandloomError: It was not started.
        """
        state = CartesianState(stamp=now, pose=self._gated.pose(), width_m=self._width_m)
        wanted, fault = self._controller.step(now, state)
        answer = self._gated.step(wanted.pose, wanted.width_m, now)
        self._width_m = answer.command.width_m
        return attrs.evolve(answer, faults=(fault, *answer.faults)) if fault else answer

    def stop(self) -> None:
        """Forget the trajectory; the next `start` begins anew."""
        self._controller.stop()
