"""The bars of the dataset exporter's cost: pictures of 224 x 224 out of 2.7K video, in how much CPU and memory.

Both contenders write the same pictures: the middle square of the frame, averaged down, one Blosc chunk each.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import attrs

from benchmarks.clips import gopro_like_2_s, gopro_like_10_s, gopro_like_60_s
from benchmarks.export_scene import inputs_of, scene_of
from benchmarks.harness import Bar, Measured
from benchmarks.machine import run_ffmpeg
from benchmarks.platform_frames import own_peak_rss_mb
from benchmarks.rounds import interleaved, medians, ratio
from handloom.media import index_video
from handloom.streams import Video
from handloom_exporters.umi import UmiConfig, UmiExporter

SIZE = 224


@attrs.frozen(kw_only=True)
class ExportTimes:
    """What exporting costs.

    Attributes:
        over_ffmpeg: CPU of the export, over `ffmpeg -threads 1 -f null -` of the same video.
        opencv_over_ours: CPU of decoding, resizing and writing with OpenCV and zarr, over the export.
        figures: Medians in CPU seconds, frames, and the bytes of both files.
    """

    over_ffmpeg: float
    opencv_over_ours: float
    figures: Mapping[str, float]


def bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars; the clip they name is `benchmarks.clips.gopro_like_10_s`."""

    @cache
    def times() -> ExportTimes:
        return measure_export(quick=quick)

    return (
        Bar(
            name="scene exported to a UMI dataset",
            goal=1.25,
            compare="<=",
            unit="x CPU of ffmpeg -threads 1 -f null",
            measure=lambda: Measured(value=times().over_ffmpeg, figures=times().figures),
        ),
        Bar(
            name="the same with OpenCV and zarr",
            goal=1.3,
            compare=">=",
            unit="x CPU of our export",
            measure=lambda: Measured(value=times().opencv_over_ours),
        ),
        Bar(
            name=f"peak memory of the export, {'10' if quick else '60'} s of video",
            goal=1.1,
            compare="<=",
            unit=f"x peak memory, {'2' if quick else '10'} s",
            measure=lambda: measure_memory(quick=quick),
        ),
    )


def measure_export(*, quick: bool) -> ExportTimes:
    """Measure ffmpeg, our export and OpenCV's on the 10 s clip in interleaved rounds; quick, on 2 s in one.

    The video is indexed beforehand, as a store keeps the index.
    """
    clip = gopro_like_2_s() if quick else gopro_like_10_s()
    video = index_video((clip,)).video
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Path(folder) / "ours.zarr.zip", Path(folder) / "theirs.zarr.zip"
        contenders: dict[str, Callable[[], object]] = {
            "ffmpeg": lambda: run_ffmpeg("-threads", "1", "-i", str(clip), "-f", "null", "-"),
            "ours": lambda: export(video, ours),
            "opencv": lambda: run_opencv(clip, theirs),
        }
        times = interleaved(contenders, rounds=1 if quick else 3)
        sizes = {"ours_mb": ours.stat().st_size * 1e-6, "opencv_mb": theirs.stat().st_size * 1e-6}
    return ExportTimes(
        over_ffmpeg=ratio(times, "ours", "ffmpeg"),
        opencv_over_ours=ratio(times, "opencv", "ours"),
        figures={**medians(times), **sizes},
    )


def export(video: Video, path: Path) -> None:
    """Export a video with poses and widths beside it."""
    inputs = scene_of([inputs_of(video, "take")])
    UmiExporter(UmiConfig(image_size=SIZE)).export(inputs, path, lambda share: None)


def run_opencv(clip: Path, path: Path) -> None:
    """Do what a user would write instead, in a process of its own, as its threads and imports are its own."""
    command = [sys.executable, "-m", "benchmarks.preprocessing_export", "opencv", str(clip), str(path)]
    subprocess.run(command, check=True)


def opencv_to_zarr(clip: Path, path: Path) -> None:
    """Decode with VideoCapture, crop, resize by area, write a chunk a frame with zarr 2's format and our codec."""
    import cv2
    import numcodecs
    import zarr

    path.unlink(missing_ok=True)
    capture = cv2.VideoCapture(str(clip))
    frames = int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
    store = zarr.storage.ZipStore(path, mode="w")
    pictures: Any = zarr.create_array(
        store,
        name="data/camera0_rgb",
        shape=(frames, SIZE, SIZE, 3),
        chunks=(1, SIZE, SIZE, 3),
        dtype="uint8",
        zarr_format=2,
        compressors=numcodecs.Blosc("zstd", 1),
    )
    for index in range(frames):
        read, frame = capture.read()
        if not read:
            break
        height, width = frame.shape[:2]
        square = frame[:, (width - height) // 2 : (width + height) // 2]
        small = cv2.resize(square, (SIZE, SIZE), interpolation=cv2.INTER_AREA)
        pictures[index] = cv2.cvtColor(small, cv2.COLOR_BGR2RGB)
    store.close()


def measure_memory(*, quick: bool) -> Measured:
    """Measure the export's peak memory, in processes of their own, over 10 s and 60 s; quick, 2 s and 10 s."""
    short, long = (gopro_like_2_s(), gopro_like_10_s()) if quick else (gopro_like_10_s(), gopro_like_60_s())
    figures = {"short_rss_mb": _peak_rss_mb(short), "long_rss_mb": _peak_rss_mb(long)}
    return Measured(value=figures["long_rss_mb"] / figures["short_rss_mb"], figures=figures)


def _peak_rss_mb(clip: Path) -> float:
    command = [sys.executable, "-m", "benchmarks.preprocessing_export", "export", str(clip)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)


def main(what: str, clip: Path, *rest: str) -> None:
    """Do one thing in this process: OpenCV's export, or ours with this process's peak memory in MB printed."""
    if what == "opencv":
        opencv_to_zarr(clip, Path(rest[0]))
        return
    with tempfile.TemporaryDirectory() as folder:
        export(index_video((clip,)).video, Path(folder) / "set.zarr.zip")
    print(own_peak_rss_mb())


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
