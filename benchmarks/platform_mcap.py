"""What exporting a recording to MCAP costs, against remuxing the same file with ffmpeg: a ratio of CPU times.

Our export is measured as the call in a warm process, imports done; the ffmpeg process includes its start, about
20 ms. Both are counted in CPU seconds, user and system, of all threads; rounds are interleaved so that a busy
machine slows both alike.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import attrs
import numpy as np

from benchmarks.machine import run_ffmpeg
from benchmarks.rounds import interleaved, medians, ratio
from handloom.media import has_audio, index_video, read_audio
from handloom.streams import Samples, Stream, StreamType
from handloom.testing import MemoryInputs
from handloom_exporters.mcap import McapConfig, McapExporter

IMU_HZ = 200
GYRO_HZ = 400
POSE_HZ = 60
_CLOCK = "camera"

Compression = Literal["none", "lz4", "zstd"]
_IN_THE_FILE = ("camera.audio", "camera.video")


def measure_mcap(clip: Path, *, rounds: int = 5, compression: Compression = "none") -> dict[str, Any]:
    """Measure the export of a clip, alone and as part of an episode, against `ffmpeg -c copy` of the same file.

    Args:
        clip: An MP4 in H.264 or H.265 without B-frames; 60 Mb/s of 2.7K is what the bar is about.
        rounds: Interleaved rounds; medians are returned.
        compression: Of the MCAP chunks.

    Returns:
        CPU seconds of remuxing, of exporting what the file holds (video and sound) and of exporting an episode
        (IMU at 200 and 400 Hz and poses at 60 Hz as well); `ratio` is episode over remux, `ratio_file` file over
        remux. Sound is decoded beforehand, as a store keeps it.
    """
    episode = _episode(clip)
    file = {name: stream for name, stream in episode.items() if name in _IN_THE_FILE}
    with tempfile.TemporaryDirectory() as folder:
        work: dict[str, Callable[[], object]] = {
            "remux": lambda: _remux(clip, Path(folder) / "remuxed.mp4"),
            "file": lambda: _export(file, Path(folder) / "file.mcap", compression),
            "episode": lambda: _export(episode, Path(folder) / "episode.mcap", compression),
        }
        for run in work.values():
            run()
        times = interleaved(work, rounds=rounds)
        megabytes = (Path(folder) / "episode.mcap").stat().st_size * 1e-6
    return {
        **medians(times),
        "ratio": ratio(times, "episode", "remux"),
        "ratio_file": ratio(times, "file", "remux"),
        "frames": len(episode["camera.video"]),
        "clip_mb": clip.stat().st_size * 1e-6,
        "episode_mb": megabytes,
        "rounds": rounds,
        "compression": compression,
        "imports_counted": False,
    }


def _remux(clip: Path, path: Path) -> None:
    run_ffmpeg("-y", "-i", str(clip), "-map", "0:v", "-map", "0:a?", "-c", "copy", str(path))


def _export(streams: Mapping[str, Stream], path: Path, compression: Compression) -> None:
    inputs = MemoryInputs(wired={"streams": streams}, episode="benchmark")
    McapExporter(McapConfig(compression=compression)).export(inputs, path, lambda share: None)


def _episode(clip: Path) -> dict[str, Stream]:
    """Return the clip's own streams, and IMU and poses over the same time from a seeded generator."""
    video = index_video((clip,)).video
    streams: dict[str, Stream] = {"camera.video": attrs.evolve(video, type=video.type.bind(_CLOCK))}
    if has_audio(clip):
        audio = read_audio((clip,)).samples
        streams["camera.audio"] = attrs.evolve(audio, type=audio.type.bind(_CLOCK))
    random = np.random.default_rng(0)
    start, end = int(video.stamps[0]), int(video.stamps[-1])
    for name, kind, unit, rate_hz, counts in (
        ("acceleration", "acceleration", "m/s^2", IMU_HZ, 417.0),
        ("gyroscope", "angular_velocity", "rad/s", GYRO_HZ, 939.0),
    ):
        stamps = np.arange(start, end, 1_000_000_000 // rate_hz)
        type_ = StreamType(kind=kind, dtype="float64", shape=(3,), unit=unit, frame="imu", clock=_CLOCK)
        # Whole counts of a sensor of 16 bits, as a GoPro's are.
        data = np.rint(counts * random.normal(size=(len(stamps), 3))) / counts
        streams[f"camera.{name}"] = Samples(type=type_, data=data, stamps=stamps)
    stamps = np.arange(start, end, 1_000_000_000 // POSE_HZ)
    poses = np.hstack([random.normal(size=(len(stamps), 3)), np.tile([0.0, 0.0, 0.0, 1.0], (len(stamps), 1))])
    type_ = StreamType(
        kind="pose", dtype="float64", shape=(7,), unit="m", frame="world", body="camera", clock=_CLOCK
    )
    tracked = np.ones(len(stamps), dtype=bool)
    streams["slam.pose"] = Samples(type=type_, data=poses, stamps=stamps, tracked=tracked)
    return dict(sorted(streams.items()))


if __name__ == "__main__":
    for _name, _value in measure_mcap(Path(sys.argv[1])).items():
        sys.stdout.write(f"{_name}: {_value}\n")
