"""The chirps that were declared: one, several at an interval, or by turns up and down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import attrs

from handloom.errors import StepError
from handloom_sensors.sync.arrival import Arrival
from handloom_sensors.sync.search import Gate, find, share_inside
from handloom_sensors.sync.sweep import Sweep
from handloom_sensors.sync.track import Track

_APART = 300e-6
"""How far two clocks may run apart, with room: crystals keep 100 ppm."""

_ECHO_S = 2e-3
"""By how much an interval may be off on top, where one chirp is found by another way through the room."""

_WHOLE = 0.99
"""Share of a sweep that must be inside the track to count as whole."""

_PART, _CLEAR = 0.25, 0.3
"""Least share of a sweep, and compactness of its pulse, that show a part of one; noise has 0.08."""


@attrs.frozen(kw_only=True)
class Pattern:
    """Chirps that follow one another.

    Attributes:
        sweeps: Each chirp, in order.
        interval_s: From one onset to the next.
    """

    sweeps: tuple[Sweep, ...]
    interval_s: float

    def __str__(self) -> str:
        if len(self.sweeps) == 1:
            return "one chirp was declared"
        return f"{len(self.sweeps)} chirps, {self.interval_s:g} s apart, were declared"


@attrs.frozen(kw_only=True)
class Rules:
    """When what is found is taken.

    Attributes:
        gate: What a chirp keeps.
        similar: Share of the height from which one more chirp makes it doubtful which one is meant.
    """

    gate: Gate
    similar: float


def chirps_in(track: Track, pattern: Pattern, window: tuple[int, int] | None, rules: Rules) -> tuple[Arrival, ...]:
    """Find the declared chirps in a track.

    Args:
        track: Where to look.
        pattern: What was declared.
        window: Sample indices between which the first chirp begins; None for anywhere.
        rules: When it is taken.

    Returns:
        One arrival for each chirp, in order.

    Raises:
        StepError: They are not there, not whole, outside the window, or more than declared.
    """
    found, failed = _found(track, pattern, window, rules)
    if not any(found.values()):
        raise StepError(_cut_off(track, failed) or _nothing(track, pattern, window, failed, rules))
    chosen = max(_rows(track, pattern, found), key=lambda row: sum(each.height for each in row), default=())
    if not chosen:
        raise StepError(f"In the {track.name} track {pattern}, but found {_listed(track, found)}.")
    for arrival, sweep in zip(chosen, pattern.sweeps, strict=True):
        _check_whole(track, arrival, sweep)
    _check_alone(track, chosen, found, pattern, rules)
    return chosen


def _found(
    track: Track, pattern: Pattern, window: tuple[int, int] | None, rules: Rules
) -> tuple[dict[Sweep, list[Arrival]], dict[Sweep, list[Arrival]]]:
    """Return, of each sweep, the arrivals that pass the gate and those that do not."""
    found, failed = {}, {}
    for sweep in dict.fromkeys(pattern.sweeps):
        start, end = _reach(track, pattern, window, sweep)
        found[sweep], failed[sweep] = find(track, sweep, start=start, end=end, gate=rules.gate)
    return found, failed


def _reach(track: Track, pattern: Pattern, window: tuple[int, int] | None, sweep: Sweep) -> tuple[int, int]:
    """Return between which onsets to look: those of the later chirps lie behind the window of the first."""
    if window is None:
        return -sweep.count(track.rate_hz), len(track)
    later = pattern.interval_s * (1 + _APART) * (len(pattern.sweeps) - 1) * track.rate_hz
    return max(window[0], -sweep.count(track.rate_hz)), min(len(track), window[1] + int(later) + 1)


def _rows(track: Track, pattern: Pattern, found: Mapping[Sweep, list[Arrival]]) -> Iterator[tuple[Arrival, ...]]:
    """Yield every way to lay the declared chirps over those found."""
    tolerance = (pattern.interval_s * _APART + _ECHO_S) * track.rate_hz
    for first in found[pattern.sweeps[0]]:
        row = [first]
        for sweep in pattern.sweeps[1:]:
            due = track.index(track.stamp(row[-1].onset) + round(pattern.interval_s * 1e9))
            row += [arrival for arrival in found[sweep] if abs(arrival.onset - due) < tolerance][:1]
        if len(row) == len(pattern.sweeps):
            yield tuple(row)


def _check_whole(track: Track, arrival: Arrival, sweep: Sweep) -> None:
    if share_inside(arrival, track, sweep) < _WHOLE:
        raise StepError(_cut(track, arrival, sweep))
    gap_s = track.gap_s(arrival.onset, arrival.onset + sweep.count(track.rate_hz))
    if gap_s:
        raise StepError(
            f"The {track.name} track has a gap of {gap_s * 1e3:.3f} ms within the chirp at "
            f"{_place(track, arrival)}, so its time can't be told."
        )


def _cut(track: Track, arrival: Arrival, sweep: Sweep) -> str:
    end = "start" if arrival.onset < 0 else "end"
    return (
        f"The chirp is cut off by the {end} of the {track.name} track, which holds "
        f"{share_inside(arrival, track, sweep):.0%} of it; play it once both recorders run."
    )


def _cut_off(track: Track, failed: Mapping[Sweep, list[Arrival]]) -> str:
    """Say so where what is no chirp is a good part of one; "" otherwise.

    With half of it missing there is nothing around to be confident against, but its pulse stands as clear as ever.
    """
    parts = [
        (arrival.compactness, sweep, arrival)
        for sweep, arrivals in failed.items()
        for arrival in arrivals
        if arrival.compactness >= _CLEAR and _PART <= share_inside(arrival, track, sweep) < _WHOLE
    ]
    if not parts:
        return ""
    _, sweep, arrival = max(parts, key=lambda part: part[0])
    return _cut(track, arrival, sweep)


def _check_alone(
    track: Track,
    chosen: tuple[Arrival, ...],
    found: Mapping[Sweep, list[Arrival]],
    pattern: Pattern,
    rules: Rules,
) -> None:
    high = rules.similar * max(arrival.height for arrival in chosen)
    more = [a for arrivals in found.values() for a in arrivals if a not in chosen and a.height >= high]
    if more:
        raise StepError(
            f"In the {track.name} track {pattern}, but found {_listed(track, found)}: which one is meant can't be "
            f"told. Declare them with 'count' and 'interval_s', or set '{track.name}_window_s'."
        )


def _nothing(
    track: Track,
    pattern: Pattern,
    window: tuple[int, int] | None,
    failed: Mapping[Sweep, list[Arrival]],
    rules: Rules,
) -> str:
    """Say that there is no chirp, and what comes nearest."""
    best = max((a for each in failed.values() for a in each), key=lambda arrival: arrival.confidence, default=None)
    if window is not None:
        start_s, end_s = (track.seconds(index) for index in window)
        where = f"between {start_s:.3f} and {end_s:.3f} s of the {track.name} track"
        outside, _ = _found(track, pattern, None, rules)
        if any(outside.values()):
            return (
                f"No chirp begins {where}, where it was expected; there is {_listed(track, outside)}. "
                f"Mend the window or the expected time."
            )
        return f"There is no chirp {where}, where it was expected, and none outside."
    nearest = (
        f" What comes nearest, at {_place(track, best)}, has a confidence of {best.confidence:.1f} and a pulse "
        f"{best.width:.1f} times as wide as a chirp's; it takes {rules.gate.confidence:g} and at most "
        f"{rules.gate.width:g}."
        if best
        else ""
    )
    return f"There is no chirp in the {track.name} track.{nearest}"


def _listed(track: Track, found: Mapping[Sweep, list[Arrival]]) -> str:
    every = sorted((a for arrivals in found.values() for a in arrivals), key=lambda a: a.onset)
    places = " and ".join(f"at {_place(track, arrival)}" for arrival in every)
    return f"{'one' if len(every) == 1 else len(every)} {places}"


def _place(track: Track, arrival: Arrival) -> str:
    return f"{track.seconds(arrival.onset):.3f} s"
