"""Makes a short recording as a GoPro would, with the camera's true path beside it: for the demo and for tests.

The telemetry agrees with the path: the gyroscope is its turning rate, the accelerometer its specific force, CORI
and GRAV its orientation, all on the camera's own microsecond counter, which starts where a real HERO11's did and
leads the first frame as that one did. The pictures are a moving pattern; they do not show the path.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np
import numpy.typing as npt

from handloom.media import Clip, write_clip
from handloom_sensors.gopro.writing import CameraSettings, write_gopro_file
from handloom_sensors.gpmf.hero11 import frame_signals, motion_signals
from handloom_sensors.gpmf.telemetry import Device, Payload
from handloom_sensors.gpmf.writer import Signal, cut_payloads
from handloom_sensors.motion import Motion, random_motion

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

_PAYLOAD_S = 1.001
_IMU_LEAD_US = 2273
_COUNTER_START_US = 998_445_723
"""STMP of the first frame and lead of the motion sensors over it. Source: a HERO11's own file."""


@attrs.frozen(kw_only=True)
class DemoRecording:
    """What the recording is like.

    Attributes:
        duration_s: Length, of all chapters together.
        width: Of the pictures, even.
        height: Of the pictures, even.
        rate: Frames a second.
        imu_rate_hz: Of accelerometer and gyroscope.
        orientation: ORIN of the motion sensors.
        accelerometer_noise: Standard deviation, m/s^2.
        gyroscope_noise: Standard deviation, rad/s.
        chapters: How many files.
        number: Of the recording, 1 to 9999.
        creation_time: ISO 8601, by the camera's clock.
        stamped: Whether STMP is written; cameras before the HERO8 write none.
        seed: Of path and noise.
    """

    duration_s: float = 4.0
    width: int = 640
    height: int = 480
    rate: Fraction = Fraction(60000, 1001)
    imu_rate_hz: float = 199.253
    orientation: str = "ZXY"
    accelerometer_noise: float = 0.02
    gyroscope_noise: float = 0.002
    chapters: int = 1
    number: int = 1
    creation_time: str = "2026-01-01T12:00:00Z"
    stamped: bool = True
    seed: int = 0


@attrs.frozen(kw_only=True)
class DemoFiles:
    """What was written.

    Attributes:
        videos: The chapters, in order.
        trajectory: The camera's true path, TUM format, one line a frame: seconds since the first frame, position
            in metres and quaternion x y z w of T_world_optical; the world's z points up.
    """

    videos: tuple[Path, ...]
    trajectory: Path


def write_demo_recording(folder: Path, demo: DemoRecording | None = None) -> DemoFiles:
    """Write a recording and the path of its camera; the same settings give the same bytes.

    Args:
        folder: Where to; made when it is not there.
        demo: What it is like; None for the default.
    """
    demo = demo or DemoRecording()
    folder.mkdir(parents=True, exist_ok=True)
    motion = random_motion(demo.seed)
    frames = _frames_per_chapter(demo)
    signals = _signals(demo, motion, sum(frames))
    videos = []
    first = 0
    for chapter, count in enumerate(frames):
        payloads = _payloads(demo, signals, first, count, last=chapter == len(frames) - 1)
        videos.append(_write_chapter(folder, demo, chapter, first, count, payloads))
        first += count
    trajectory = folder / f"GX{demo.number:04d}_camera_path.txt"
    _write_trajectory(trajectory, motion, _frame_times(demo, first))
    return DemoFiles(videos=tuple(videos), trajectory=trajectory)


def _frames_per_chapter(demo: DemoRecording) -> list[int]:
    total = max(round(demo.duration_s * demo.rate), demo.chapters)
    return [len(part) for part in np.array_split(np.arange(total), demo.chapters)]


def _frame_times(demo: DemoRecording, frames: int) -> FloatArray:
    """Return when each frame was taken, (frames,) s since the first."""
    times: FloatArray = np.arange(frames, dtype=np.float64) * float(1 / demo.rate)
    return times


def _write_chapter(
    folder: Path, demo: DemoRecording, chapter: int, first: int, count: int, payloads: Sequence[Payload]
) -> Path:
    target = folder / f"GX{chapter + 1:02d}{demo.number:04d}.MP4"
    plain = target.with_suffix(".plain.mp4")
    clip = Clip(
        width=demo.width,
        height=demo.height,
        rate=demo.rate,
        frames=count,
        audio_s=float(count / demo.rate),
        full_range=True,
        first_number=first,
        creation_time=demo.creation_time,
    )
    write_clip(plain, clip)
    settings = CameraSettings(creation_time=demo.creation_time, more={"EISE": "N", "EISA": "N/A", "VFOV": "W"})
    write_gopro_file(plain, payloads, target, settings)
    plain.unlink()
    return target


def _counter_us(seconds: FloatArray) -> Int64Array:
    counter: Int64Array = _COUNTER_START_US + np.rint(seconds * 1e6).astype(np.int64)
    return counter


def _signals(demo: DemoRecording, motion: Motion, frames: int) -> list[Signal]:
    lead_s = _IMU_LEAD_US * 1e-6
    end_s = float(frames / demo.rate)
    imu = np.arange(int((end_s + lead_s) * demo.imu_rate_hz)) / demo.imu_rate_hz - lead_s
    return [*_inertial(demo, motion, imu), *_per_frame(demo, motion, _frame_times(demo, frames))]


def _inertial(demo: DemoRecording, motion: Motion, times_s: FloatArray) -> list[Signal]:
    noise = np.random.default_rng([demo.seed, 1]).standard_normal((2, len(times_s), 3))
    return motion_signals(
        motion.specific_force(times_s) + demo.accelerometer_noise * noise[0],
        motion.angular_velocity(times_s) + demo.gyroscope_noise * noise[1],
        stamps_us=_counter_us(times_s),
        orientation=demo.orientation,
        temperature_c=40.0,
        stamped=demo.stamped,
    )


def _per_frame(demo: DemoRecording, motion: Motion, times_s: FloatArray) -> list[Signal]:
    return frame_signals(
        motion.orientation_since_start(times_s),
        motion.gravity(times_s),
        stamps_us=_counter_us(times_s),
        exposure_s=1 / 480,
        stamped=demo.stamped,
    )


def _payloads(
    demo: DemoRecording, signals: Sequence[Signal], first: int, count: int, *, last: bool
) -> tuple[Payload, ...]:
    """Cut the part of the signals that lies in a chapter into payloads."""
    start_s, end_s = float(first / demo.rate), float((first + count) / demo.rate)
    count_of = max(int(np.ceil((end_s - start_s) / _PAYLOAD_S)), 1)
    starts = _counter_us(start_s + _PAYLOAD_S * np.arange(count_of, dtype=np.float64))
    bounds = _counter_us(np.array([start_s, end_s]))
    device = Device("1", "HERO11 Black")
    begin = None if first == 0 else int(bounds[0])
    stop = None if last else int(bounds[1])
    return cut_payloads(
        {device: [signal.between(begin, stop) for signal in signals]},
        starts_us=starts.tolist(),
        end_us=int(bounds[1]),
    )


def _write_trajectory(path: Path, motion: Motion, times_s: FloatArray) -> None:
    rows = np.concatenate([times_s[:, None], motion.positions(times_s), motion.orientations(times_s)], axis=1)
    lines = [
        "# seconds x y z qx qy qz qw of T_world_optical",
        *(" ".join(f"{v:.9f}" for v in row) for row in rows),
    ]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
