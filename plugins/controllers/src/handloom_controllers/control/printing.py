"""What became of a motion as a short table for people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from handloom.cli.table import columns
from handloom_controllers.control.benching import Measured
from handloom_controllers.control.outcome import Outcome, Spread
from handloom_controllers.control.tracking import Tracking

_STOPS: Mapping[str, str] = {
    "none": "the loop was ended before it stopped",
    "emergency": "an emergency stop was asked for",
    "stale": "no chunk came in time, so the arm was braked softly",
    "reflex": "the robot stopped by itself",
    "not_finite": "a command was not finite",
    "law": "the law answered an error",
    "robot": "the robot answered an error",
    "owner": "the owner gave no sign of life",
}


def table(made: Outcome) -> str:
    """Return the table, and below it what happened, a sentence a line."""
    rows = [
        ("tracking of the path", _tracked(made.path)),
        ("tracking of the reference", _tracked(made.reference)),
        ("cycles", f"{made.cycles}, {made.missed} missed"),
        ("lateness", _spread(made.lateness_us) if made.lateness_us else "time was not paced"),
        ("compute", _spread(made.compute_us)),
        ("chunks", f"{made.chunks_taken} taken, {made.chunks_refused} refused"),
        ("largest", _largest(made)),
        ("faults", _counted(made.faults)),
        ("law", ", ".join(f"{name} {100 * share:.3g} %" for name, share in made.events.items()) or "nothing met"),
        ("reflexes", ", ".join(made.reflexes) or "none"),
        ("loop", "real-time" if made.real_time else "Python"),
        ("end", end(made)),
    ]
    return "\n".join([columns(rows), *made.notes, made.scheduling if made.paced else ""]).rstrip()


def bench_table(measured: Sequence[Measured]) -> str:
    """Return a row for each loop and each load."""
    head = ("loop", "Python", "late p50", "p99", "max", "missed", "RMS", "lag", "")
    rows = [_bench_row(row) for row in measured]
    scheduling = sorted({row.outcome.scheduling for row in measured})
    return "\n".join([columns([head, *rows]), *scheduling])


def _bench_row(row: Measured) -> tuple[str, ...]:
    made, late = row.outcome, row.outcome.lateness_us
    times = (late.p50, late.p99, late.max) if late else (math.nan,) * 3
    return (
        "real-time" if made.real_time else "Python",
        "busy" if row.busy else "idle",
        *(f"{value:.0f} µs" for value in times),
        str(made.missed),
        f"{made.path.rms_mm:.2f} mm",
        f"{made.path.lag_ms:.1f} ms",
        "" if made.well else end(made),
    )


def end(made: Outcome) -> str:
    """Say in a few words how it ended."""
    if made.interrupted:
        return "interrupted: the arm was braked"
    if made.stop == "asked" and made.left_out:
        return "the end came, but parts of the path were refused and not followed"
    if made.well:
        return "the path was followed to its end"
    reason = _STOPS.get(made.stop, made.stop)
    return f"{reason} ({', '.join(made.reflexes)})" if made.reflexes else reason


def _tracked(found: Tracking) -> str:
    if math.isnan(found.rms_mm):
        return "nothing was measured"
    lag = "" if math.isnan(found.lag_ms) else f", lag {found.lag_ms:.1f} ms"
    return f"RMS {found.rms_mm:.2f} mm and {found.rms_deg:.2f}°, at most {found.max_mm:.2f} mm{lag}"


def _spread(spread: Spread) -> str:
    return f"p50 {spread.p50:.0f} µs, p99 {spread.p99:.0f} µs, max {spread.max:.0f} µs"


def _largest(made: Outcome) -> str:
    parts = (("wanted", made.command_n, "N"), ("contact", made.contact_n, "N"), ("torque", made.torque_nm, "Nm"))
    return ", ".join(f"{name} {value:.1f} {unit}" for name, value, unit in parts if not math.isnan(value))


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"
