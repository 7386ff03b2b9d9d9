"""The bars of the platform: what one frame pass, the store and the MCAP exporter may cost."""

from __future__ import annotations

from functools import cache

from benchmarks.harness import Bar, Measured
from benchmarks.platform_frames import FrameTimes, measure_frames, measure_memory


def bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars; the clip they name is `benchmarks.clips.gopro_like_10_s`."""
    return frame_bars(quick=quick)


def frame_bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars of the frame pass; two of them read the same rounds."""

    @cache
    def times() -> FrameTimes:
        return measure_frames(quick=quick)

    def fused() -> Measured:
        return Measured(value=times().fused_over_ffmpeg, figures=times().figures)

    def separate() -> Measured:
        return Measured(value=times().separate_over_fused)

    def memory() -> Measured:
        measured = measure_memory(quick=quick)
        return Measured(value=measured.long_over_short, figures=measured.figures)

    return (
        Bar(
            name="one frame pass, three consumers",
            goal=1.4,
            compare="<=",
            unit="x CPU of ffmpeg -threads 1 -f null",
            measure=fused,
        ),
        Bar(
            name="three passes instead of one",
            goal=2.0,
            compare=">=",
            unit="x CPU of the one pass",
            measure=separate,
        ),
        Bar(
            name=f"peak memory of {'10' if quick else '60'} s of video",
            goal=1.1,
            compare="<=",
            unit=f"x peak memory of {'2' if quick else '10'} s",
            measure=memory,
        ),
    )
