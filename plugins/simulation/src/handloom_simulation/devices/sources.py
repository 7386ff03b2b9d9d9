"""What sounds in the lab, each as a function of time, so that any device may sample it at instants of its own."""

from __future__ import annotations

from collections.abc import Callable
from zlib import crc32

import attrs
import numpy as np
import numpy.typing as npt

from handloom_simulation.devices.sound_settings import SoundSettings
from handloom_simulation.gripper import MOUNTED
from handloom_simulation.take import Impact, Take

FloatArray = npt.NDArray[np.float64]

Waveform = Callable[[FloatArray], FloatArray]
"""From times (N,) s, counted from the source's beginning, to amplitudes (N,)."""


@attrs.frozen(kw_only=True, eq=False)
class Source:
    """Something that sounds for a while.

    Attributes:
        start_s: Simulation time at which it begins.
        duration_s: How long it is heard.
        waveform: Its sound.
        level: Factor on the waveform, at the reference distance in air.
        piezo_level: Factor on the waveform in the contact microphone.
        body: Body it comes from; "" where it is fixed to the gripper at `place`.
        place: (3,) m: of the gripper's frame, or of the world when `body` is "world".
    """

    start_s: float
    duration_s: float
    waveform: Waveform
    level: float
    piezo_level: float
    body: str
    place: tuple[float, float, float]


def sweep(settings: SoundSettings, *, index: int = 0) -> Waveform:
    """Return a sync chirp: silent outside its duration, its phase the integral of a frequency that changes evenly.

    Args:
        settings: Its frequencies and duration.
        index: Which chirp of the take it is, 0-based.
    """
    ends_hz = settings.chirp_start_hz, settings.chirp_end_hz
    start_hz, end_hz = reversed(ends_hz) if settings.alternate and index % 2 else ends_hz
    slope = (end_hz - start_hz) / settings.chirp_s

    def waveform(times_s: FloatArray) -> FloatArray:
        inside = (times_s >= 0) & (times_s < settings.chirp_s)
        cycles = start_hz * times_s + 0.5 * slope * times_s**2
        return np.where(inside, np.sin(2 * np.pi * cycles), 0.0)

    return waveform


IMPACT_S = 0.4
"""After this every mode of an impact is below -100 dB."""


def ringing(impact: Impact) -> Waveform:
    """Return the decaying modes that a pair of bodies answers a blow with; the same pair always rings the same."""
    rng = np.random.default_rng(crc32("/".join(impact.bodies).encode()))
    frequencies = np.exp(rng.uniform(np.log(350.0), np.log(6000.0), 7))
    decays_s = rng.uniform(0.005, 0.03, 7)
    amplitudes = rng.dirichlet(np.ones(7))

    def waveform(times_s: FloatArray) -> FloatArray:
        since = np.maximum(times_s, 0.0)[:, None]
        modes = np.exp(-since / decays_s) * np.sin(2 * np.pi * frequencies * since)
        return np.where(times_s >= 0, modes @ amplitudes, 0.0)

    return waveform


_FRICTION_HZ = 16_000
"""Rate at which the noise is filtered to its band."""

_FINER = 8
"""By how much finer the grid is that it is read from."""


def friction(take: Take, seed: int) -> Waveform:
    """Return the noise of surfaces that slide, its RMS 1 at 0.1 m/s, over the whole take.

    Its band is 500 Hz to 6 kHz, so that every microphone of the lab can hold it. It is made on a grid so fine
    that straight lines between its samples will do: it is noise, but the same noise in every microphone.
    """
    from scipy.signal import butter, resample_poly, sosfilt

    count = int(take.duration_ns * 1e-9 * _FRICTION_HZ) + 1
    noise = np.random.default_rng([seed, 301]).standard_normal(count)
    band = sosfilt(butter(4, (500, 6000), "bandpass", fs=_FRICTION_HZ, output="sos"), noise)
    since_s = (take.stamps - take.stamps[0]).astype(np.float64) * 1e-9
    loud = np.interp(np.arange(count) / _FRICTION_HZ, since_s, take.slide_speed_m_per_s) / 0.1
    fine = resample_poly(band / (float(np.std(band)) or 1.0) * loud, _FINER, 1)
    fine_s = np.arange(len(fine)) / (_FRICTION_HZ * _FINER)
    return lambda times_s: np.interp(times_s, fine_s, fine, left=0.0, right=0.0)


def sources_of(take: Take, settings: SoundSettings, seed: int) -> tuple[Source, ...]:
    """Return all that sounds during a take."""
    speaker = MOUNTED["speaker"][:3]
    chirps = [
        Source(
            start_s=stamp * 1e-9,
            duration_s=settings.chirp_s,
            waveform=sweep(settings, index=index),
            level=settings.chirp_level * settings.polarity,
            piezo_level=settings.piezo_chirp * settings.polarity,
            body="",
            place=speaker,
        )
        for index, stamp in enumerate(take.chirps)
    ]
    impacts = [_impact(impact, settings) for impact in take.impacts]
    if not take.slide_speed_m_per_s.any():
        return (*chirps, *impacts)
    sliding = Source(
        start_s=take.stamps[0] * 1e-9,
        duration_s=take.duration_ns * 1e-9,
        waveform=friction(take, seed),
        level=settings.friction_level * settings.air_share,
        piezo_level=settings.friction_level,
        body="",
        place=MOUNTED["tcp"][:3],
    )
    return (*chirps, *impacts, sliding)


_HELD = ("gripper", "finger_left", "finger_right")


def _impact(impact: Impact, settings: SoundSettings) -> Source:
    loud = settings.impact_level * np.sqrt(impact.energy_j / 1e-3)
    felt = 1.0 if any(body in _HELD for body in impact.bodies) else 0.2
    return Source(
        start_s=impact.stamp * 1e-9,
        duration_s=IMPACT_S,
        waveform=ringing(impact),
        level=float(loud * settings.air_share),
        piezo_level=float(loud * felt),
        body="world",
        place=impact.position,
    )
