"""The step `chirp_sync`: bring two recorders' clocks together by a chirp that both heard."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from handloom.api import Inputs, Outputs, Ports, Progress, Step, clock_map_stream, hookimpl
from handloom.errors import StepError
from handloom.time import ClockMap
from handloom_sensors.sync.arrival import Arrival
from handloom_sensors.sync.chirp_settings import ChirpSyncConfig
from handloom_sensors.sync.instants import Instant, clock_map_through
from handloom_sensors.sync.pattern import Pattern, chirps_in
from handloom_sensors.sync.propagation import Propagation, propagation
from handloom_sensors.sync.sounds import both_tracks, sound_ports
from handloom_sensors.sync.stretch import Stretch
from handloom_sensors.sync.sweep import Sweep
from handloom_sensors.sync.track import Track

Heard = tuple[Track, tuple[Arrival, ...], float]
"""A track, its chirps, and how long the sound travelled to it, s."""


class ChirpSync(Step):
    """Finds the same chirps in two sounds and says how one clock's stamps become the other's."""

    Config = ChirpSyncConfig
    summary = "Map between the clocks of two sounds that hold the same chirp, with drift from a second one"

    @classmethod
    def ports(cls, config: ChirpSyncConfig) -> Ports:
        """Take two sounds; give the map from the first one's clock to the second one's."""
        return sound_ports(config.output)

    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Find the chirps in both.

        Raises:
            StepError: A track has no chirp, or not the declared ones; the message says which and what it has.
        """
        progress(0.0)
        config, pattern = self.config, self.config.pattern()
        way = _way(inputs, config)
        heard: list[Heard] = []
        for track, travel_s in zip(_tracks(inputs, config), (way.first_s, way.second_s), strict=True):
            window = _window(inputs, track, config)
            heard.append((track, chirps_in(track, pattern, window, config.rules()), travel_s))
            progress(0.5 * len(heard))
        _check_polarity(heard, config)
        known = _map(heard, pattern, way, config)
        found = {**_found(heard, pattern, way), **_at_centre(heard[0], pattern, known)}
        return Outputs(
            streams={config.output: clock_map_stream(known, found)},
            attributes={"confidence": found["confidence"], "uncertainty_us": known.uncertainty_ns * 1e-3},
            notes=_notes(heard, way, known, config),
        )


def _way(inputs: Inputs, config: ChirpSyncConfig) -> Propagation:
    return propagation(
        inputs.rig,
        (config.speaker_frame, config.first_frame, config.second_frame),
        temperature_c=config.temperature_c,
        temperature_uncertainty_c=config.temperature_uncertainty_c,
        unknown_distance_m=config.unknown_distance_m,
    )


def _tracks(inputs: Inputs, config: ChirpSyncConfig) -> tuple[Track, Track]:
    tracks = both_tracks(inputs, config.first_channel, config.second_channel)
    highest = max(config.start_hz, config.end_hz)
    for track in tracks:
        if highest >= 0.5 * track.rate_hz:
            raise StepError(
                f"The {track.name} track has {track.rate_hz:.0f} samples a second and can't hold a chirp up to "
                f"{highest:g} Hz; it takes more than {2 * highest:g}."
            )
        if len(track) < config.duration_s * track.rate_hz:
            raise StepError(
                f"The {track.name} track lasts {len(track) / track.rate_hz:.3f} s, too short for a chirp of "
                f"{config.duration_s:g} s."
            )
    return tracks


def _window(inputs: Inputs, track: Track, config: ChirpSyncConfig) -> tuple[int, int] | None:
    """Return between which samples the first chirp may begin; None for anywhere."""
    start = track.stamp(0)
    if window := config.window_s(track.name):
        begin_s, end_s = window
        return round(track.index(start + round(begin_s * 1e9))), round(track.index(start + round(end_s * 1e9)))
    expected = inputs.samples(track.name).attributes.get(config.expected_key)
    if expected is None:
        return None
    within = round(config.expected_within_s * 1e9)
    return round(track.index(int(expected) - within)), round(track.index(int(expected) + within))


