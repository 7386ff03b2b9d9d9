"""Takes telemetry out of a loop and keeps it, bounded, until somebody asks for records or faults."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from handloom.api import Fault
from handloom_controllers.native.structs import STRUCTS
from handloom_controllers.realtime.faults import faults_in
from handloom_controllers.realtime.status import LoopStatus

Records = npt.NDArray[np.void]
FAULTS_KEPT = 4096


class Inbox:
    """What has come out of a loop and was not asked for yet.

    Attributes:
        lost: Records that were dropped here, because only faults were asked for.
    """

    def __init__(self, room: int) -> None:
        self.lost = 0
        self._room = room
        self._parts: deque[Records] = deque()
        self._kept = 0
        self._faults: deque[Fault] = deque(maxlen=FAULTS_KEPT)

    def put(
        self, records: Records, status: Callable[[], LoopStatus], told: Mapping[str, str] | None = None
    ) -> None:
        """Keep records, newest at the end; the oldest go where there is no room.

        Args:
            records: (N,) hl_telemetry.
            status: Says the loop's status after them, where a fault needs it.
            told: Sentences by kind of fault that take the place of the usual ones; "" for the usual one.
        """
        if not len(records):
            return
        if records["faults"].any():
            self._faults.extend(faults_in(records, status(), told or {}))
        self._parts.append(records)
        self._kept += len(records)
        while self._kept > self._room and len(self._parts) > 1:
            dropped = len(self._parts.popleft())
            self._kept -= dropped
            self.lost += dropped

    def note(self, fault: Fault) -> None:
        """Keep a fault that was noticed outside the loop."""
        self._faults.append(fault)

    def records(self) -> Records:
        """Return what was kept since the last call."""
        parts, self._parts, self._kept = self._parts, deque(), 0
        return np.concatenate(parts) if parts else np.zeros(0, dtype=STRUCTS["hl_telemetry"])

    def faults(self) -> tuple[Fault, ...]:
        """Return the faults that were kept since the last call."""
        faults, self._faults = self._faults, deque(maxlen=FAULTS_KEPT)
        return tuple(faults)
