"""The faults of a loop as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from handloom.api import Fault
from handloom.api.control import FaultKind
from handloom_controllers.native.structs import FAULTS, REFLEXES, names_of
from handloom_controllers.realtime.status import LoopStatus

_DAMPED = "the robot is in a damped stop"

_SENTENCES = {
    "late_chunk": "A chunk was refused: nothing of it lies ahead, or it answers an older observation.",
    "empty_chunk": "A chunk without waypoints was refused; the trajectory goes on as it was.",
    "no_reference": "The last waypoint is past; the tool is held there.",
    "stale_stream": "No chunk came in time; the tool brakes to rest, and nothing starts it again.",
    "clip_reached": "The law clips its error: the tool does not keep up with the trajectory, or is held back.",
    "not_finite": f"A number was not finite; {_DAMPED}.",
    "emergency_stop": f"An emergency stop was asked for; {_DAMPED}.",
    "telemetry_lost": "Nobody took the telemetry out in time; records are missing before this one.",
    "lost_state": "The robot had no new sample for this cycle; the one before was used.",
}

_BY_STOP = {
    ("stale_stream", "owner"): f"Whoever owns the loop gave no sign of life in time; {_DAMPED}.",
    ("not_finite", "law"): f"The law answered an error; {_DAMPED}.",
    (
        "lost_state",
        "robot",
    ): "The robot answered an error or nothing at all; it was told to stop, and the loop ended.",
    ("late_chunk", "asked"): "A chunk came after the loop was asked to stop; it was refused.",
    ("late_chunk", "stale"): "A chunk came after the watchdog had stopped the tool; it was refused.",
}
"""Where the reason of the stop says more than the kind of the fault."""


def faults_in(records: npt.NDArray[np.void], status: LoopStatus, told: Mapping[str, str]) -> Iterator[Fault]:
    """Yield the faults of telemetry records, oldest first.

    Args:
        records: (N,) hl_telemetry.
        status: The loop's status after them, for what the records do not say.
        told: Sentences by kind that take the place of the usual ones.
    """
    for record in records[records["faults"] != 0]:
        for kind in names_of(int(record["faults"]), FAULTS):
            message = told.get(kind) or _sentence(kind, record, status)
            yield Fault(kind=cast(FaultKind, kind), message=message, stamp=int(record["stamp_ns"]))


def _sentence(kind: str, record: Any, status: LoopStatus) -> str:
    if kind == "missed_slots":
        return f"{int(record['missed'])} slots passed without a cycle; they are not made up for."
    if kind == "reflex":
        return f"The robot stopped by itself ({', '.join(names_of(int(record['reflexes']), REFLEXES))})."
    if kind == "stretched_chunk":
        return f"Speed caps moved the last waypoint of a chunk {status.stretched_s:.3f} s later."
    if kind == "invalid_chunk":
        return _invalid(status)
    return _BY_STOP.get((kind, status.stop), _SENTENCES[kind])


def _invalid(status: LoopStatus) -> str:
    if not status.wrong:
        return "A chunk was refused as invalid; the trajectory goes on as it was."
    place = f" at waypoint {status.wrong_row}" if status.wrong_row >= 0 else ""
    return f"A chunk was refused: it has {status.wrong}{place}; the trajectory goes on as it was."
