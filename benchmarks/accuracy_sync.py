"""Clock sync against truth: recorders with clocks of their own in rooms with echoes, and sounds that are no chirp.

The signal to noise ratio is the power of all that the chirp sends to the microphone, echoes included, over its
half second, by the mean power of the noise over the track's full band; the straight way alone is decibels lower.
An error is that of the map at the chirp's centre; beside it stands the one at the map's origin, the instant that a
wrong drift does not move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import attrs
import numpy as np
import numpy.typing as npt

from benchmarks.harness import Bar, Measured
from benchmarks.sync_impostors import impostors
from benchmarks.sync_lab import lab_sync_bars
from benchmarks.sync_rooms import Recorder, Room, heard, random_room, with_noise
from handloom.api import Rig, clock_map_of
from handloom.errors import StepError
from handloom.geometry import FrameTree
from handloom.streams import Samples, StreamType
from handloom.testing import MemoryInputs
from handloom.time import ClockMap
from handloom_sensors.sync.chirp_settings import ChirpSyncConfig
from handloom_sensors.sync.chirp_sync import ChirpSync
from handloom_sensors.sync.pattern import chirps_in
from handloom_sensors.sync.track import track_of

FloatArray = npt.NDArray[np.float64]

SETTINGS = ChirpSyncConfig(
    speaker_frame="speaker", first_frame="first", second_frame="second", temperature_uncertainty_c=0.0
)
SPACING_S = 60.0
_RIGHT_US = 100.0
"""An accepted map that is off by more is no hit: it holds another echo, or nothing."""


@attrs.frozen(kw_only=True)
class Trial:
    """What became of one pair of recordings.

    Attributes:
        error_us: Of the map at its origin; NaN when it was refused.
        center_us: Of the map at the centre of the first chirp.
        sigmas: The error by the map's own standard deviation.
        drift_ppm: Error of the drift.
    """

    error_us: float
    center_us: float
    sigmas: float
    drift_ppm: float


def bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars in the rooms made here, and on the lab's own microphones."""
    return (*sync_bars(quick=quick), *lab_sync_bars(quick=quick))


def sync_bars(*, quick: bool) -> list[Bar]:
    """Return the bars of the clock sync."""
    trials, others, pairs = (24, 40, 2) if quick else (200, 200, 12)
    return [
        *_offset_bars(0.0, trials, goal_us=5.0, goal_recall=0.99),
        *_offset_bars(-15.0, trials, goal_us=25.0, goal_recall=0.95),
        Bar(
            name=f"sync: false acceptances, {others} recordings without a chirp",
            goal=0,
            compare="<=",
            unit="recordings",
            measure=lambda: _false_acceptances(others),
        ),
        Bar(
            name="sync: drift from two chirps 60 s apart, worst",
            goal=0.3,
            compare="<=",
            unit="ppm",
            measure=lambda: _drift(pairs),
        ),
    ]


def _offset_bars(snr_db: float, trials: int, *, goal_us: float, goal_recall: float) -> list[Bar]:
    where = f"at {snr_db:g} dB with echoes"
    return [
        Bar(
            name=f"sync: clock offset {where}, at the chirp's centre, median error",
            goal=goal_us,
            compare="<=",
            unit="us",
            measure=lambda: _offset(snr_db, trials),
        ),
        Bar(
            name=f"sync: clock offset {where}, at the map's origin",
            goal=goal_us,
            compare="<=",
            unit="us",
            measure=lambda: _offset_at_origin(snr_db, trials),
        ),
        Bar(
            name=f"sync: chirps found {where}",
            goal=goal_recall,
            compare=">=",
            unit="found and right / all",
            measure=lambda: _recall(snr_db, trials),
        ),
    ]


def _offset(snr_db: float, trials: int) -> Measured:
    found = _found(snr_db, trials)
    return _measured([trial.center_us for trial in found])


def _offset_at_origin(snr_db: float, trials: int) -> Measured:
    found = _found(snr_db, trials)
    within = float(np.mean(np.abs([trial.sigmas for trial in found]) < 2))
    measured = _measured([trial.error_us for trial in found])
    figures = {
        **measured.figures,
        "share_within_2_sigma": within,
        "median_drift_ppm": float(np.median(np.abs([trial.drift_ppm for trial in found]))),
    }
    return attrs.evolve(measured, figures=figures)


def _found(snr_db: float, trials: int) -> list[Trial]:
    return [trial for trial in _trials(snr_db, trials) if np.isfinite(trial.error_us)]


def _measured(errors_us: Sequence[float]) -> Measured:
    errors = np.abs(errors_us)
    return Measured(
        value=float(np.median(errors)),
        figures={"p90_us": float(np.percentile(errors, 90)), "max_us": float(errors.max())},
    )


def _recall(snr_db: float, trials: int) -> Measured:
    errors = np.array([trial.error_us for trial in _trials(snr_db, trials)])
    return Measured(
        value=float(np.mean(abs(errors) < _RIGHT_US)),
        figures={"trials": trials, "wrong": float(np.sum(abs(errors) >= _RIGHT_US))},
    )


