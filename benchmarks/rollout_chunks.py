"""What reaches a robot from a policy far away: chunks in time, late, lost, doubled and stale, by a seed."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from handloom.api import Chunk
from handloom.geometry import pose, quaternion

Float64Array = npt.NDArray[np.float64]

CHUNK_NS = 100_000_000
WAYPOINT_NS = 50_000_000
HORIZON = 16
MOST_LOST = 5
"""Chunks lost in a row: half a second, which the chunk before outlasts."""

_KINDS = ("in time", "late", "lost", "doubled", "stale")
_ODDS = (0.66, 0.12, 0.12, 0.05, 0.05)
_MS = 1_000_000


class Wandering:
    """A tool that wanders about for ever: sums of slow sines, which no two minutes repeat.

    Position stays within 9 cm on each axis and turns within 0.3 rad; it moves at 0.2 m/s at most.
    """

    def __init__(self, T_base_tcp: Float64Array, seed: int) -> None:
        random = np.random.default_rng(seed)
        self._start = T_base_tcp
        self._rates = random.uniform(0.3, 1.6, (6, 3))
        sizes = random.uniform(0.3, 1.0, (6, 3))
        sizes /= sizes.sum(axis=1, keepdims=True)
        self._sizes = sizes * np.array([0.09, 0.09, 0.09, 0.3, 0.3, 0.3])[:, None]

    def at(self, seconds: Float64Array) -> Float64Array:
        """Return (N, 7) poses at (N,) seconds from the beginning, where the tool rests at its start."""
        ease = np.minimum(seconds / 2.0, 1.0) ** 2
        waves = np.sin(self._rates[:, :, None] * seconds) * self._sizes[:, :, None]
        shift = (ease * waves.sum(axis=1)).T
        moved = np.concatenate([shift[:, :3], quaternion.from_rotvec(shift[:, 3:])], axis=1)
        return pose.compose(self._start, moved)

    def width_m(self, seconds: Float64Array) -> Float64Array:
        """Return the (N,) gripper widths."""
        return np.asarray(0.04 + 0.03 * np.sin(0.5 * seconds))


class Unreliable:
    """Answers an observation every 0.1 s, over a line that delays, loses, doubles and repeats.

    Attributes:
        sent: How many chunks were of each kind.
    """

    def __init__(self, wandering: Wandering, start_ns: int, seed: int) -> None:
        self._wandering, self._start_ns = wandering, start_ns
        self._random = np.random.default_rng(seed)
        self._on_the_way: list[tuple[int, int, Chunk]] = []
        self._next_ns, self._number, self._lost = start_ns, 0, 0
        self._before: Chunk | None = None
        self.sent: Counter[str] = Counter()

    def arrived(self, now_ns: int) -> Iterator[Chunk]:
        """Yield what has arrived by now, in the order of arrival."""
        while self._next_ns <= now_ns:
            self._send(self._next_ns)
            self._next_ns += CHUNK_NS
        while self._on_the_way and self._on_the_way[0][0] <= now_ns:
            yield heapq.heappop(self._on_the_way)[2]

    def _send(self, observed_ns: int) -> None:
        kind = str(self._random.choice(_KINDS, p=_ODDS))
        if kind == "lost" and self._lost >= MOST_LOST:
            kind = "in time"
        self.sent[kind] += 1
        self._lost = self._lost + 1 if kind == "lost" else 0
        chunk = self.chunk(observed_ns)
        delay_ns = int(self._random.integers(20, 80)) * _MS
        if kind == "late":
            delay_ns = int(self._random.integers(150, 1200)) * _MS
        if kind != "lost":
            self._put(observed_ns + delay_ns, chunk)
        if kind == "doubled":
            self._put(observed_ns + delay_ns + int(self._random.integers(0, 120)) * _MS, chunk)
        if kind == "stale" and self._before is not None:
            self._put(observed_ns + delay_ns + 1, self._before)
        self._before = chunk

    def _put(self, arrives_ns: int, chunk: Chunk) -> None:
        self._number += 1
        heapq.heappush(self._on_the_way, (arrives_ns, self._number, chunk))

    def chunk(self, observed_ns: int) -> Chunk:
        """Return the policy's answer to an observation."""
        stamps = observed_ns + WAYPOINT_NS * np.arange(1, HORIZON + 1)
        seconds = (stamps - self._start_ns).astype(np.float64) * 1e-9
        return Chunk(
            stamps=stamps,
            clock="",
            poses=self._wandering.at(seconds),
            widths_m=self._wandering.width_m(seconds),
            frame="base",
            body="tcp",
            observed=observed_ns,
        )
