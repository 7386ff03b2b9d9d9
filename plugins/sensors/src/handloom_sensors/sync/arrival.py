"""Where a sweep arrives in a track: to a fraction of a sample, by its first way, and how sure that is."""

from __future__ import annotations

import math
from typing import Any, Literal

import attrs
import numpy as np
import numpy.typing as npt

from handloom.streams import top_between
from handloom_sensors.sync.compression import EDGE
from handloom_sensors.sync.nearby import EARLIER_S, Nearby, nearby
from handloom_sensors.sync.stretch import Stretch, stretch_of
from handloom_sensors.sync.sweep import Sweep
from handloom_sensors.sync.track import Track

FloatArray = npt.NDArray[np.float64]

RAYLEIGH_MEDIAN = 1.1774
"""Median of noise's envelope by the standard deviation of its real part: sqrt(2 ln 2)."""

EARLIER_SHARE = 0.25
"""What the first arrival has at least of the loudest one's height; a loudspeaker's back still sends as much."""

EARLIER_FLOOR = 4.5
"""And of the floor: noise alone has 200 tries in 30 ms, and exceeds 4.5 times its median once in 6000."""

Polarity = Literal["upright", "inverted", "unclear"]


@attrs.frozen(kw_only=True, eq=False)
class Arrival:
    """A sweep in a track.

    Attributes:
        onset: Fractional sample index at which the sweep begins, by its first arrival.
        height: Amplitude of a sweep that would give this envelope, in the track's own unit.
        floor: The envelope's level around it, as the median of noise would be.
        confidence: Height of the loudest arrival over the floor, or over what noise as loud as all that sounds
            during the sweep would have as floor.
        compactness: Share of the power within 20 ms of the loudest arrival that its own pulse holds.
        width: Width of the loudest arrival's pulse at half its power, by that of a sweep's.
        earlier_s: How much earlier than the loudest arrival the first one is; 0 where they are one.
        centre_hz: Mean frequency of the first arrival's pulse; the sweep's own unless the way or the microphone
            favours high or low tones.
        polarity: Whether the first arrival is upside down; "unclear" between.
        sigma_s: One standard deviation of the onset, from noise and echoes.
        stretch: How much faster the recorder's clock runs than the sweep was played, by the pulse's shape.
        offsets_s: (M,) times around the onset.
        envelope: (M,) the envelope there, by its height at the onset.
    """

    onset: float
    height: float
    floor: float
    confidence: float
    compactness: float
    width: float
    earlier_s: float
    centre_hz: float
    polarity: Polarity
    sigma_s: float
    stretch: Stretch
    offsets_s: FloatArray
    envelope: FloatArray


def arrival_near(track: Track, sweep: Sweep, index: float) -> Arrival:
    """Measure the sweep whose loudest arrival begins within 10 ms of a sample index."""
    near = nearby(track, sweep, index)
    middle = len(near.values) // 2
    loudest = _highest(near.magnitude, middle - near.steps(0.01), middle + near.steps(0.01))
    floor, before = _floor(near, track, loudest)
    first = _first(near, loudest, before, sweep)
    place = first + _vertex(near.magnitude, first)
    height = float(near.magnitude[first])
    shown = _shown(near, first)
    radians, turning = _phase(near.values, place)
    return Arrival(
        onset=near.first + place * near.step,
        height=height,
        floor=floor,
        confidence=float(near.magnitude[loudest]) / max(floor, _noise_like(near, loudest, sweep)),
        compactness=_compactness(near, loudest, sweep),
        width=_width(near, loudest, sweep),
        earlier_s=(loudest - first) * near.step / near.rate_hz,
        centre_hz=turning * near.rate_hz / near.step / (2 * math.pi),
        polarity=_polarity(radians),
        sigma_s=_sigma_s(floor / max(height, track.hush), sweep),
        stretch=stretch_of(near, place, sweep),
        offsets_s=np.asarray((shown - place) * near.step / near.rate_hz),
        envelope=near.magnitude[shown] / height,
    )


def _highest(magnitude: FloatArray, start: int, end: int) -> int:
    return start + int(np.argmax(magnitude[start:end]))


def _floor(near: Nearby, track: Track, loudest: int) -> tuple[float, float]:
    """Return the level all around the loudest arrival, and before it, where no echo is yet.

    A burst that is no sweep leaves an envelope as long as the sweep: the root of its mean square tells more than
    the median then. For noise both, scaled, are one.
    """
    guard = near.steps(0.02)
    onsets = near.first + np.arange(len(near.magnitude)) * near.step
    inside = (onsets >= 0) & (onsets < len(track))
    away = inside & (abs(np.arange(len(inside)) - loudest) > guard)
    before = away & (np.arange(len(inside)) < loudest)
    every = near.magnitude[away]
    if not len(every):
        return math.inf, math.inf
    spread = RAYLEIGH_MEDIAN / math.sqrt(2) * float(np.sqrt(np.mean(every**2)))
    floor = max(float(np.median(every)), spread, track.hush)
    if np.count_nonzero(before) < 2 * guard:
        return floor, floor
    return floor, max(float(np.median(near.magnitude[before])), track.hush)


