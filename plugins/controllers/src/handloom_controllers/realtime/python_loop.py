"""The loop for robots and laws in Python: the phases and stops of the real-time loop, but not its punctuality."""

from __future__ import annotations

import threading
from types import TracebackType

import numpy as np
import numpy.typing as npt

from handloom.api import Chunk, Fault, Law, Robot
from handloom.errors import HandloomError
from handloom.time import Clock, MonotonicClock
from handloom_controllers.realtime.admission import no_room, not_admitted
from handloom_controllers.realtime.inbox import Inbox
from handloom_controllers.realtime.python_cycle import PythonCycle, Wake
from handloom_controllers.realtime.python_record import record_of
from handloom_controllers.realtime.settings import LoopSettings
from handloom_controllers.realtime.status import LoopStatus, count, status_of

SCHEDULING = "It runs in Python, which is not real-time: other threads, and Python itself, may hold it up."


class PythonLoop:
    """Runs a law on a robot in Python; everything else is as with RealTimeLoop, which see.

    It is not real-time: a cycle takes hundreds of microseconds, and every other Python thread can hold it up.
    """

    real_time = False

    def __init__(
        self, robot: Robot, law: Law, settings: LoopSettings | None = None, *, clock: Clock | None = None
    ) -> None:
        self.settings = settings or LoopSettings()
        self._robot, self._law = robot, law
        self._clock = clock or MonotonicClock()
        self._cycle = PythonCycle(robot, law, self.settings)
        self._inbox = Inbox(self.settings.telemetry_room)
        self._thread: threading.Thread | None = None
        self._keeping = threading.Lock()
        self._open = False

    def __enter__(self) -> PythonLoop:
        """Start the law at the measured state.

        Raises:
            HandloomError: The robot is in a reflex, or the law refuses the robot.
        """
        state = self._robot.read()
        if state.reflexes:
            raise HandloomError(f"The robot stopped by itself ({', '.join(state.reflexes)}); clear that first.")
        self._law.start(limits=self._robot.limits, thresholds=self._robot.collision_thresholds, state=state)
        self._open = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Run on a Python thread, paced by the clock, until it is closed.

        Raises:
            HandloomError: It ran before.
        """
        self._opened()
        if self._cycle.phase != "ready" or self._thread:
            raise HandloomError("The loop can't be started: it ran before.")
        self._thread = threading.Thread(target=self._run_paced, name="PythonLoop", daemon=True)
        self._thread.start()

    def run(self, cycles: int) -> None:
        """Run so many cycles at once in this thread, the robot's stamps being the time.

        It returns early where the robot ended the loop; `status` says so.

        Raises:
            HandloomError: It runs on its own thread, or has ended.
        """
        self._opened()
        if self._thread or self._cycle.phase == "ended":
            raise HandloomError("The loop can't be run: it is running on its own thread, or has ended.")
        for _ in range(cycles):
            if not self._step(Wake(), self._clock.now().ns):
                self._cycle.leave()
                return

    def _run_paced(self) -> None:
        period = self.settings.period_ns
        slot = self._clock.now() + period
        while True:
            self._clock.sleep_until(slot)
            woke = self._clock.now()
            lateness = woke - slot
            # Slots that have passed are gone: the cycle serves the newest one, and none is made up for.
            missed = lateness // period
            slot += missed * period
            if not self._step(Wake(slot_ns=slot.ns, lateness_ns=lateness, missed=missed), woke.ns):
                break
            slot += period
        self._cycle.leave()

    def _step(self, wake: Wake, woke_ns: int) -> bool:
        cycle = self._cycle
        goes_on = cycle.run(wake)
        compute_ns = self._clock.now().ns - woke_ns
        with self._keeping:
            count(cycle.status, "lateness", wake.lateness_ns)
            count(cycle.status, "compute", compute_ns)
            if (int(cycle.status["cycles"]) - 1) % self.settings.telemetry_every == 0 or cycle.faults:
                record = record_of(cycle, wake, compute_ns).reshape(1)
                self._inbox.put(record, self._status_now, cycle.faults)
        return goes_on

    def push(self, chunk: Chunk) -> None:
        """Hand a chunk to the loop, which takes it in its next cycle; refusals appear as faults."""
        self._opened()
        now = self._clock.now().ns
        fault = not_admitted(chunk, self.settings.way, now)
        room = self.settings.chunk_room
        with self._keeping:
            if fault is None and len(self._cycle.chunks) >= room:
                fault = no_room(room, now)
            if fault:
                self._inbox.note(fault)
            else:
                self._cycle.chunks.append(chunk)

    def telemetry(self) -> npt.NDArray[np.void]:
        """Return the records (hl_telemetry) since the last call, oldest first."""
        with self._keeping:
            return self._inbox.records()

    def faults(self) -> tuple[Fault, ...]:
        """Return the faults since the last call, oldest first."""
        with self._keeping:
            return self._inbox.faults()

    def status(self) -> LoopStatus:
        """Return what it is doing, why it stopped, and how punctual it is."""
        with self._keeping:
            return self._status_now()

    def _status_now(self) -> LoopStatus:
        return status_of(self._cycle.status, real_time=False, scheduling=SCHEDULING, lost=self._inbox.lost)

    def alive(self) -> None:
        """Give the owner's sign of life."""
        self._cycle.asked.alive += 1

    def stop(self) -> None:
        """Brake the tool to rest along its way; the law holds it there, and nothing starts it again."""
        self._cycle.asked.stop = True

    def emergency_stop(self) -> None:
        """Bring the robot to rest by damping alone, now; wins over everything."""
        self._cycle.asked.emergency = True
        self._robot.stop()

    def close(self, timeout_s: float = 2.0) -> None:
        """Brake to rest and end; by damping where that takes longer than the timeout. Harmless when closed.

        Raises:
            HandloomError: The loop's thread does not come back from the robot.
        """
        if not self._open:
            return
        self._cycle.asked.end = True
        if self._thread:
            self._thread.join(timeout_s)
            if self._thread.is_alive():
                self.emergency_stop()
                self._thread.join(timeout_s)
            if self._thread.is_alive():
                raise HandloomError("The loop's thread does not come back from the robot's read or write.")
        elif self._cycle.phase != "ended":
            self._cycle.leave()
        self._open = False
        self._law.stop()

    def _opened(self) -> None:
        if not self._open:
            raise HandloomError("The loop is not open; use it inside its `with` block.")
