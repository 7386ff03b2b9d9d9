"""One cycle of a PythonLoop: the phases and stops of the real-time loop, for robots and laws in Python."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import CartesianCommand, Chunk, Law, Robot, RobotCommand, RobotState
from handloom.geometry import pose
from handloom_controllers.native.structs import PHASES, REFLEXES, STOPS, new
from handloom_controllers.numpy_trajectory import NumpyTrajectory
from handloom_controllers.realtime.settings import LoopSettings
from handloom_controllers.refusal import OUTCOMES, WRONGS, SpliceReport, told

OUTCOME_NUMBERS = {outcome: number for number, outcome in OUTCOMES.items()}
MOVING = ("following", "holding")


@attrs.define
class Asked:
    """What other threads ask of the loop."""

    stop: bool = False
    emergency: bool = False
    end: bool = False
    alive: int = 0


@attrs.frozen(kw_only=True)
class Wake:
    """When a cycle began.

    Attributes:
        slot_ns: The slot it serves; None where the robot's stamps are the time.
        lateness_ns: After the slot that was waited for.
        missed: Slots that passed by meanwhile.
    """

    slot_ns: int | None = None
    lateness_ns: int = 0
    missed: int = 0


class PythonCycle:
    """What the loop knows from one cycle to the next.

    Attributes:
        status: hl_loop_status, as the compiled loop keeps it.
        faults: Sentences of this cycle by kind of fault; "" for the usual one.
        asked: What other threads ask.
        chunks: What was pushed and not taken yet.
        phase: As in LoopStatus.
        stop: As in LoopStatus.
        now: int64 ns of this cycle.
        missed: Slots that passed before this cycle.
        state: The newest sample.
        reference: Where the tool shall be.
        command: What the robot was given last.
    """

    def __init__(self, robot: Robot, law: Law, settings: LoopSettings) -> None:
        self.status = new("hl_loop_status")
        self.faults: dict[str, str] = {}
        self.asked, self.chunks = Asked(), deque[Chunk]()
        self.phase, self.stop = "ready", "none"
        self._robot, self._law, self._settings = robot, law, settings
        self._trajectory = NumpyTrajectory(settings.way.trajectory())
        self.now, self._rest, self._alive = 0, 0, (0, 0)
        self._started = self._had_chunk = False
        self.missed = 0
        self.state: RobotState | None = None
        self.reference: CartesianCommand | None = None
        self.command = RobotCommand()

    def run(self, wake: Wake) -> bool:
        """Run one cycle; False once the loop has to be left."""
        self.faults = {}
        works = self._try("robot", "lost_state", lambda: self._read(wake))
        if works:
            self._look_after()
            self._take_chunk()
            self._change_phase()
            self.command = self._commanded()
        works = self._try("robot", "lost_state", lambda: self._robot.write(self.command)) and works
        self._started = True
        self.status["stamp_ns"], self.status["cycles"] = self.now, self.status["cycles"] + 1
        return works and not (self.asked.end and self.phase in ("damped", "stopped"))

    def leave(self) -> None:
        """Let the robot stop by its own means; the loop has ended."""
        try:
            self._robot.stop()
        finally:
            self._be("ended", "asked" if self.stop == "none" else self.stop)

    def _try(self, stop: str, kind: str, act: Any) -> bool:
        try:
            act()
        # Whatever somebody's robot or law raises, the arm has to come to rest; its words go into the fault.
        except Exception as error:  # noqa: BLE001
            self._damp(stop, kind, f"The {stop} failed: {error}; the robot was told to come to rest.")
            return False
        return True

    def _read(self, wake: Wake) -> None:
        self.state = state = self._robot.read()
        before, period = self.now, self._settings.period_ns
        self.now = state.stamp if wake.slot_ns is None else wake.slot_ns
        self.missed = wake.missed
        if wake.slot_ns is None and self._started:
            self.now = max(self.now, before)
            self.missed = max(round((self.now - before) / period) - 1, 0)
        if self.missed:
            self.faults["missed_slots"] = ""
            self.status["missed"] += self.missed
        if not self._started:
            self._alive = (self.asked.alive, self.now)
            self._be("holding", "none")
            self._trajectory.start(self.now, self.measured(), state.width_m)

    def measured(self) -> npt.NDArray[np.float64]:
        """Return (7,) T_base_tcp of the newest sample."""
        assert self.state is not None
        return pose.compose(self.state.T_base_flange, self._law.T_flange_tcp)

    def _look_after(self) -> None:
        assert self.state is not None
        self.status["reflexes"] = sum(1 << REFLEXES.index(name) for name in self.state.reflexes)
        if self.state.reflexes:
            self._damp("reflex", "reflex")
        if self.asked.emergency:
            self._damp("emergency", "emergency_stop")
        if self.asked.alive != self._alive[0]:
            self._alive = (self.asked.alive, self.now)
        owner_ns = round(self._settings.owner_s * 1e9)
        if owner_ns and self.now - self._alive[1] > owner_ns:
            self._damp("owner", "stale_stream")

    def _take_chunk(self) -> None:
        if not self.chunks:
            return
        chunk, report, fault = self.chunks.popleft(), SpliceReport("late_chunk"), None
        if self.phase in MOVING:
            report = self._trajectory.splice(chunk, self.now)
            fault = told(report, chunk, self.now)
        if report.outcome != "taken":
            self.faults[report.outcome] = fault.message if fault else ""
        if not report.taken:
            self._refuse(report)
            return
        self._had_chunk = True
        self.status["chunks_taken"] += 1
        self._be("following", "none")
        if report.stretched_ns:
            self.status["stretched_ns"] = report.stretched_ns

    def _refuse(self, report: SpliceReport) -> None:
        self.status["chunks_refused"] += 1
        self.status["last_refusal"] = OUTCOME_NUMBERS[report.outcome]
        self.status["last_wrong"], self.status["last_row"] = WRONGS.index(report.wrong), report.row

    def _change_phase(self) -> None:
        if self.phase in MOVING and (self.asked.stop or self.asked.end):
            self._brake("asked")
        if self.phase == "following" and self.now > self._trajectory.end:
            self._be("holding", "none")
            self.faults["no_reference"] = ""
        held_ns = self.now - self._trajectory.end
        if self.phase == "holding" and self._had_chunk and held_ns > round(self._settings.hold_s * 1e9):
            self.faults["stale_stream"] = ""
            self._brake("stale")
        if self.phase == "stopping" and self.now >= self._rest:
            self._be("stopped", self.stop)

    def _brake(self, why: str) -> None:
        self._rest = self._trajectory.brake(self.now)
        self._be("stopping", why)

    def _step_law(self) -> None:
        assert self.state is not None
        assert self.reference is not None
        command, way = self._law.step(self.state, self.reference), self._settings.way
        self.command = attrs.evolve(
            command,
            width_speed_m_per_s=_first_known(command.width_speed_m_per_s, way.gripper_speed_m_per_s),
            grip_force_n=_first_known(command.grip_force_n, way.gripper_force_n),
        )

    def _commanded(self) -> RobotCommand:
        if self.phase != "damped":
            T_base_tcp, twist, width_m = self._trajectory.at(self.now)
            self.reference = CartesianCommand(stamp=self.now, pose=T_base_tcp, twist=twist, width_m=width_m)
            if self._try("law", "not_finite", self._step_law):
                self._check_command()
        if self.asked.emergency:
            self._damp("emergency", "emergency_stop")
        return RobotCommand() if self.phase == "damped" else self.command

    def _check_command(self) -> None:
        """Stop where the law gave up, as a command of neither torques nor positions says, or nothing to follow."""
        if self.command.tau is None and self.command.q is None:
            self._damp("law", "not_finite", "The law gave up; the robot was told to come to rest.")
        elif not _is_finite(self.command):
            self._damp("not_finite", "not_finite")

    def _damp(self, why: str, kind: str, message: str = "") -> None:
        if self.phase != "damped":  # the first cause is the one to tell
            self.faults[kind] = message
            self._be("damped", why)

    def _be(self, phase: str, stop: str) -> None:
        self.phase, self.stop = phase, stop
        self.status["phase"], self.status["stop"] = PHASES.index(phase), STOPS.index(stop)


def _first_known(commanded: float, setting: float | None) -> float:
    """Return what the law says of the gripper, else what the loop was given for it, else NaN."""
    return commanded if setting is None or not math.isnan(commanded) else setting


def _is_finite(command: RobotCommand) -> bool:
    values = [joints for joints in (command.tau, command.q) if joints is not None]
    return len(values) == 1 and bool(np.isfinite(values[0]).all()) and not np.isinf(command.width_m)
