"""A torque-controlled motion as the robot sees it: from its command to move until it is at rest again."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from handloom_simulation.fci import messages
from handloom_simulation.fci.body import Body

LOST_AT_MOST = 20
"""Source: libfranka, 20 lost packets in a row end the motion."""


class Motion:
    """Moves a body by the commands of one motion, millisecond by millisecond.

    Before the first torque nothing is lost: libfranka needs some states to see that the motion has begun.

    Attributes:
        identity: Of the command that began it.
        begun: A torque has come.
        cycles: Since then.
        lost: Of these, without a command in time.
        reflexes: Names of what ended it; empty while it is well.
        answer: How the command to move is to be answered at the end.
    """

    def __init__(self, identity: int, body: Body) -> None:
        self.identity = identity
        self.begun = False
        self.cycles = self.lost = 0
        self.reflexes: tuple[str, ...] = ()
        self.answer = messages.SUCCESS
        self._body = body
        self._tau: npt.NDArray[np.float64] = np.zeros(7)
        self._in_a_row = 0
        self._braking = self._ended = False
        body.restart()

    @property
    def is_over(self) -> bool:
        """Whether it ends with this millisecond: by a reflex at once, otherwise when the arm is at rest."""
        return self._ended or (self._braking and self._body.at_rest())

    @property
    def success_rate(self) -> float:
        """Share of the commands that came in time."""
        return 1.0 - self.lost / self.cycles if self.cycles else 0.0

    def finish(self, answer: int = messages.SUCCESS) -> None:
        """Come to rest."""
        if not self._braking:
            self._braking, self.answer = True, answer
            self._body.brake()

    def end(self, *reflexes: str, answer: int = messages.MOVE_REFLEX) -> None:
        """End it at once, and leave the arm braking."""
        if not self._ended:
            self._ended, self.reflexes, self.answer = True, reflexes, answer
            self._body.brake()

    def go_on(self, command: Any) -> None:
        """Let a millisecond pass.

        Args:
            command: Of this millisecond, a record of `messages.COMMAND`; None where none came.
        """
        if command is not None:
            self._take(command)
        elif self.begun:
            self._lose()
        if self.begun and not self.is_over:
            self._move()

    def _take(self, command: Any) -> None:
        self.begun, self._in_a_row = True, 0
        self._tau = np.array(command["tau_J_d"])
        if command["torque_command_finished"]:
            self.finish()

    def _lose(self) -> None:
        if self._braking:
            return
        self.lost += 1
        self._in_a_row += 1
        if self._in_a_row >= LOST_AT_MOST:
            self.end("communication_constraints_violation")

    def _move(self) -> None:
        self.cycles += 1
        if self._braking:
            self._body.brake()
        else:
            self._body.advance(self._tau)
        found = self._body.plant.truth().reflexes
        if found:
            self._ended, self.reflexes, self.answer = True, found, messages.MOVE_REFLEX