@cache
def _trials(snr_db: float, trials: int) -> tuple[Trial, ...]:
    return tuple(_trial(snr_db, np.random.default_rng([number, 3]), (0.0,), 4.0) for number in range(trials))


def _drift(pairs: int) -> Measured:
    done = [
        _trial(0.0, np.random.default_rng([number, 4]), (0.0, SPACING_S), SPACING_S + 4.0, count=2)
        for number in range(pairs)
    ]
    errors = np.abs([trial.drift_ppm for trial in done])
    return Measured(
        value=float(errors.max()), figures={"median_ppm": float(np.median(errors)), "pairs": float(pairs)}
    )


def _trial(
    snr_db: float, rng: np.random.Generator, chirps_s: Sequence[float], length_s: float, count: int = 1
) -> Trial:
    """Sync one pair of recordings: 48 kHz with 16 kHz, clocks within 50 ppm, white noise or pink in turn."""
    room, slope = random_room(rng), float(rng.integers(2))
    begins_s = rng.uniform(1.0, 2.0)
    starts_s = tuple(begins_s + chirp_s for chirp_s in chirps_s)
    recorders = [
        Recorder(rate_hz=rate, drift_ppm=rng.uniform(-50, 50), start_s=rng.uniform(0, 0.4))
        for rate in (48_000, 16_000)
    ]
    sounds = []
    for microphone, recorder in enumerate(recorders):
        samples = int(length_s * recorder.rate_hz)
        clean = heard(room, microphone, recorder, starts_s, samples, rng)
        sounds.append(with_noise(clean, snr_db, rng, slope=slope, rate_hz=recorder.rate_hz))
    found = _sync(sounds, recorders, room, attrs.evolve(SETTINGS, count=count, interval_s=SPACING_S))
    return _compared(found, recorders, starts_s[0])


def _sync(
    sounds: Sequence[FloatArray], recorders: Sequence[Recorder], room: Room, config: ChirpSyncConfig
) -> ClockMap | None:
    wired = {
        name: _samples(0.05 * sound, recorder.rate_hz, name)
        for name, sound, recorder in zip(("first", "second"), sounds, recorders, strict=True)
    }
    rig = Rig(frames=_frames(room))
    try:
        outputs = ChirpSync(config).run(MemoryInputs(wired=wired, rig=rig), lambda share: None)
    except StepError:
        return None
    return clock_map_of(outputs.streams["map"])


def _samples(sound: FloatArray, rate_hz: int, clock: str) -> Samples:
    return Samples(
        type=StreamType(kind="audio", dtype="float32", shape=(1,), clock=clock),
        data=sound.astype(np.float32)[:, None],
        knots=np.array([[0, 0], [len(sound), round(len(sound) / rate_hz * 1e9)]], dtype=np.int64),
    )


def _frames(room: Room) -> FrameTree:
    frames = FrameTree()
    for name, place in zip(("speaker", "first", "second"), (room.source_m, *room.microphones_m), strict=True):
        frames = frames.with_static("room", name, [*place, 0, 0, 0, 1])
    return frames


def _compared(found: ClockMap | None, recorders: Sequence[Recorder], start_s: float) -> Trial:
    if found is None:
        return Trial(error_us=np.nan, center_us=np.nan, sigmas=np.nan, drift_ppm=np.nan)
    first, second = recorders
    center_ns = round(first.reads_s(start_s + 0.25) * 1e9)
    error_us = _error_us(found, found.origin_ns, first, second)
    rate = (1 + second.drift_ppm * 1e-6) / (1 + first.drift_ppm * 1e-6)
    return Trial(
        error_us=error_us,
        center_us=_error_us(found, center_ns, first, second),
        sigmas=error_us * 1e3 / found.uncertainty_ns,
        drift_ppm=found.drift_ppm - (rate - 1) * 1e6,
    )


def _error_us(found: ClockMap, stamp_ns: int, first: Recorder, second: Recorder) -> float:
    true_s = first.start_s + stamp_ns * 1e-9 / (1 + first.drift_ppm * 1e-6)
    return (int(found.apply(stamp_ns)) * 1e-9 - second.reads_s(true_s)) * 1e6


def _false_acceptances(count: int) -> Measured:
    """Look for a chirp in both tracks of recordings without one; either track's acceptance counts."""
    makers = sorted(impostors().items())
    accepted: dict[str, int] = {name: 0 for name, _ in makers}
    for number in range(count):
        name, make = makers[number % len(makers)]
        accepted[name] += _accepted(make, np.random.default_rng([number, 5]))
    return Measured(value=float(sum(accepted.values())), figures={"recordings": float(count)})


def _accepted(make: Callable[[int, int, np.random.Generator], FloatArray], rng: np.random.Generator) -> bool:
    config = ChirpSyncConfig()
    for rate_hz in (48_000, 16_000):
        track = track_of(_samples(make(12 * rate_hz, rate_hz, rng), rate_hz, "a"), "first", 0)
        try:
            chirps_in(track, config.pattern(), None, config.rules())
        except StepError:
            continue
        return True
    return False
