"""Sounds that are no sync chirp: what a search must not take for one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from benchmarks.sync_rooms import noise, sweep_at

FloatArray = npt.NDArray[np.float64]


def impostors() -> Mapping[str, Callable[[int, int, np.random.Generator], FloatArray]]:
    """Return makers of (count,) samples at a rate in Hz, by name."""
    return {
        "hush": lambda count, rate, rng: 3e-5 * np.rint(rng.normal(0, 0.6, count)),
        "white noise": lambda count, rate, rng: 0.1 * noise(count, rng),
        "pink noise": lambda count, rate, rng: 0.1 * noise(count, rng, slope=1.0),
        "bursts of noise": _bursts,
        "speech": _speech,
        "knocks": _knocks,
        "knocks in digital silence": lambda count, rate, rng: _knocks(count, rate, rng, floor=0.0),
        "tones": _tones,
        "sweeps of other slopes": _sweeps,
        "the sweep backwards": _backwards,
    }


def _times(count: int, rate: int) -> FloatArray:
    return np.asarray(np.arange(count) / rate)


def _bursts(count: int, rate: int, rng: np.random.Generator) -> FloatArray:
    """Return noise that is switched on and off: cloth, taps, a vacuum cleaner."""
    edges = np.sort(rng.uniform(0, count / rate, 24))
    on = np.searchsorted(edges, _times(count, rate)) % 2
    return 0.3 * on * noise(count, rng, slope=float(rng.uniform(0, 1.5))) + 1e-4 * noise(count, rng)


def _speech(count: int, rate: int, rng: np.random.Generator) -> FloatArray:
    """Return voiced and hissed syllables: harmonics of a gliding pitch under three gliding formants."""
    times, sound = _times(count, rate), 1e-3 * noise(count, rng, slope=1.0)
    start = 0.0
    while start < times[-1]:
        length = rng.uniform(0.08, 0.5)
        inside = (times >= start) & (times < start + length)
        t = times[inside] - start
        window = np.sin(np.pi * t / length) ** 0.5
        if rng.random() < 0.75:
            sound[inside] += 0.2 * window * _voice(t, length, rate, rng)
        elif len(t) > 1:
            sound[inside] += 0.05 * window * noise(len(t), rng, slope=-0.5)
        start += length + rng.exponential(0.08)
    return sound


def _voice(t: FloatArray, length: float, rate: int, rng: np.random.Generator) -> FloatArray:
    pitch = rng.uniform(90, 260) * (1 + rng.uniform(-0.4, 0.4) * t / length)
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    low, high = np.array([300, 900, 2300]), np.array([800, 2200, 3500])
    begin, end = rng.uniform(low, high), rng.uniform(low, high)
    sound = np.zeros(len(t))
    for harmonic in range(1, 40):
        hertz = harmonic * pitch
        level = sum(
            1 / (1 + ((hertz - a - (b - a) * t / length) / 90) ** 2) for a, b in zip(begin, end, strict=True)
        )
        sound += level / harmonic**0.5 * np.sin(harmonic * phase) * (hertz < 0.45 * rate)
    return sound


def _knocks(count: int, rate: int, rng: np.random.Generator, floor: float = 1e-3) -> FloatArray:
    """Return blows on things that ring: a click and a few modes that die out."""
    times, sound = _times(count, rate), floor * noise(count, rng)
    for start in rng.uniform(0, times[-1], int(rng.integers(3, 40))):
        t = times[times >= start] - start
        for hertz in rng.uniform(100, 0.45 * rate, 5):
            decay = rng.uniform(0.002, 0.15)
            sound[-len(t) :] += 0.2 * rng.random() * np.exp(-t / decay) * np.sin(2 * np.pi * hertz * t)
        sound[len(sound) - len(t)] += rng.uniform(0, 0.8)
    return sound


def _tones(count: int, rate: int, rng: np.random.Generator) -> FloatArray:
    """Return chords with vibrato, each of some length: music, alarms, the hum of mains."""
    times, sound = _times(count, rate), 1e-3 * noise(count, rng)
    sound += 0.02 * np.sin(2 * np.pi * 50 * times)
    start = 0.0
    while start < times[-1]:
        length = rng.uniform(0.1, 1.5)
        inside = (times >= start) & (times < start + length)
        t = times[inside] - start
        for hertz in rng.uniform(200, 7000, int(rng.integers(1, 5))):
            wobble = rng.uniform(0, 0.03) * hertz / 30 * np.sin(2 * np.pi * 5 * t)
            sound[inside] += 0.1 * np.sin(2 * np.pi * hertz * t + wobble)
        start += length
    return sound


def _sweeps(count: int, rate: int, rng: np.random.Generator) -> FloatArray:
    """Return sweeps over other bands and lengths, so of other slopes, straight and exponential: sirens, birds."""
    times, sound = _times(count, rate), 10 ** rng.uniform(-5, -2) * noise(count, rng)
    for start in np.arange(0.5, times[-1] - 2, 2.0):
        hertz, length = rng.uniform(200, 7500, 2), rng.uniform(0.15, 1.8)
        if abs((hertz[1] - hertz[0]) / length / 13_120 - 1) < 0.03:
            length *= 1.2
        t = times - start
        if rng.random() < 0.5:
            sound += 0.3 * sweep_at(t, (hertz[0], hertz[1]), length)
        else:
            grow = np.log(hertz[1] / hertz[0]) / length
            inside = (t >= 0) & (t < length)
            phase = hertz[0] / grow * np.expm1(grow * np.where(inside, t, 0.0))
            sound += 0.3 * inside * np.sin(2 * np.pi * phase)
    return sound


def _backwards(count: int, rate: int, rng: np.random.Generator) -> FloatArray:
    """Return the sync sweep run the other way, or at another speed."""
    sound = 10 ** rng.uniform(-5, -1) * noise(count, rng)
    times = _times(count, rate) - rng.uniform(1, count / rate - 2)
    if rng.random() < 0.5:
        return sound + 0.3 * sweep_at(times, (7000.0, 440.0))
    return sound + 0.3 * sweep_at(times, (440.0, 7000.0), 0.5 * rng.choice([0.5, 0.8, 0.9, 1.1, 1.25, 2.0]))
