"""Hold a suite of measurements against its bars: one row a bar, and exit code 1 when one falls short."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import attrs

from benchmarks.machine import machine

RESULTS = Path(__file__).parent / "results"


@attrs.frozen(kw_only=True)
class Measured:
    """A figure, and the figures it was made of.

    Attributes:
        value: What is held against the goal, in the bar's unit.
        figures: What stands behind it, by a name that carries its unit: "ffmpeg_cpu_s".
    """

    value: float
    figures: Mapping[str, float] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class Bar:
    """One promise.

    Attributes:
        name: What is measured.
        goal: What it must reach.
        compare: Whether the measured figure must stay at or below the goal, or reach it from above.
        unit: Unit of goal and figure; for a ratio, what is divided by what.
        measure: Does the work and returns the figure.
    """

    name: str
    goal: float
    compare: Literal["<=", ">="]
    unit: str
    measure: Callable[[], Measured]

    def holds(self, value: float) -> bool:
        """Tell whether a figure keeps the promise; NaN never does."""
        return value <= self.goal if self.compare == "<=" else value >= self.goal


@attrs.frozen(kw_only=True)
class Row:
    """What became of a bar."""

    name: str
    goal: str
    measured: float
    unit: str
    verdict: Literal["holds", "falls short"]
    figures: Mapping[str, float]


def measure(bars: Sequence[Bar]) -> list[Row]:
    """Measure the bars one after the other, telling on stderr which one is under way."""
    rows = []
    for number, bar in enumerate(bars, 1):
        print(f"[{number}/{len(bars)}] {bar.name} ...", file=sys.stderr, flush=True)
        rows.append(_row(bar, bar.measure()))
    return rows


def _row(bar: Bar, measured: Measured) -> Row:
    return Row(
        name=bar.name,
        goal=f"{bar.compare} {bar.goal:g}",
        measured=measured.value,
        unit=bar.unit,
        verdict="holds" if bar.holds(measured.value) else "falls short",
        figures=measured.figures,
    )


def as_text(rows: Sequence[Row], about: Mapping[str, str]) -> str:
    """Return the table for people, with the machine it was measured on and the figures behind it."""
    cells = [("bar", "goal", "measured", "unit", ""), *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    padded = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(line[:4], widths, strict=True)), line[4]]).rstrip()
        for line in cells
    ]
    figures = [
        f"{row.name}: " + ", ".join(f"{name} {figure:.4g}" for name, figure in row.figures.items())
        for row in rows
        if row.figures
    ]
    about_line = "machine: " + ", ".join(f"{name} {value}" for name, value in about.items())
    return "\n".join([about_line, "", *padded, "", *figures]) + "\n"


def _cells(row: Row) -> tuple[str, str, str, str, str]:
    return row.name, row.goal, f"{row.measured:.3g}", row.unit, row.verdict


def as_json(rows: Sequence[Row], about: Mapping[str, str]) -> str:
    """Return the same for machines."""
    report: dict[str, Any] = {"machine": dict(about), "bars": [attrs.asdict(row) for row in rows]}
    return json.dumps(report, indent=2) + "\n"


def run(name: str, bars: Sequence[Bar], *, quick: bool, as_json_only: bool, results: Path = RESULTS) -> int:
    """Measure a suite, print it and keep it under `results/`; a quick run, being rougher, is not kept.

    Returns:
        0 when every bar holds, 1 when one falls short.
    """
    rows, about = measure(bars), {**machine(), "run": "quick" if quick else "full"}
    text, data = as_text(rows, about), as_json(rows, about)
    print(data if as_json_only else text, end="", flush=True)
    if not quick:
        results.mkdir(exist_ok=True)
        (results / f"{name}.txt").write_text(text)
        (results / f"{name}.json").write_text(data)
    return 0 if all(row.verdict == "holds" for row in rows) else 1
