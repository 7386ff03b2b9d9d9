"""Feed a running loop with chunks until the path is over, and keep what it tells; it never waits for this."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

import attrs
import numpy as np

from handloom.api import Chunk
from handloom_controllers.control.feeding import Feed
from handloom_controllers.control.interrupts import Interrupts
from handloom_controllers.control.telemetry import Records, TelemetryWriter
from handloom_controllers.realtime import LoopStatus

TICK_S = 0.01
"""How often Python looks after the loop; its sign of life comes as often."""

_REST_S = 5.0
"""How long a soft stop may take before it is made a damped one."""

_AT_REST_RAD_PER_S = 0.02
"""An arm is at rest while none of its joints was measured to be faster."""

_SETTLE_S = 0.2
"""How long it must have been at rest before the loop is let go."""

_PATIENCE_S = 3.0
"""How long that is waited for after the reference rests, or after a damped stop has begun."""

_NOT_AT_REST = (
    f"The arm was not seen at rest (no joint above {_AT_REST_RAD_PER_S:g} rad/s for {_SETTLE_S:g} s) within "
    f"{_PATIENCE_S:g} s of its stop; look at it before you come near."
)


class Loop(Protocol):
    """A loop, compiled or in Python: see `handloom_controllers.realtime`."""

    def start(self) -> None:
        """Run on a thread of its own."""

    def run(self, cycles: int) -> None:
        """Run so many cycles now; only where time is not paced."""

    def push(self, chunk: Chunk) -> None:
        """Hand over a chunk."""

    def telemetry(self) -> Records:
        """Take out the records that are waiting."""

    def status(self) -> LoopStatus:
        """Say what it is doing."""

    def alive(self) -> None:
        """Give a sign of life."""

    def stop(self) -> None:
        """Ask for a soft stop."""

    def emergency_stop(self) -> None:
        """Ask for a damped stop."""


@attrs.frozen(kw_only=True)
class Pace:
    """How time passes.

    Attributes:
        paced: As on the wall, or as fast as a simulated robot can.
        period_ns: Control period.
    """

    paced: bool
    period_ns: int

    def advance(self, loop: Loop) -> None:
        """Let time go on until the next look at the loop."""
        if self.paced:
            time.sleep(TICK_S)
        else:
            loop.run(max(1, round(TICK_S * 1e9 / self.period_ns)))

    def now(self, loop: Loop) -> int:
        """Return the loop's time, ns."""
        return time.monotonic_ns() if self.paced else loop.status().stamp


class Following:
    """One motion: asks for chunks, hands them over, stops the loop when the path is over or somebody wishes so.

    Attributes:
        start: int64 ns on the loop's clock where the path begins.
        notes: Sentences on what happened.
    """

    def __init__(self, loop: Loop, feed: Feed, writer: TelemetryWriter, pace: Pace, asked: Interrupts) -> None:
        self._loop, self._feed, self._writer, self._pace, self._asked = loop, feed, writer, pace, asked
        self._stopping_since: int | None = None
        self._seen_at = self._moved_at = 0
        self.start = 0
        self.notes: list[str] = []

    def follow(
        self, duration_ns: int, *, every_ns: int, linger_ns: int, progress: Callable[[float], None]
    ) -> None:
        """Follow until the arm has come to rest, at the end of the path or before.

        Args:
            duration_ns: How long the path takes.
            every_ns: Time between two chunks.
            linger_ns: How long the end is held before the soft stop.
            progress: Told the share done.
        """
        now = self.start = self._tick()
        due, end = now, now + duration_ns + linger_ns
        while not self._over(now, end):
            if now >= due and self._stopping_since is None:
                self._feed.ask(now, self.start)
                due += every_ns * (1 + (now - due) // every_ns)
            self._hand_over()
            now = self._tick()
            progress(min(1.0, (now - self.start) / max(duration_ns, 1)))
        self._settle()

    def _settle(self) -> None:
        """Watch the arm until it has been seen at rest for a while, and say so where it was not."""
        began = now = self._moved_at = self._pace.now(self._loop)
        while self._loop.status().phase in ("stopped", "damped"):
            if self._seen_at - self._moved_at >= _SETTLE_S * 1e9:
                return
            if now - began > _PATIENCE_S * 1e9:
                self.notes.append(_NOT_AT_REST)
                return
            now = self._tick()

    def _tick(self) -> int:
        self._pace.advance(self._loop)
        self._loop.alive()
        records = self._loop.telemetry()
        self._writer.append(records)
        now = self._pace.now(self._loop)
        if len(records):
            self._seen_at = now
            if np.isfinite(records["T_base_tcp"][-1]).all():
                self._feed.tool = np.array(records["T_base_tcp"][-1])
            speeds = np.abs(records["dq"][-1, : records["joints"][-1]])
            if not speeds.max(initial=0.0) <= _AT_REST_RAD_PER_S:  # nor is NaN a speed that was seen to be small
                self._moved_at = now
        return now

    def _hand_over(self) -> None:
        while (chunk := self._feed.poll()) is not None:
            if len(chunk.stamps):  # none once the path is over
                self._loop.push(chunk)
        if self._feed.ended and self._feed.ended not in self.notes:
            self.notes.append(self._feed.ended)

    def _over(self, now: int, end: int) -> bool:
        """Say whether the loop has come to rest, and ask for that when it is time."""
        if self._loop.status().phase in ("stopped", "damped", "ended"):
            return True
        if self._asked.count > 1:
            self._loop.emergency_stop()
        elif self._stopping_since is None and (self._asked.count or now >= end):
            self._stopping_since = now
            self._loop.stop()
        elif self._stopping_since is not None and now - self._stopping_since > _REST_S * 1e9:
            self.notes.append(f"The soft stop did not come to rest within {_REST_S:g} s; a damped one was made.")
            self._loop.emergency_stop()
        return False
