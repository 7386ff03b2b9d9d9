"""The real-time loop: a compiled robot, a compiled law, and a thread that Python can't disturb."""

from __future__ import annotations

import os
import threading
import weakref
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.api import Chunk, Fault, Law, Robot
from handloom.api.robots import Native
from handloom.errors import HandloomError
from handloom_controllers.native import Library, library
from handloom_controllers.native.structs import ERROR_ARGUMENT, new
from handloom_controllers.native_trajectory import native_config
from handloom_controllers.realtime.admission import no_room, not_admitted
from handloom_controllers.realtime.inbox import Inbox
from handloom_controllers.realtime.settings import LoopSettings
from handloom_controllers.realtime.status import LoopStatus, granted, status_of
from handloom_controllers.realtime.tables import native_tables

DRAIN = 1024
"""Records taken out of the ring at once."""

NO_THREAD = "It has no thread of its own."


class RealTimeLoop:
    """Runs a law on a robot, once a period, on a thread of its own and without Python.

    Enter it with an open robot: the law is started at the measured state. Then `start` it, or `run` it in
    simulated time. `push`, `telemetry`, `status`, `faults`, `alive` and both stops may be called from any thread.

    Example:
        with robot, RealTimeLoop(robot, law, LoopSettings()) as loop:
            loop.start()
            loop.push(chunk)
    """

    real_time = True

    def __init__(self, robot: Robot, law: Law, settings: LoopSettings | None = None) -> None:
        self.settings = settings or LoopSettings()
        self._robot, self._law = robot, law
        self._tables: tuple[Native, Native] | None = None
        self._loop, self._has_thread, self._maker = 0, False, os.getpid()
        self._inbox = Inbox(self.settings.telemetry_room)
        self._was_made = False
        # Python's side of each ring has one thread at a time; the loop's side never waits for these.
        self._pushing, self._draining = threading.Lock(), threading.Lock()

    def __enter__(self) -> RealTimeLoop:
        """Start the law at the measured state and make the loop.

        Raises:
            HandloomError: The robot or the law has no compiled table, the robot is in a reflex, or the law refuses
                the robot.
        """
        state = self._robot.read()
        if state.reflexes:
            raise HandloomError(f"The robot stopped by itself ({', '.join(state.reflexes)}); clear that first.")
        self._law.start(limits=self._robot.limits, thresholds=self._robot.collision_thresholds, state=state)
        try:
            self._make()
        except BaseException:
            self._law.stop()
            raise
        return self

    def _make(self) -> None:
        self._tables = native_tables(self._robot, self._law)
        self._library = library()
        self._loop = self._library.call(
            "hl_loop_create",
            self.settings.struct(),
            native_config(self.settings.way.trajectory()),
            *(table.address for table in self._tables),
            np.array(self._law.T_flange_tcp, dtype=np.float64),
        )
        if not self._loop:
            raise HandloomError(
                "The loop could not be made: the robot or the law was compiled against another handloom_rt.h, or "
                f"a setting is out of range ({self.settings})."
            )
        # Should nobody close it: the loop is stopped, and what it works on outlives it, at the program's end too.
        self._destroy = weakref.finalize(self, _destroyed, self._library, self._loop, self._tables)
        self._records, self._status = new("hl_telemetry", DRAIN), new("hl_loop_status")
        self._drain_ring = self._library.bound("hl_loop_telemetry", self._loop, DRAIN, self._records)
        self._read_status = self._library.bound("hl_loop_status_of", self._loop, self._status)
        self._alive = self._library.bound("hl_loop_alive", self._loop)
        # The first call of a function through cppyy must not be made by two threads at once (wlav/cppyy#62).
        for warm_up in (self._drain_ring, self._read_status, self._alive):
            warm_up()
        self._was_made = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Run on a thread of its own, paced by the machine's monotonic clock, until it is closed.

        Raises:
            HandloomError: It ran before, or the setting `cpu` names a core that is not there.
        """
        if self._call("hl_loop_start"):
            raise HandloomError(
                "The loop can't be started: it ran before, or there is no core of the number `cpu`."
            )
        self._has_thread = True

    def run(self, cycles: int) -> None:
        """Run so many cycles at once in this thread, the robot's stamps being the time.

        It returns early where the robot ended the loop; `status` says so.

        Raises:
            HandloomError: It runs on its own thread, or has ended.
        """
        if self._call("hl_loop_run", cycles) == ERROR_ARGUMENT:
            raise HandloomError("The loop can't be run: it is running on its own thread, or has ended.")

    def push(self, chunk: Chunk) -> None:
        """Hand a chunk to the loop, which takes it in its next cycle; refusals appear as faults."""
        self._made()
        now = self._library.call("hl_now_ns")
        fault = not_admitted(chunk, self.settings.way, now)
        if fault is None and not self._push(chunk):
            fault = no_room(self.settings.chunk_room, now)
        if fault:
            with self._draining:
                self._inbox.note(fault)

    def _push(self, chunk: Chunk) -> bool:
        stamps = np.ascontiguousarray(chunk.stamps, dtype=np.int64)
        poses = np.ascontiguousarray(chunk.poses, dtype=np.float64)
        widths = np.ascontiguousarray(chunk.widths_m, dtype=np.float64)
        with self._pushing:
            return bool(
                self._library.call(
                    "hl_loop_push", self._made(), chunk.observed, len(stamps), stamps, poses, widths
                )
            )

    def telemetry(self) -> npt.NDArray[np.void]:
        """Return the records (hl_telemetry) since the last call, oldest first."""
        with self._draining:
            self._drain()
            return self._inbox.records()

    def faults(self) -> tuple[Fault, ...]:
        """Return the faults since the last call, oldest first."""
        with self._draining:
            self._drain()
            return self._inbox.faults()

    def _drain(self) -> None:
        while taken := self._drain_ring() if self._loop else 0:
            self._inbox.put(self._records[:taken].copy(), self._status_now)
            if taken < DRAIN:
                return

    def status(self) -> LoopStatus:
        """Return what it is doing, why it stopped, and how punctual it is; also once it has been closed.

        Raises:
            HandloomError: It was never open.
        """
        if not self._was_made:
            self._made()
        with self._draining:
            return self._status_now()

    def _status_now(self) -> LoopStatus:
        if self._loop:
            self._read_status()
        settings = self.settings
        scheduling = NO_THREAD
        if self._has_thread:
            scheduling = granted(
                self._status, fifo_priority=settings.fifo_priority, lock_memory=settings.lock_memory
            )
        return status_of(self._status, real_time=True, scheduling=scheduling, lost=self._inbox.lost)

    def alive(self) -> None:
        """Give the owner's sign of life."""
        self._made()
        self._alive()

    def stop(self) -> None:
        """Brake the tool to rest along its way; the law holds it there, and nothing starts it again."""
        self._call("hl_loop_stop")

    def emergency_stop(self) -> None:
        """Bring the robot to rest by damping alone, now; wins over everything."""
        self._call("hl_loop_emergency_stop")

    def close(self, timeout_s: float = 2.0) -> None:
        """Brake to rest and end; by damping where that takes longer than the timeout.

        Harmless when closed, and in a forked child, which leaves the motion to its parent. Telemetry, faults
        and status stay readable.

        Raises:
            HandloomError: The loop's thread does not come back from the robot.
        """
        if not self._loop:
            return
        if os.getpid() != self._maker:  # a forked child: neither the loop's thread nor the robot is its own
            self._destroy.detach()
            self._loop, self._tables = 0, None
            return
        if not self._joined(timeout_s):
            self.emergency_stop()
            if not self._joined(timeout_s):
                raise HandloomError("The loop's thread does not come back from the robot's read or write.")
        with self._draining, self._pushing:
            self._drain()
            self._read_status()
            self._destroy()
            self._loop = 0
        self._law.stop()
        self._tables = None

    def _joined(self, timeout_s: float) -> bool:
        return bool(self._library.call("hl_loop_join", self._loop, round(timeout_s * 1e9)))

    def _call(self, name: str, *arguments: Any) -> int:
        loop = self._made()
        return self._library.call(name, loop, *arguments)

    def _made(self) -> int:
        if not self._loop:
            raise HandloomError("The loop is not open; use it inside its `with` block.")
        return self._loop


def _destroyed(loaded: Library, loop: int, _: tuple[Native, Native]) -> None:
    loaded.call("hl_loop_destroy", loop)
