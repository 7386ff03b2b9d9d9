"""Arms that take joint positions: what the law's commands break, and whether the arm stops itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs

from benchmarks.following_fuzz import fuzzed
from benchmarks.harness import Bar, Measured
from handloom_controllers.control.outcome import Outcome

PIPELINES = Path(__file__).resolve().parents[1] / "examples/pipelines"

_FR3 = ("control.reference.speed=1.0", 'controllers.law.kind="cartesian_following"')
_LINEAR = 'control.loop.way.interpolation="linear"'

RUNS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "fr3_cubic": ("sim-track.toml", _FR3),
    "fr3_linear": ("sim-track.toml", (*_FR3, _LINEAR)),
    "qdd7_cubic": ("sim-positions.toml", ()),
    "qdd7_linear": ("sim-positions.toml", (_LINEAR,)),
}
"""The shipped track on position-controlled arms, by name: pipeline, and what is set in it."""


def control_bars(*, quick: bool) -> list[Bar]:
    """Return the bars."""

    @cache
    def outcomes() -> dict[str, Outcome]:
        return {name: followed(name) for name in RUNS}

    return [
        Bar(
            name="position path, fuzzed: position, velocity, acceleration, jerk",
            goal=0,
            compare="<=",
            unit="violations",
            measure=lambda: _broken(50_000 if quick else 1_000_000),
        ),
        Bar(
            name="position path, shipped track: runs that end before the track",
            goal=0,
            compare="<=",
            unit="of 4 runs",
            measure=lambda: _reflexes(outcomes()),
        ),
    ]


def _broken(cycles: int) -> Measured:
    found = fuzzed(cycles)
    figures = {name: float(value) for name, value in attrs.asdict(found.violations).items()}
    return Measured(
        value=float(found.violations.total),
        figures={"cycles": float(found.cycles), "refused": float(found.refused), **figures},
    )


def _reflexes(outcomes: Mapping[str, Outcome]) -> Measured:
    figures = {}
    for name, made in outcomes.items():
        figures[f"{name}_rms_mm"], figures[f"{name}_most_mm"] = made.reference.rms_mm, made.reference.max_mm
    return Measured(value=float(sum(not made.well for made in outcomes.values())), figures=figures)


def followed(name: str) -> Outcome:
    """Follow the shipped track with joint positions, as fast as the simulation can, and say what became of it."""
    from handloom.host import Host
    from handloom_controllers.control.pipeline import load_control
    from handloom_controllers.control.running import run_motion

    file, settings = RUNS[name]
    always = ("control.paced=false", "control.loop.telemetry_every=1", "control.loop.telemetry_room=65536")
    pipeline = load_control(PIPELINES / file, Host(), [*settings, *always])
    with TemporaryDirectory() as folder:
        return run_motion(pipeline, folder=Path(folder), progress=lambda _: None).outcome