def _noise_like(near: Nearby, loudest: int, sweep: Sweep) -> float:
    """Return the median of the envelope if all that sounds during the sweep, itself included, were noise.

    What is switched on only then, or ends with the track, leaves too low a floor around it.
    """
    start = round(loudest * near.step)
    during = near.band[start : start + sweep.count(near.rate_hz)]
    return RAYLEIGH_MEDIAN * near.gain * float(np.sqrt(np.mean(during**2)))


def _first(near: Nearby, loudest: int, quiet: float, sweep: Sweep) -> int:
    """Return the place of the first arrival: the earliest peak that neither noise nor a side lobe explains."""
    magnitude = near.magnitude
    start = loudest - near.steps(EARLIER_S)
    inner = magnitude[start:loudest]
    peaks = start + 1 + np.flatnonzero((inner[1:-1] > inner[:-2]) & (inner[1:-1] >= inner[2:]))
    # The pulse's side lobes stay below this, u being the distance in independent values.
    # Source: Fourier transform of the Tukey window, Harris, On the use of windows, 1978, with edges of 15 %.
    u = (loudest - peaks) * near.step / near.rate_hz * (sweep.high_hz - sweep.low_hz)
    side = magnitude[loudest] / (np.pi * (1 - EDGE) * u) / np.maximum(1.0, (2 * EDGE * u) ** 2 - 1)
    high = (magnitude[peaks] > EARLIER_SHARE * magnitude[loudest] + side) & (
        magnitude[peaks] > EARLIER_FLOOR * quiet
    )
    return int(peaks[high][0]) if high.any() else loudest


def _vertex(magnitude: FloatArray, place: int) -> float:
    """Return by how many values the peak lies beside its highest one: a parabola through three logarithms."""
    return top_between(*np.log(magnitude[place - 1 : place + 2]))


def _compactness(near: Nearby, loudest: int, sweep: Sweep) -> float:
    pulse = near.steps(1 / (sweep.high_hz - sweep.low_hz))
    around = near.steps(0.02)
    power = near.magnitude**2
    whole = float(power[max(0, loudest - around) : loudest + around + 1].sum())
    return float(power[loudest - pulse : loudest + pulse + 1].sum()) / whole


def _width(near: Nearby, loudest: int, sweep: Sweep) -> float:
    """Return the pulse's half-power width by the one of an even spectrum, 0.98 of the band's inverse."""
    reach = near.steps(0.01)
    over = near.magnitude[loudest - reach : loudest + reach] > near.magnitude[loudest] * math.sqrt(0.5)
    before, after = np.flatnonzero(~over[:reach])[-1:], np.flatnonzero(~over[reach:])[:1]
    values = (after[0] if len(after) else reach) + reach - (before[0] if len(before) else 0) - 1
    return float(values * near.step / near.rate_hz * (sweep.high_hz - sweep.low_hz) / 0.98)


def _phase(values: npt.NDArray[Any], place: float) -> tuple[float, float]:
    """Return the phase at a fractional place, rad, and by how much it turns from value to value."""
    before = int(place)
    turning = float(np.angle(values[before + 1] / values[before]))
    return float(np.angle(values[before])) + (place - before) * turning, turning


def _polarity(radians: float) -> Polarity:
    """Tell from the phase at the peak, which is 0 for a microphone without faults."""
    cosine = math.cos(radians)
    if abs(cosine) < 0.5:
        return "unclear"
    return "upright" if cosine > 0 else "inverted"


def _sigma_s(floor_by_height: float, sweep: Sweep) -> float:
    """Return the standard error of an envelope's peak in noise.

    Source: Woodward, Probability and Information Theory, with Applications to Radar, chapter 6: the RMS
    frequency of the filtered noise, 0.236 of the band, by the pulse's own mean square, 0.0613 of its square.
    """
    band = sweep.high_hz - sweep.low_hz
    return floor_by_height / RAYLEIGH_MEDIAN / (2 * math.pi * 0.26 * band)


def _shown(near: Nearby, first: int) -> npt.NDArray[np.int64]:
    """Return the places of 201 values within 5 ms: enough to draw."""
    places = first + np.rint(np.linspace(-1, 1, 201) * near.steps(0.005)).astype(np.int64)
    return places[(places >= 0) & (places < len(near.values))]
