"""What each microphone of the gripper hears, evaluated at the very instants at which it samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from zlib import crc32

import numpy as np
import numpy.typing as npt

from handloom.geometry import pose
from handloom_simulation.devices.clocks import Sampling
from handloom_simulation.devices.interpolation import values_at
from handloom_simulation.devices.room import air_paths, late_reverberation
from handloom_simulation.devices.sound_settings import SoundSettings
from handloom_simulation.devices.sources import Source, sources_of
from handloom_simulation.gripper import MOUNTED
from handloom_simulation.take import Take

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

MICROPHONES: Mapping[str, str] = MappingProxyType(
    {"camera": "camera_microphone", "air": "air_microphone", "piezo": "tcp"}
)
"""Where each microphone sits, by the names of `gripper.MOUNTED`; the contact microphone is behind a finger pad."""

_REVERBERATION_HZ = 24_000
_BLOCK = 1 << 16


def record_sound(
    take: Take, microphone: str, sampling: Sampling, *, settings: SoundSettings, seed: int
) -> FloatArray:
    """Return what a microphone records, (sampling.count,), full scale at 1 and clipped there.

    Args:
        take: The truth.
        microphone: "camera", "air" or "piezo".
        sampling: Its samples' instants.
        settings: How the lab sounds.
        seed: Of room and noise; the sounds themselves are the same in all microphones.
    """
    sources = sources_of(take, settings, seed)
    times_s = sampling.instants_s()
    heard = np.zeros(len(times_s))
    for source in sources:
        heard += _heard(take, source, microphone, times_s, settings)
    own = np.random.default_rng([seed, 302, crc32(microphone.encode())])
    if microphone != "piezo" and settings.rt60_s:
        heard += _reverberation(take, sources, times_s, settings, own)
    heard += own.standard_normal(len(times_s)) * noise_rms(microphone, settings)
    return np.clip(heard, -1.0, 1.0, out=heard)


def noise_rms(microphone: str, settings: SoundSettings) -> float:
    """Return the RMS of a microphone's noise; in air it is that of the chirp, lowered by the settings' SNR."""
    if microphone == "piezo":
        return settings.piezo_noise
    distance = np.linalg.norm(np.subtract(MOUNTED["speaker"][:3], MOUNTED[MICROPHONES[microphone]][:3]))
    chirp_rms = settings.chirp_level * settings.reference_m / distance / np.sqrt(2)
    return float(chirp_rms * 10 ** (-settings.snr_db / 20))


def arrival_ns(take: Take, microphone: str, settings: SoundSettings) -> FloatArray:
    """Return when each chirp's first sample arrives by the straight path, (chirps,) ns of simulation time."""
    delay_s = travel_s(microphone, settings)
    arrivals: FloatArray = np.array(take.chirps, np.float64) + delay_s * 1e9
    return arrivals


def travel_s(microphone: str, settings: SoundSettings) -> float:
    """Return how long the chirp takes from the loudspeaker to a microphone, s, the straight way."""
    distance = np.linalg.norm(np.subtract(MOUNTED["speaker"][:3], MOUNTED[MICROPHONES[microphone]][:3]))
    through_air = microphone != "piezo"
    return float(distance / (settings.speed_m_per_s if through_air else settings.structure_speed_m_per_s))


def _heard(
    take: Take, source: Source, microphone: str, times_s: FloatArray, settings: SoundSettings
) -> FloatArray:
    """Return one source as it arrives over every path; the gripper stands still while sound crosses the room."""
    heard = np.zeros(len(times_s))
    start = np.array([round(source.start_s * 1e9)]).clip(take.stamps[0], take.stamps[-1])
    T_world_gripper = take.pose_at("gripper", start)[0]
    mic = pose.transform_points(T_world_gripper, MOUNTED[MICROPHONES[microphone]][:3])
    place = _place(source, T_world_gripper)
    if microphone == "piezo":
        delays = [float(np.linalg.norm(place - mic)) / settings.structure_speed_m_per_s]
        gains = [source.piezo_level]
    else:
        paths = air_paths(place, mic, settings)
        delays = (paths.distances_m / settings.speed_m_per_s).tolist()
        gains = (paths.gains * source.level).tolist()
    for delay_s, gain in zip(delays, gains, strict=True):
        begins = source.start_s + delay_s
        first, last = np.searchsorted(times_s, [begins, begins + source.duration_s])
        for block in _blocks(int(first), int(last)):
            heard[block] += gain * source.waveform(times_s[block] - begins)
    return heard


def _place(source: Source, T_world_gripper: FloatArray) -> FloatArray:
    here = np.asarray(source.place)
    return here if source.body == "world" else pose.transform_points(T_world_gripper, here)


def _blocks(first: int, last: int) -> Sequence[slice]:
    return [slice(start, min(start + _BLOCK, last)) for start in range(first, last, _BLOCK)]


def _reverberation(
    take: Take, sources: Sequence[Source], times_s: FloatArray, settings: SoundSettings, rng: np.random.Generator
) -> FloatArray:
    """Return the late reverberation of all sources, made on an even grid of its own and read at the instants."""
    from scipy.signal import oaconvolve

    tail = late_reverberation(_REVERBERATION_HZ, settings, rng)
    count = int(int(take.stamps[-1]) * 1e-9 * _REVERBERATION_HZ) + 1
    grid_s = np.arange(count) / _REVERBERATION_HZ
    dry = np.zeros(count)
    for source in sources:
        first, last = np.searchsorted(grid_s, [source.start_s, source.start_s + source.duration_s])
        for block in _blocks(int(first), int(last)):
            dry[block] += source.level * source.waveform(grid_s[block] - source.start_s)
    if not dry.any():
        return np.zeros(len(times_s))
    return values_at(oaconvolve(dry, tail)[:count], _REVERBERATION_HZ, times_s)
