"""The motions that the contract of robots puts a robot through: resting, and one joint pushed gently."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from handloom.api import JointLimits, RobotCommand, RobotState
from handloom.testing.component_contract import ComponentContract

Float64Array = npt.NDArray[np.float64]


class RobotScenario(ComponentContract):
    """Inherit `RobotContract` instead; these are the motions it is made of.

    Attributes:
        torque_controlled: Whether it takes torques; otherwise joint positions.
        measures_torque: Whether it knows its torques and has a model of its own; otherwise those are NaN.
        moves: Whether it moves as it is told; a recorded robot doesn't.
        period_s: Time between two commands.
        most_cycles: How many commands a push may take.
    """

    torque_controlled: ClassVar[bool] = True
    measures_torque: ClassVar[bool] = True
    moves: ClassVar[bool] = True
    period_s: ClassVar[float] = 0.001
    most_cycles: ClassVar[int] = 500

    @contextmanager
    def opened(self) -> Iterator[Any]:
        """Give a fresh robot, open, and close it afterwards."""
        robot = self.make()
        robot.open()
        try:
            yield robot
        finally:
            robot.close()

    def resting(self, state: RobotState) -> RobotCommand:
        """Return the command that holds the robot where it is."""
        if not self.torque_controlled:
            return RobotCommand(q=state.q.copy())
        if state.compensates_gravity or not self.measures_torque:
            return RobotCommand(tau=np.zeros_like(state.q))
        return RobotCommand(tau=state.gravity + state.coriolis)

    def pushing(
        self, state: RobotState, start: RobotState, joint: int, cycle: int, limits: JointLimits
    ) -> RobotCommand:
        """Return the command of a cycle that moves one joint a little, away from its nearer end, from rest."""
        away = (
            1.0 if abs(start.q[joint] - limits.lower[joint]) < abs(limits.upper[joint] - start.q[joint]) else -1.0
        )
        if self.torque_controlled:
            tau = np.array(self.resting(state).tau)
            step = min(0.01 * limits.torque[joint], 0.25 * limits.torque_rate[joint] * self.period_s)
            tau[joint] += away * min(cycle * step, 0.1 * limits.torque[joint])
            return RobotCommand(tau=tau)
        q = start.q.copy()
        acceleration = 0.25 * min(limits.acceleration[joint], limits.velocity[joint])
        q[joint] += away * 0.5 * acceleration * (cycle * self.period_s) ** 2
        return RobotCommand(q=q)

    def pushed(self, robot: Any, joint: int, *, angle_rad: float = 0.005) -> list[RobotState]:
        """Push one joint until it has moved, or too long; return every state."""
        states = [robot.read()]
        for cycle in range(1, self.most_cycles):
            robot.write(self.pushing(states[-1], states[0], joint, cycle, robot.limits))
            states.append(robot.read())
            if abs(states[-1].q[joint] - states[0].q[joint]) > angle_rad:
                break
        return states

    def rested(self, robot: Any, cycles: int) -> list[RobotState]:
        """Hold the robot for some cycles; return every state."""
        states = [robot.read()]
        for _ in range(cycles):
            robot.write(self.resting(states[-1]))
            states.append(robot.read())
        return states

    def forbidden(self, state: RobotState, limits: JointLimits) -> Iterator[tuple[str, RobotCommand]]:
        """Name commands that no robot may follow."""
        count = len(state.q)
        if self.torque_controlled:
            yield "torques beyond the limits", RobotCommand(tau=3.0 * limits.torque)
            yield "torques that are not finite", RobotCommand(tau=np.full(count, np.nan))
            return
        ends = limits.upper + 0.5
        yield "positions beyond the range", RobotCommand(q=np.where(np.isfinite(ends), ends, state.q + 100.0))
        yield "positions that are not finite", RobotCommand(q=np.full(count, np.nan))
