"""Serves an arm that is connected: waits for the first torques, passes them on, brings the arm to rest."""

from __future__ import annotations

import time
from typing import Any

from handloom.api import JointLimits
from handloom.errors import HandloomError
from handloom_controllers.franka.connecting import said
from handloom_controllers.franka.line import Line
from handloom_controllers.franka.report import End
from handloom_controllers.franka.settings import FrankaConfig
from handloom_controllers.franka.states import UNNAMED_BIT, Translation, reflexes_of
from handloom_controllers.franka.torques import Torques
from handloom_controllers.native.structs import MODE_DAMPED, REFLEXES, names_of

IDLE_NS = 200_000
"""How long a command is waited for while the arm stands."""

PERIOD_NS = 1_000_000
AT_REST_RAD_PER_S = 0.02
RESTING_CYCLES = 50
"""So long has the arm to be at rest before its motion is finished."""

DAMPED_CYCLES = 2000
"""Longest damped stop; an arm that creeps on, under a load it does not know, is then left to its own brakes."""


class Serving:
    """One arm, from its first state until its owner is gone."""

    def __init__(
        self, franka: Any, robot: Any, model: Any, line: Line, limits: JointLimits, config: FrankaConfig
    ) -> None:
        self._franka, self._robot, self._line, self._config = franka, robot, line, config
        self._translation = Translation(model, line.state)
        self._torques = Torques(limits, config.damping_nms_per_rad)
        self._deadline_ns = -1 if config.lock_step else round(config.deadline_s * 1e9)
        self._first_s: float | None = None
        self._base_ns = self._last_ns = 0
        self._reflexes = 0
        self._cycles = self._held = self._lost = self._slowest_ns = 0
        self._control: Any = None
        self.sentence = ""

    def run(self) -> None:
        """Serve until the owner is gone and the arm at rest.

        Raises:
            HandloomError: The connection is lost.
        """
        try:
            if self._stand_until_commanded():
                self._move()
            self._stand()
        except (self._franka.NetworkException, self._franka.FrankaException) as error:
            raise HandloomError(f"The connection to the arm is lost: {said(error)}") from error

    def _stand_until_commanded(self) -> bool:
        """Give out states; return whether torques have come, and not a stop."""
        line = self._line
        while line.is_owned() and not line.is_stopped():
            self._give_out(self._robot.read_once())
            if line.take(IDLE_NS) and int(line.command["mode"]) != MODE_DAMPED:
                return True
        return False

    def _move(self) -> None:
        """Be moved, until the arm is at rest by a stop, or a reflex has ended it."""
        try:
            self._control = self._robot.start_torque_control()
            self._cycle_until_rest()
        except self._franka.ControlException as error:
            state = self._robot.read_once()
            self._reflexes |= reflexes_of(state.current_errors or state.last_motion_errors) or UNNAMED_BIT
            self.sentence = f"The arm ended the motion: {said(error)}"

    def _cycle_until_rest(self) -> None:
        control, line, torques = self._control, self._line, self._torques
        given = self._franka.Torques([0.0] * 7)
        resting = damped = 0
        while resting < RESTING_CYCLES and damped < DAMPED_CYCLES:
            state, passed = control.readOnce()
            began_ns = time.monotonic_ns()
            self._give_out(state)
            # The first is there already; afterwards nothing is waited for that can't come any more.
            taken = line.take(self._deadline_ns if damped == 0 else 0) if self._cycles else True
            velocities = state.dq
            follows = torques.step(line.command, state.tau_J_d, velocities)
            self._reflexes |= torques.refused | line.reflexes()
            given.tau_J = torques.tau
            at_rest = max(map(abs, velocities)) < AT_REST_RAD_PER_S
            damped = 0 if follows else damped + 1
            resting = resting + 1 if not follows and at_rest else 0
            self._slowest_ns = max(self._slowest_ns, time.monotonic_ns() - began_ns)
            control.writeOnce(given)
            self._cycles += 1
            self._held += not taken and follows
            self._lost += max(round(passed.to_sec() * 1e3) - 1, 0)
        control.readOnce()
        given.motion_finished = True
        control.writeOnce(given)

    def _stand(self) -> None:
        """Give out states until the owner is gone."""
        line = self._line
        if self._torques.positions_asked:
            self.sentence = "Joint positions were commanded; robot 'franka' takes torques, and has come to rest."
        while line.is_owned():
            self._give_out(self._robot.read_once())
            line.take(IDLE_NS)

    def _give_out(self, state: Any) -> None:
        self._translation.fill(state)
        target, now_s = self._line.state, state.time.to_sec()
        if self._first_s is None:
            self._first_s, self._base_ns = now_s, time.monotonic_ns()
        stamp = self._base_ns + round((now_s - self._first_s) * 1e9)
        target["period_ns"] = stamp - self._last_ns if self._last_ns else PERIOD_NS
        target["stamp_ns"] = self._last_ns = stamp
        self._reflexes |= reflexes_of(state.current_errors)
        target["reflexes"] = self._reflexes
        self._line.publish()

    def end(self, scheduling: str) -> End:
        """Say how it ended."""
        fastest = float(abs(self._line.state["dq"][:7]).max())
        return End(
            at_rest=fastest < AT_REST_RAD_PER_S,
            speed_rad_per_s=fastest,
            reflexes=names_of(self._reflexes, REFLEXES),
            cycles=self._cycles,
            held=self._held,
            lost=self._lost,
            limited=self._torques.limited,
            slowest_us=self._slowest_ns * 1e-3,
            scheduling=scheduling,
        )