def _check_polarity(heard: Sequence[Heard], config: ChirpSyncConfig) -> None:
    first, second = (_polarity(chirps) for _, chirps, _ in heard)
    found = "unclear" if "unclear" in (first, second) else "same" if first == second else "opposite"
    if config.polarity not in ("any", found):
        raise StepError(
            f"The first track hears the chirp {first} and the second one {second}; expected {config.polarity} "
            f"polarity, as `polarity` says. Look for a changed microphone, lead or channel; or set polarity = "
            f'"any": the time is right either way.'
        )


def _polarity(chirps: Sequence[Arrival]) -> str:
    """Return what all chirps of a track say of it."""
    said = {chirp.polarity for chirp in chirps}
    return said.pop() if len(said) == 1 else "unclear"


def _map(heard: Sequence[Heard], pattern: Pattern, way: Propagation, config: ChirpSyncConfig) -> ClockMap:
    (first, first_chirps, _), (second, second_chirps, _) = heard
    instants = [
        Instant(
            source_ns=_steady_ns(heard[0], number, sweep),
            target_ns=_steady_ns(heard[1], number, sweep),
            sigma_ns=1e9 * math.hypot(*(_sigma_s(chirp, sweep, config) for chirp in pair)),
        )
        for number, (sweep, *pair) in enumerate(zip(pattern.sweeps, first_chirps, second_chirps, strict=True))
    ]
    return clock_map_through(
        instants,
        source=first.clock,
        target=second.clock,
        common_sigma_ns=way.sigma_s * 1e9,
        drift_ppm=_drift_with(_by_pulse(heard), config),
    )


def _by_pulse(heard: Sequence[Heard]) -> Stretch:
    """Return how much faster the second clock runs than the first, by the shape of the first chirp's pulses."""
    first, second = (chirps[0].stretch for _, chirps, _ in heard)
    return Stretch(ppm=second.ppm - first.ppm, sigma_ppm=math.hypot(first.sigma_ppm, second.sigma_ppm))


def _plain(by_pulse: Stretch) -> list[float] | None:
    """Return drift and standard deviation, ppm, or None where the pulse tells none; JSON has no infinity."""
    return [by_pulse.ppm, by_pulse.sigma_ppm] if math.isfinite(by_pulse.sigma_ppm) else None


def _drift_with(by_pulse: Stretch, config: ChirpSyncConfig) -> tuple[float, float]:
    """Return drift and standard deviation, ppm, of what was assumed and what a pulse shows, by their weights.

    A pulse that shows what no two crystals have shows a microphone, and has no weight.
    """
    sigma = math.hypot(by_pulse.sigma_ppm, config.microphone_phase_ppm)
    assumed, within = config.drift_ppm, config.drift_uncertainty_ppm
    if not _believed(by_pulse, config):
        return assumed, within
    share = within**2 / (within**2 + sigma**2) if within else 0.0
    return assumed + share * (by_pulse.ppm - assumed), within * math.sqrt(1 - share)


def _believed(by_pulse: Stretch, config: ChirpSyncConfig) -> bool:
    sigma = math.hypot(by_pulse.sigma_ppm, config.microphone_phase_ppm)
    return abs(by_pulse.ppm - config.drift_ppm) <= 2 * math.hypot(sigma, config.drift_uncertainty_ppm)


def _at_centre(heard: Heard, pattern: Pattern, known: ClockMap) -> dict[str, Any]:
    """Return what the map says of the centre of all that was played, from the first onset to the last end."""
    track, chirps, travel_s = heard
    ends = track.stamp(chirps[0].onset), track.stamp(chirps[-1].onset) + round(pattern.sweeps[-1].duration_s * 1e9)
    centre_ns = sum(ends) // 2 - round(travel_s * 1e9)
    return {
        "centre_ns": centre_ns,
        "offset_at_centre_ns": int(known.apply(centre_ns)) - centre_ns,
        "uncertainty_at_centre_us": float(known.uncertainty_at([centre_ns])[0]) * 1e-3,
    }


