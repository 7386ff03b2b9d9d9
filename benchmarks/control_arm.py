"""The simulated arm under the impedance law: how fast a cycle is, how well it tracks, how hard it touches."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from benchmarks.control_arm_contact import contact_bars
from benchmarks.control_arm_speed import CYCLES, speed_rounds
from benchmarks.control_arm_tracking import Tracked, tracked
from benchmarks.harness import Bar, Measured
from benchmarks.rounds import Times, medians, ratio


def control_bars(*, quick: bool) -> list[Bar]:
    """Return the bars of the simulated arm."""
    return [*_speed_bars(quick=quick), *_tracking_bars(quick=quick), *contact_bars(quick=quick)]


def _speed_bars(*, quick: bool) -> list[Bar]:
    @cache
    def rounds() -> Times:
        return speed_rounds(rounds=3 if quick else 9)

    def real_time() -> float:
        return CYCLES * 1e-3 / medians(rounds())["cpp_cpu_s"]

    return [
        Bar(
            name="control and physics in a Python loop on the same mjData",
            goal=8.0,
            compare=">=",
            unit="x CPU of the C++ loop",
            measure=lambda: Measured(
                value=ratio(rounds(), "python", "cpp"),
                figures={**medians(rounds()), "cycles": CYCLES},
            ),
        ),
        Bar(
            name="control and physics in C++ against the clock",
            goal=50.0,
            compare=">=",
            unit="x real time",
            measure=lambda: Measured(value=real_time()),
        ),
    ]


def _tracking_bars(*, quick: bool) -> list[Bar]:
    seconds = 10.0 if quick else 20.0

    @cache
    def both() -> tuple[Tracked, Tracked]:
        return tracked(feed_forward=True, seconds=seconds), tracked(feed_forward=False, seconds=seconds)

    def figures() -> Mapping[str, float]:
        names = ("with", "without")
        rms = {f"{name}_rms_mm": 1e3 * each.rms_m for name, each in zip(names, both(), strict=True)}
        return rms | {f"{name}_lag_ms": 1e3 * each.lag_s for name, each in zip(names, both(), strict=True)}

    return [
        Bar(
            name="error of a chirp of 0.1 to 1 Hz and 30 mm, with feed-forward",
            goal=0.4,
            compare="<=",
            unit="x RMS without",
            measure=lambda: Measured(value=both()[0].rms_m / both()[1].rms_m, figures=figures()),
        ),
        Bar(
            name="lag behind the same chirp, with feed-forward",
            goal=0.35,
            compare="<=",
            unit="x lag without",
            measure=lambda: Measured(value=both()[0].lag_s / both()[1].lag_s),
        ),
    ]
