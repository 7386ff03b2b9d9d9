"""Sound as two recorders hear it in a room, made without a line of what is measured against it.

The sweep is evaluated at each recorder's own sample instants, mapped back to true time through its clock, once
for the straight way and once for each mirror image of the loudspeaker: exact fractions of a sample, no filter.
Only the diffuse tail, late and random, is convolved.
"""

from __future__ import annotations

from itertools import product

import attrs
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

SPEED_OF_SOUND_M_PER_S = 343.2
"""In dry air of 20 °C. Source: ISO 9613-1, annex A."""

SWEEP_HZ, SWEEP_S = (440.0, 7000.0), 0.5
"""Source: PolyUMI's sync chirp."""

_TAIL_FROM_S = 0.03


@attrs.frozen(kw_only=True, eq=False)
class Room:
    """A shoebox with a loudspeaker and two microphones.

    Attributes:
        size_m: (3,) inner lengths.
        rt60_s: Time in which its sound falls by 60 dB.
        source_m: (3,) where the loudspeaker is.
        microphones_m: (2, 3) where the microphones are.
    """

    size_m: FloatArray
    rt60_s: float
    source_m: FloatArray
    microphones_m: FloatArray

    def distances_m(self) -> FloatArray:
        """Return (2,) the straight ways."""
        return np.asarray(np.linalg.norm(self.microphones_m - self.source_m, axis=1))

    def reflection(self) -> float:
        """Return what share of pressure a wall sends back. Source: Eyring's formula."""
        volume = float(np.prod(self.size_m))
        area = 2 * float(self.size_m @ np.roll(self.size_m, 1))
        return float(np.sqrt(np.exp(-24 * np.log(10) * volume / (SPEED_OF_SOUND_M_PER_S * area * self.rt60_s))))


def random_room(rng: np.random.Generator) -> Room:
    """Return a room of a laboratory: loudspeaker 0.2 to 1.5 m from one of two microphones 5 to 30 cm apart."""
    size = rng.uniform([3.0, 3.5, 2.4], [7.0, 9.0, 3.2])
    # Drawn again until all are 0.4 m from every wall: few draws, each cheap.
    while True:
        source = rng.uniform(0.5, size - 0.5)
        first = source + rng.uniform(0.2, 1.5) * _direction(rng)
        second = first + rng.uniform(0.05, 0.3) * _direction(rng)
        places = np.stack([source, first, second])
        if (places > 0.4).all() and (places < size - 0.4).all():
            return Room(size_m=size, rt60_s=rng.uniform(0.3, 0.6), source_m=source, microphones_m=places[1:])


def _direction(rng: np.random.Generator) -> FloatArray:
    vector = rng.standard_normal(3)
    return np.asarray(vector / np.linalg.norm(vector))


@attrs.frozen(kw_only=True)
class Recorder:
    """A recorder and its clock.

    Attributes:
        rate_hz: Samples in a second of its own clock.
        drift_ppm: How much faster its clock runs than true time.
        start_s: True time at which it starts; its clock reads 0 then.
        inverted: Whether its microphone is wired the wrong way round.
    """

    rate_hz: int
    drift_ppm: float
    start_s: float
    inverted: bool = False

    def instants_s(self, count: int) -> FloatArray:
        """Return (count,) true times of its samples."""
        return self.start_s + np.arange(count) / self.rate_hz / (1 + self.drift_ppm * 1e-6)

    def reads_s(self, true_s: float) -> float:
        """Return what its clock reads at a true time."""
        return (true_s - self.start_s) * (1 + self.drift_ppm * 1e-6)


def sweep_at(times_s: FloatArray, hertz: tuple[float, float] = SWEEP_HZ, length_s: float = SWEEP_S) -> FloatArray:
    """Return the sweep's pressure (N,) at times (N,) since it began; silence before and after."""
    inside = (times_s >= 0) & (times_s < length_s)
    t = np.where(inside, times_s, 0.0)
    phase = hertz[0] * t + (hertz[1] - hertz[0]) / (2 * length_s) * t**2
    return np.asarray(np.sin(2 * np.pi * phase) * inside)