def _steady_ns(heard: Heard, number: int, sweep: Sweep) -> int:
    """Return the stamp of the instant that a wrong rate does not move, as it left the loudspeaker."""
    track, chirps, travel_s = heard
    return track.stamp(chirps[number].onset + sweep.steady_s * track.rate_hz) - round(travel_s * 1e9)


def _sigma_s(chirp: Arrival, sweep: Sweep, config: ChirpSyncConfig) -> float:
    """Return an arrival's error: from noise, and from a drift that high tones and low ones show differently."""
    aside_hz = 2 * (chirp.centre_hz - 0.5 * (sweep.start_hz + sweep.end_hz))
    moved_s = aside_hz * sweep.duration_s / (sweep.end_hz - sweep.start_hz) * config.drift_uncertainty_ppm * 1e-6
    return math.hypot(chirp.sigma_s, moved_s)


def _found(heard: Sequence[Heard], pattern: Pattern, way: Propagation) -> dict[str, Any]:
    """Return what stands behind the map, as plain values; a report draws the envelopes."""
    by_track = {track.name: (track, chirps, travel_s) for track, chirps, travel_s in heard}
    return {
        "method": "chirp",
        "chirps": len(pattern.sweeps),
        "confidence": min(chirp.confidence for _, chirps, _ in heard for chirp in chirps),
        "confidence_by_track": {
            name: min(chirp.confidence for chirp in chirps) for name, (_, chirps, _) in by_track.items()
        },
        "onsets_ns": {
            name: [track.stamp(chirp.onset) for chirp in chirps] for name, (track, chirps, _) in by_track.items()
        },
        "sigma_us": {name: [chirp.sigma_s * 1e6 for chirp in chirps] for name, (_, chirps, _) in by_track.items()},
        "first_arrival_earlier_us": {
            name: [chirp.earlier_s * 1e6 for chirp in chirps] for name, (_, chirps, _) in by_track.items()
        },
        "polarity": {name: _polarity(chirps) for name, (_, chirps, _) in by_track.items()},
        "rate_hz": {name: track.rate_hz for name, (track, _, _) in by_track.items()},
        "drift_by_pulse_ppm": _plain(_by_pulse(heard)),
        "travel": "rig" if way.known else "unknown",
        "travel_us": {name: travel_s * 1e6 for name, (_, _, travel_s) in by_track.items()},
        **{f"envelope_{name}": _drawn(chirps[0]) for name, (_, chirps, _) in by_track.items()},
    }


def _drawn(chirp: Arrival) -> dict[str, list[float]]:
    return {
        "offset_s": [round(float(value), 8) for value in chirp.offsets_s],
        "height": [round(float(value), 4) for value in chirp.envelope],
    }


def _notes(heard: Sequence[Heard], way: Propagation, known: ClockMap, config: ChirpSyncConfig) -> tuple[str, ...]:
    notes = []
    if not way.known:
        notes.append(
            f"No frames of loudspeaker and microphones are named, so the sound's travel time is not taken off; "
            f"the map is uncertain by {known.uncertainty_ns * 1e-6:.3f} ms."
        )
    notes += [
        f"The first arrival in the {track.name} track is {chirp.earlier_s * 1e3:.3f} ms before a louder one; the "
        f"straight way to that microphone is blocked in part."
        for track, chirps, _ in heard
        for chirp in chirps[:1]
        if chirp.earlier_s
    ]
    heard_both_ways = {_polarity(chirps) for _, chirps, _ in heard} == {"upright", "inverted"}
    if heard_both_ways and config.polarity == "any":
        notes.append(
            "One microphone hears the chirp upside down; the time is right, its wiring may not be. If that is how "
            'these two are, polarity = "opposite" refuses what differs from it.'
        )
    by_pulse = _by_pulse(heard)
    if config.count == 1 and not _believed(by_pulse, config):
        notes.append(
            f"The shape of the chirp's pulses speaks of a drift of {by_pulse.ppm:+.0f} ppm, more than two clocks "
            f"have: a microphone bends the phase, or an echo is close by. It is not used; two chirps would tell."
        )
    return tuple(notes)


@hookimpl
def step(kind: str) -> type[Step]:
    """Return the step for `chirp_sync`."""
    return ChirpSync
