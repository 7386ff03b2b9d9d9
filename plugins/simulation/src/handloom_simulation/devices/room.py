"""A box-shaped room: the paths from a source to a microphone, and the reverberation after them."""

from __future__ import annotations

from itertools import product

import attrs
import numpy as np
import numpy.typing as npt

from handloom_simulation.devices.sound_settings import SoundSettings

FloatArray = npt.NDArray[np.float64]

_DECAY = 3 * np.log(10)
"""Amplitudes fall by 60 dB within one reverberation time."""

_LATE_S = 0.012
"""After this the noise of the late reverberation takes over from single reflections."""


@attrs.frozen(kw_only=True, eq=False)
class Paths:
    """Ways from a source to a microphone, the straight one first.

    Attributes:
        distances_m: (P,).
        gains: (P,) amplitude of each, 1 at the reference distance.
    """

    distances_m: FloatArray
    gains: FloatArray


def wall_reflection(settings: SoundSettings) -> float:
    """Return the share of amplitude that each wall reflects, from the reverberation time.

    Source: Eyring, "Reverberation time in 'dead' rooms", JASA 1 (1930): T = 0.161 V / (-S ln(1 - a)).
    """
    if not settings.rt60_s:
        return 0.0
    volume, surface = _size(settings)
    return float(np.sqrt(np.exp(-0.161 * volume / (surface * settings.rt60_s))))


def _size(settings: SoundSettings) -> tuple[float, float]:
    x, y, z = np.subtract(settings.room_m[1], settings.room_m[0])
    return float(x * y * z), float(2 * (x * y + y * z + z * x))


def air_paths(source: FloatArray, microphone: FloatArray, settings: SoundSettings) -> Paths:
    """Return the straight path and the reflections up to the settings' order.

    Source: Allen, Berkley, "Image method for efficiently simulating small-room acoustics", JASA 65 (1979).

    Args:
        source: (3,) m in world.
        microphone: (3,) m in world.
        settings: Room and levels.
    """
    orders = range(-settings.reflections, settings.reflections + 1) if settings.rt60_s else range(1)
    bounces = [each for each in product(orders, repeat=3) if sum(map(abs, each)) <= settings.reflections]
    bounces.sort(key=lambda each: (sum(map(abs, each)), each))
    lower, upper = np.array(settings.room_m)
    images = np.array([_mirrored(source, np.array(each), lower, upper) for each in bounces])
    distances = np.linalg.norm(images - microphone, axis=1)
    gains = wall_reflection(settings) ** np.abs(bounces).sum(axis=1) if len(bounces) > 1 else np.ones(1)
    gains = gains * settings.reference_m / np.maximum(distances, 0.01)
    gains[0] *= settings.direct_level
    return Paths(distances_m=distances, gains=gains)


def _mirrored(
    source: FloatArray, bounces: npt.NDArray[np.int64], lower: FloatArray, upper: FloatArray
) -> FloatArray:
    """Return a source mirrored as often along each axis as asked, from the upper wall on if positive."""
    size = upper - lower
    odd = bounces % 2 == 1
    image: FloatArray = lower + bounces * size + np.where(odd, upper - source, source - lower)
    return image


def late_reverberation(rate_hz: float, settings: SoundSettings, rng: np.random.Generator) -> FloatArray:
    """Return the impulse response of what comes after the reflections: decaying noise, (N,), sampled evenly.

    Its energy is what a diffuse field has against the sound at the reference distance, without the share that
    falls before it begins.

    Source: Kuttruff, "Room Acoustics", section 5.1: the reverberation radius.
    """
    if not settings.rt60_s:
        return np.zeros(0)
    surface = _size(settings)[1]
    absorbed = 1 - wall_reflection(settings) ** 2
    diffuse = 16 * np.pi * settings.reference_m**2 * (1 - absorbed) / (absorbed * surface)
    times_s = np.arange(int(settings.rt60_s * rate_hz)) / rate_hz
    envelope = np.exp(-_DECAY * times_s / settings.rt60_s) * (times_s >= _LATE_S)
    noise = rng.standard_normal(len(times_s)) * envelope
    # The whole decay integrates to rt60 / (2 * _DECAY); scaled so that noise from 0 on would hold all the energy.
    whole = rate_hz * settings.rt60_s / (2 * _DECAY)
    tail: FloatArray = noise * np.sqrt(diffuse / whole)
    return tail
