"""How far blocks of contact audio are from the truth after ten minutes: devices with clocks of their own.

The sound's samples say their own number (float32 holds 16 million exactly), so a block tells which samples it has.
Camera and microphone run on clocks with offsets and drifts of up to 50 ppm; the step sees their stamps only, and a
clock map as a sync step makes it from two chirps, each heard 5 µs wrong.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np

from benchmarks.harness import Bar, Measured
from handloom.api import Rig
from handloom.streams import AUDIO, VIDEO, Samples, Video, VideoFile
from handloom.testing import MemoryInputs
from handloom.time import ClockMap, ClockMaps
from handloom_sensors.contact_audio import ContactAudio, ContactAudioConfig

FPS = Fraction(60_000, 1001)
RATE_HZ = 16_000
MINUTES = 10
CHIRP_ERROR_NS = 5_000
ASSUMED_SAMPLES, ASSUMED_RATE_HZ = 800, 48_000
"""What a block of sound a frame is in ManiWAV, whatever the frame rate."""


@attrs.frozen(kw_only=True)
class Lab:
    """Two devices and the truth about their clocks."""

    gopro: ClockMap
    pi: ClockMap
    frames_ns: np.ndarray[tuple[int], np.dtype[np.int64]]
    sound_start_ns: int

    def fitted(self, random: np.random.Generator, *, error_ns: int) -> ClockMap:
        """Return the map that chirps at both ends give."""
        heard = np.array([2_000_000_000, MINUTES * 60_000_000_000 - 2_000_000_000])
        wrong = random.integers(-error_ns, error_ns + 1, 2)
        source, target = self.gopro.apply(heard), self.pi.apply(heard) + wrong
        span, offset = int(source[1] - source[0]), int(target[0] - source[0])
        drift_ppm = (int(target[1] - target[0]) - span) / span * 1e6
        return ClockMap(
            source="gopro", target="pi", offset_ns=offset, origin_ns=int(source[0]), drift_ppm=drift_ppm
        )


def lab(random: np.random.Generator) -> Lab:
    """Return devices with clocks of their own."""
    maps = [
        ClockMap(
            source="sim",
            target=target,
            offset_ns=int(random.integers(-(10**12), 10**12)),
            drift_ppm=float(random.uniform(-50, 50)),
        )
        for target in ("gopro", "pi")
    ]
    count = int(MINUTES * 60 * FPS)
    frames = np.array([round(number * 10**9 / FPS) for number in range(count)], np.int64) + 20_000_000
    return Lab(gopro=maps[0], pi=maps[1], frames_ns=frames, sound_start_ns=int(random.integers(-(10**9), 0)))


@attrs.frozen(kw_only=True)
class Found:
    """How far blocks are off.

    Attributes:
        worst: Most samples between a block's last one and the true last one at or before its instant.
        last: The same of the last frame.
        exact_share: Share of blocks that are off by none.
        anchor: Most samples, and parts of one, by which the clock map misses an instant.
    """

    worst: int
    last: int
    exact_share: float
    anchor: float


def errors(seed: int) -> Found:
    """Cut the blocks of one pair of devices and hold them against the truth."""
    random = np.random.default_rng(seed)
    truth = lab(random)
    stamps, known = truth.gopro.apply(truth.frames_ns), truth.fitted(random, error_ns=CHIRP_ERROR_NS)
    inputs = MemoryInputs(
        wired={"audio": _sound(truth), "video": _video(stamps)}, rig=Rig(clock_maps=ClockMaps((known,)))
    )
    blocks = ContactAudio(ContactAudioConfig()).run(inputs, lambda _: None).streams["blocks"]
    assert isinstance(blocks, Samples)
    # By the truth alone: time on the microphone's clock since its first sample, in whole samples.
    instants = truth.pi.apply(truth.frames_ns)
    due = (instants - int(truth.pi.apply(truth.sound_start_ns))) * RATE_HZ // 10**9
    off = np.abs(blocks.data[:, -1].astype(np.int64) - due)
    missed_ns = np.abs(known.apply(stamps) - instants).max()
    return Found(
        worst=int(off.max()),
        last=int(off[-1]),
        exact_share=float((off == 0).mean()),
        anchor=float(missed_ns * 1e-9 * RATE_HZ),
    )


def _sound(truth: Lab) -> Samples:
    count = (MINUTES * 60 + 3) * RATE_HZ
    start = int(truth.pi.apply(truth.sound_start_ns))
    knots = np.array([[0, start], [count, start + count * 10**9 // RATE_HZ]], np.int64)
    data = np.arange(count, dtype=np.float32)[:, None]
    return Samples(type=attrs.evolve(AUDIO, shape=(1,), clock="pi"), data=data, knots=knots)


def _video(stamps: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Video:
    return Video(
        type=attrs.evolve(VIDEO, shape=(48, 64, 3), clock="gopro"),
        files=(VideoFile(path=Path("none.mp4"), first_frame=0, time_base=(1, 1), start_ns=0),),
        pts=np.arange(len(stamps)),
        stamps=stamps,
        keyframes=np.ones(len(stamps), np.bool_),
    )


def bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bar; beside it stands how far blocks of 800 samples a frame slip in the same time."""

    def measured() -> Measured:
        found = [errors(seed) for seed in range(2 if quick else 10)]
        slip_s = MINUTES * 60 * (1 - float(ASSUMED_SAMPLES * FPS / ASSUMED_RATE_HZ))
        figures = {
            "last_frame_off_samples": max(one.last for one in found),
            "exact_share": min(one.exact_share for one in found),
            "clock_map_off_samples": max(one.anchor for one in found),
            "slip_of_800_a_frame_ms": slip_s * 1e3,
            "slip_of_800_a_frame_samples": slip_s * ASSUMED_RATE_HZ,
        }
        return Measured(value=max(one.worst for one in found), figures=figures)

    return (
        Bar(
            name=f"contact audio blocks after {MINUTES} min at 59.94 fps",
            goal=1.0,
            compare="<=",
            unit="samples from the truth",
            measure=measured,
        ),
    )
