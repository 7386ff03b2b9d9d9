"""Find sweeps in a track: an overview of all onsets, then a measurement of the places that stand out."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom_sensors.sync.arrival import Arrival, arrival_near
from handloom_sensors.sync.compression import Overview, overview
from handloom_sensors.sync.sweep import Sweep
from handloom_sensors.sync.track import Track

FloatArray = npt.NDArray[np.float64]

_STANDS_OUT = 12.0
"""Power of a place over the mean around it that makes it worth a measurement; noise has it once in 160 000."""

_APART_S = 0.06
"""Two places closer than this are one sweep and its echoes."""

_MOST = 12
"""So many places are measured; sweeps stand out more than anything else does."""


@attrs.frozen(kw_only=True)
class Gate:
    """What makes a place a sweep.

    Attributes:
        confidence: Least height over the floor.
        compactness: Least share of the power nearby that the pulse itself holds; tones and knocks spread theirs.
        width: Widest pulse, by that of an even spectrum: what is a sweep only here and there has a wider one.
    """

    confidence: float
    compactness: float
    width: float

    def lets(self, arrival: Arrival, share: float) -> bool:
        """Say whether an arrival passes, of which a share is inside the track: a part has a wider pulse."""
        return (
            arrival.confidence >= self.confidence
            and arrival.compactness >= self.compactness
            and 0.5 * share < arrival.width * share < self.width
        )


def find(track: Track, sweep: Sweep, *, start: int, end: int, gate: Gate) -> tuple[list[Arrival], list[Arrival]]:
    """Find sweeps that begin from sample `start` to `end`; both may lie outside the track.

    Returns:
        Those that pass the gate, in order of time, and the measured places that do not.
    """
    seen = overview(track, sweep, start, end)
    measured = [arrival_near(track, sweep, seen.index(piece)) for piece in _places(seen, track, sweep)]
    inside = [arrival for arrival in measured if start <= arrival.onset < end]
    passed = [arrival for arrival in inside if gate.lets(arrival, share_inside(arrival, track, sweep))]
    failed = [arrival for arrival in inside if arrival not in passed]
    return sorted(_distinct(passed, track), key=lambda arrival: arrival.onset), failed


def share_inside(arrival: Arrival, track: Track, sweep: Sweep) -> float:
    """Return what share of an arrival's sweep the track holds."""
    count = sweep.count(track.rate_hz)
    held = min(arrival.onset + count, len(track)) - max(arrival.onset, 0.0)
    return max(0.0, min(1.0, held / count))


def _places(seen: Overview, track: Track, sweep: Sweep) -> list[int]:
    """Return the pieces that stand out of their surroundings, best first; the best one in any case."""
    score = seen.highest / np.maximum(_around(seen, track, sweep), track.hush**2)
    apart = max(1, round(_APART_S * track.rate_hz / seen.step))
    places: list[int] = []
    for piece in np.argsort(-score, kind="stable"):
        if len(places) == _MOST or (places and score[piece] < _STANDS_OUT):
            break
        if all(abs(int(piece) - place) > apart for place in places):
            places.append(int(piece))
    return places


def _around(seen: Overview, track: Track, sweep: Sweep) -> FloatArray:
    """Return the mean power within half a sweep of each piece, of onsets inside the track."""
    reach = max(1, round(0.5 * sweep.duration_s * track.rate_hz / seen.step))
    onsets = seen.first + (np.arange(len(seen.mean)) + 0.5) * seen.step
    inside = ((onsets >= 0) & (onsets < len(track))).astype(np.float64)
    sums = np.concatenate([[[0.0, 0.0]], np.cumsum(np.stack([seen.mean * inside, inside], axis=1), axis=0)])
    last = len(seen.mean)
    start, end = np.maximum(np.arange(last) - reach, 0), np.minimum(np.arange(last) + reach + 1, last)
    total, count = (sums[end] - sums[start]).T
    return np.asarray(total / np.maximum(count, 1.0))


def _distinct(arrivals: list[Arrival], track: Track) -> list[Arrival]:
    """Leave out the echoes of an arrival found before: places are measured best first."""
    kept: list[Arrival] = []
    for arrival in arrivals:
        if all(abs(arrival.onset - other.onset) > _APART_S * track.rate_hz for other in kept):
            kept.append(arrival)
    return kept
