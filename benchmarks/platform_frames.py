"""One decode pass for several consumers: against bare ffmpeg, against a pass for each, and in how much memory."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path

import attrs
import numpy as np

from benchmarks.clips import FRAMES_10_S, gopro_like_10_s, gopro_like_60_s
from benchmarks.machine import run_ffmpeg
from benchmarks.rounds import interleaved, medians, ratio
from handloom.media import View, Views, decode, index_video
from handloom.streams import Video

QUICK_FRAMES = 120


@attrs.frozen(kw_only=True)
class Consumer:
    """Something that looks at every frame, as a frame step does."""

    views: Mapping[str, View]
    look: Callable[[int, Views], object]


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


def consumers() -> dict[str, Consumer]:
    """Return three cheap ones: what a policy sees, how sharp the picture is, a thumbnail each second."""
    return {
        "policy_view": Consumer(
            views={"rgb": View(format="rgb", width=224, height=224)},
            look=lambda index, views: views.rgb.copy(),
        ),
        "sharpness": Consumer(
            views={"gray": View(format="gray", width=338, height=190)},
            look=lambda index, views: _sharpness(views.gray),
        ),
        "thumbnail": Consumer(
            views={"rgb": View(format="rgb", width=320, height=180)},
            look=lambda index, views: views.rgb.copy() if index % 60 == 0 else None,
        ),
    }


def _sharpness(gray: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> float:
    """Return the variance of the 4-neighbour Laplacian of a grey picture (H, W)."""
    g = gray.astype(np.int16)
    laplacian = g[:-2, 1:-1] + g[2:, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:] - 4 * g[1:-1, 1:-1]
    return float(laplacian.var())


def frame_pass(video: Video, wanted: Mapping[str, Consumer], frames: int | None) -> int:
    """Decode once, showing every frame to each consumer under its own names; return how many frames there were."""
    views = {f"{name}.{view}": shape for name, one in wanted.items() for view, shape in one.views.items()}
    count = 0
    for index, _stamp, pictures in islice(decode(video, views), frames):
        for name, one in wanted.items():
            one.look(index, Views({view: pictures[f"{name}.{view}"] for view in one.views}))
        count += 1
    return count


def measure_frames(*, quick: bool) -> FrameTimes:
    """Measure ffmpeg, the fused pass and the three separate ones on the 10 s clip, in interleaved rounds."""
    clip = gopro_like_10_s()
    frames = QUICK_FRAMES if quick else FRAMES_10_S
    video = index_video((clip,)).video
    cheap = consumers()
    bare = ("-threads", "1", "-i", str(clip), "-frames:v", str(frames), "-f", "null", "-")
    contenders: dict[str, Callable[[], object]] = {
        "ffmpeg": lambda: run_ffmpeg(*bare),
        "fused": lambda: frame_pass(video, cheap, frames),
        "separate": lambda: [frame_pass(video, {name: one}, frames) for name, one in cheap.items()],
    }
    times = interleaved(contenders, rounds=1 if quick else 3)
    return FrameTimes(
        fused_over_ffmpeg=ratio(times, "fused", "ffmpeg"),
        separate_over_fused=ratio(times, "separate", "fused"),
        figures={**medians(times), "frames": frames},
    )


def measure_memory(*, quick: bool) -> Memory:
    """Measure the fused pass's peak memory over 10 s and 60 s of video; quick, over 2 s and 10 s of it."""
    short = _peak_rss_mb(gopro_like_10_s(), QUICK_FRAMES if quick else None)
    long = _peak_rss_mb(gopro_like_10_s() if quick else gopro_like_60_s(), None)
    return Memory(long_over_short=long / short, figures={"short_rss_mb": short, "long_rss_mb": long})


def _peak_rss_mb(clip: Path, frames: int | None) -> float:
    """Return the peak memory of a process that does nothing but the fused pass."""
    command = [sys.executable, "-m", "benchmarks.platform_frames", str(clip), *([str(frames)] if frames else [])]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def _own_peak_rss_mb() -> float:
    # Not getrusage's ru_maxrss: a child starts with its parent's, since exec folds the old image's peak into it.
    told = re.search(r"^VmHWM:\s*(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    if told is None:
        raise RuntimeError("This system does not tell VmHWM in /proc/self/status; measure memory on Linux.")
    return int(told[1]) / 1024


def main(words: Iterator[str]) -> None:
    """Do one fused pass over the clip of the first argument and print this process's peak memory in MB."""
    clip = Path(next(words))
    frames = next(words, None)
    frame_pass(index_video((clip,)).video, consumers(), int(frames) if frames else None)
    print(_own_peak_rss_mb())


if __name__ == "__main__":
    main(iter(sys.argv[1:]))