def heard(
    room: Room,
    microphone: int,
    recorder: Recorder,
    starts_s: tuple[float, ...],
    count: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return (count,) samples of sweeps that begin at true times, as a microphone hears them in the room."""
    sound = np.zeros(count)
    delays, levels = _images(room, microphone)
    tail = _tail(room, microphone, recorder.rate_hz, float(delays[0]), rng)
    for start_s in starts_s:
        # Only the samples between the first arrival and the last can be other than silent.
        first = max(0, int((start_s - recorder.start_s) * recorder.rate_hz) - 10)
        last = min(count, first + int((SWEEP_S + delays[-1] + 0.01) * recorder.rate_hz) + 20)
        times = recorder.instants_s(last)[first:] - start_s
        for delay, level in zip(delays, levels, strict=True):
            sound[first:last] += level * sweep_at(times - delay)
        late = _convolved(sweep_at(times), tail)
        end = min(count, first + len(late))
        sound[first:end] += late[: end - first]
    return -sound if recorder.inverted else sound


def _images(room: Room, microphone: int) -> tuple[FloatArray, FloatArray]:
    """Return delays in s and levels of the straight way and the early mirror images, by delay.

    Source: Allen and Berkley, Image method for efficiently simulating small-room acoustics, 1979.
    """
    axes = []
    for axis in range(3):
        size, place = room.size_m[axis], room.source_m[axis]
        rows = [((1 - 2 * q) * place + 2 * m * size, abs(m - q) + abs(m)) for m in range(-3, 4) for q in (0, 1)]
        axes.append(rows)
    images = np.array([[x[0], y[0], z[0], x[1] + y[1] + z[1]] for x, y, z in product(*axes)])
    ways = np.linalg.norm(images[:, :3] - room.microphones_m[microphone], axis=1)
    delays = ways / SPEED_OF_SOUND_M_PER_S
    levels = room.reflection() ** images[:, 3] / ways
    order = np.argsort(delays)
    early = order[delays[order] < delays[order[0]] + _TAIL_FROM_S]
    return delays[early], levels[early]


def _tail(room: Room, microphone: int, rate_hz: int, direct_s: float, rng: np.random.Generator) -> FloatArray:
    """Return the diffuse rest of the impulse response: noise that falls by 60 dB in `rt60_s`.

    Its power follows from the diffuse field: 16 pi / absorption area against 1 / distance^2 of the straight way.
    Source: Kuttruff, Room Acoustics, 5.1.
    """
    area = 2 * float(room.size_m @ np.roll(room.size_m, 1))
    absorption = area * (1 - room.reflection() ** 2)
    times = np.arange(int((direct_s + _TAIL_FROM_S + room.rt60_s) * rate_hz)) / rate_hz - direct_s
    decay = np.exp(-6.9078 * np.maximum(times, 0) / room.rt60_s)
    power = 16 * np.pi / absorption * 2 * 6.9078 / room.rt60_s / rate_hz * decay**2
    return np.asarray(np.sqrt(power) * (times >= _TAIL_FROM_S) * rng.standard_normal(len(times)))


def _convolved(sound: FloatArray, response: FloatArray) -> FloatArray:
    length = 1 << (len(sound) + len(response) - 1).bit_length()
    whole = np.fft.irfft(np.fft.rfft(sound, length) * np.fft.rfft(response, length), length)
    return np.asarray(whole[: len(sound) + len(response) - 1])


def noise(count: int, rng: np.random.Generator, *, slope: float = 0.0) -> FloatArray:
    """Return (count,) noise of power 1 whose power falls as frequency to the `slope`: 0 is white, 1 pink.

    Below 20 Hz it is flat, so that the power does not sit where no microphone hears.
    """
    length = 1 << (count - 1).bit_length()
    spectrum = np.fft.rfft(rng.standard_normal(length))
    shape = np.maximum(np.fft.rfftfreq(length), 20 / 48_000) ** (-slope / 2)
    made = np.fft.irfft(spectrum * shape, length)[:count]
    return np.asarray(made / made.std())


def with_noise(
    sound: FloatArray,
    snr_db: float,
    rng: np.random.Generator,
    *,
    slope: float = 0.0,
    length_s: float = SWEEP_S,
    rate_hz: int = 16_000,
) -> FloatArray:
    """Add noise at a ratio of powers over the track's full band.

    The signal's power is that of everything the sweep sends to the microphone, echoes included, over the sweep's
    length where it is loudest; the noise's is its mean.
    """
    length = int(length_s * rate_hz)
    energy = np.concatenate([[0.0], np.cumsum(sound**2)])
    power = float((energy[length:] - energy[:-length]).max()) / length
    level = np.sqrt(power * 10 ** (-snr_db / 10))
    return np.asarray(sound + level * noise(len(sound), rng, slope=slope))
