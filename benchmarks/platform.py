"""The bars of the platform: what one frame pass, the store and the MCAP exporter may cost."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from benchmarks.clips import gopro_like_10_s
from benchmarks.harness import Bar, Measured
from benchmarks.platform_frames import FrameTimes, measure_frames, measure_memory
from benchmarks.platform_mcap import measure_mcap
from benchmarks.platform_store import measure_store


def bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars; the clip they name is `benchmarks.clips.gopro_like_10_s`."""
    return (*frame_bars(quick=quick), memory_bar(quick=quick), *store_bars(quick=quick), mcap_bar(quick=quick))


def frame_bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars of the frame pass; both read the same rounds."""

    @cache
    def times() -> FrameTimes:
        return measure_frames(quick=quick)

    return (
        Bar(
            name="one frame pass, three consumers",
            goal=1.4,
            compare="<=",
            unit="x CPU of ffmpeg -threads 1 -f null",
            measure=lambda: Measured(value=times().fused_over_ffmpeg, figures=times().figures),
        ),
        Bar(
            name="three passes instead of one",
            goal=2.0,
            compare=">=",
            unit="x CPU of the one pass",
            measure=lambda: Measured(value=times().separate_over_fused),
        ),
    )


def memory_bar(*, quick: bool) -> Bar:
    """Return the bar that memory does not grow with the length of a video."""

    def measured() -> Measured:
        memory = measure_memory(quick=quick)
        return Measured(value=memory.long_over_short, figures=memory.figures)

    return Bar(
        name=f"peak memory, {'10' if quick else '60'} s of video",
        goal=1.1,
        compare="<=",
        unit=f"x peak memory, {'2' if quick else '10'} s",
        measure=measured,
    )


def store_bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars of the store: an episode written, an episode read; both read the same rounds.

    Held to CPU time like the others; the wall time, which includes waiting for the disk, is among the figures.
    """

    @cache
    def found() -> Mapping[str, float]:
        return measure_store(rounds=2 if quick else 7)

    return (
        Bar(
            name="episode written to the store",
            goal=1.3,
            compare="<=",
            unit="x CPU of the same arrays in plain zarr",
            measure=lambda: _picked(found(), "write_ratio"),
        ),
        Bar(
            name="episode read from the store",
            goal=1.3,
            compare="<=",
            unit="x CPU of the same arrays in plain zarr",
            measure=lambda: Measured(value=found()["read_ratio"]),
        ),
    )


def mcap_bar(*, quick: bool) -> Bar:
    """Return the bar of the MCAP exporter."""
    return Bar(
        name="episode exported to MCAP",
        goal=2.0,
        compare="<=",
        unit="x CPU of ffmpeg -c copy",
        measure=lambda: _picked(measure_mcap(gopro_like_10_s(), rounds=2 if quick else 5), "ratio"),
    )


def _picked(found: Mapping[str, Any], name: str) -> Measured:
    """Return one figure of several as the measured one, the numbers among the others standing behind it."""
    figures = {key: float(value) for key, value in found.items() if type(value) in {int, float}}
    return Measured(value=figures.pop(name), figures=figures)
