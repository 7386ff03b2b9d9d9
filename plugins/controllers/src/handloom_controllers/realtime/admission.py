"""What keeps a chunk from the loop before its numbers are looked at: its frames, its clock, or no room to wait."""

from __future__ import annotations

from handloom.api import Chunk, Fault
from handloom_controllers.realtime.settings import WaySettings
from handloom_controllers.refusal import wrong_kind


def not_admitted(chunk: Chunk, way: WaySettings, now: int) -> Fault | None:
    """Return why a chunk is not for this loop; None for one that is.

    Its numbers are checked by the loop itself.
    """
    message = wrong_kind(chunk, frame=way.frame, body=way.body, clock=way.clock)
    return Fault(kind="invalid_chunk", message=message, stamp=now) if message else None


def no_room(waiting: int, now: int) -> Fault:
    """Return the fault of a chunk that found too many waiting."""
    message = f"{waiting} chunks were waiting already, so this one was dropped; the loop takes one a cycle."
    return Fault(kind="late_chunk", message=message, stamp=now)
