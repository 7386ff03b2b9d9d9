"""One decode pass for several consumers: against bare ffmpeg, against a pass for each, and in how much memory."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs

from benchmarks.clips import gopro_like_2_s, gopro_like_10_s, gopro_like_60_s
from benchmarks.machine import run_ffmpeg
from benchmarks.rounds import interleaved, medians, ratio
from handloom.api import FrameStep, Outputs
from handloom.media import index_video
from handloom.run.frames import run_frames
from handloom.streams import Video
from handloom.testing import MemoryInputs
from handloom_sensors.exposure import Exposure, ExposureConfig
from handloom_sensors.sharpness import Sharpness, SharpnessConfig
from handloom_sensors.thumbnails import Thumbnails, ThumbnailsConfig


@attrs.frozen(kw_only=True)
class FrameTimes:
    """What the passes cost.

    Attributes:
        fused_over_ffmpeg: CPU of one pass with three consumers, over `ffmpeg -threads 1 -f null -`.
        separate_over_fused: CPU of three passes with one consumer each, over the fused pass.
        figures: Medians in CPU seconds, and frames.
    """

    fused_over_ffmpeg: float
    separate_over_fused: float
    figures: Mapping[str, float]


@attrs.frozen(kw_only=True)
class Memory:
    """Peak resident memory of the fused pass, in processes of their own, by length of the video."""

    long_over_short: float
    figures: Mapping[str, float]


def consumers() -> dict[str, FrameStep]:
    """Return three cheap steps: exposure on the 224 px view that policies train on, sharpness, thumbnails."""
    return {
        "exposure": Exposure(ExposureConfig()),
        "sharpness": Sharpness(SharpnessConfig()),
        "thumbnails": Thumbnails(ThumbnailsConfig()),
    }


def frame_pass(video: Video, steps: Mapping[str, FrameStep]) -> None:
    """Decode once for all the steps, as the runner does.

    Raises:
        RuntimeError: A step failed: what it then saves must not count as speed.
    """
    inputs = dict.fromkeys(steps, MemoryInputs(wired={"video": video}))
    results = run_frames(steps, inputs, video, lambda share: None)
    failed = {name: result for name, result in results.items() if not isinstance(result, Outputs)}
    if failed:
        raise RuntimeError(f"The steps of the frame pass failed: {failed}")


def separate_passes(video: Video) -> None:
    """Decode once for each of the steps, as programs of their own would."""
    for name, step in consumers().items():
        frame_pass(video, {name: step})


def measure_frames(*, quick: bool) -> FrameTimes:
    """Measure ffmpeg, the fused pass and the three separate ones on the 10 s clip, in interleaved rounds.

    Quick, on 2 s of it, in one round.
    """
    clip = gopro_like_2_s() if quick else gopro_like_10_s()
    video = index_video((clip,)).video
    contenders: dict[str, Callable[[], object]] = {
        "ffmpeg": lambda: run_ffmpeg("-threads", "1", "-i", str(clip), "-f", "null", "-"),
        "fused": lambda: frame_pass(video, consumers()),
        "separate": lambda: separate_passes(video),
    }
    times = interleaved(contenders, rounds=1 if quick else 3)
    return FrameTimes(
        fused_over_ffmpeg=ratio(times, "fused", "ffmpeg"),
        separate_over_fused=ratio(times, "separate", "fused"),
        figures={**medians(times), "frames": len(video)},
    )


def measure_memory(*, quick: bool) -> Memory:
    """Measure the fused pass's peak memory over 10 s and 60 s of video; quick, over 2 s and 10 s."""
    short, long = (gopro_like_2_s(), gopro_like_10_s()) if quick else (gopro_like_10_s(), gopro_like_60_s())
    figures = {"short_rss_mb": _peak_rss_mb(short), "long_rss_mb": _peak_rss_mb(long)}
    return Memory(long_over_short=figures["long_rss_mb"] / figures["short_rss_mb"], figures=figures)


def _peak_rss_mb(clip: Path) -> float:
    """Return the peak memory of a process that does nothing but the fused pass."""
    command = [sys.executable, "-m", "benchmarks.platform_frames", str(clip)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def own_peak_rss_mb() -> float:
    """Return the most memory this process has had so far."""
    # Not getrusage's ru_maxrss: a child starts with its parent's, since exec folds the old image's peak into it.
    told = re.search(r"^VmHWM:\s*(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    if told is None:
        raise RuntimeError("This system does not tell VmHWM in /proc/self/status; measure memory on Linux.")
    return int(told[1]) / 1024


def main(clip: Path) -> None:
    """Do one fused pass over a clip and print this process's peak memory in MB."""
    frame_pass(index_video((clip,)).video, consumers())
    print(own_peak_rss_mb())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
