"""Kill whole runs, at random instants and at every operation on the disk; fill the disk; see what is left.

After each kill the store must open, hold nothing that its digests do not prove, and resume to the bytes of a run
that nobody disturbed: streams, media, records (but for times of day) and exported files.
"""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

from benchmarks.crash_injected import kill_at_operations, starve_at_operations
from benchmarks.crash_lab import Laboratory
from benchmarks.crash_random import kill_at_random
from benchmarks.crash_tally import Tally
from benchmarks.harness import Bar, Measured

KILLS_FULL = 100
POINTS_FULL = 100
POINTS_QUICK = 15


def bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars; each counts runs that left a bad store or resumed to other bytes."""

    @cache
    def laboratory() -> Laboratory:
        folder = Path(tempfile.mkdtemp(prefix="handloom-crash-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return Laboratory.make(folder)

    kills = 6 if quick else KILLS_FULL
    most = POINTS_QUICK if quick else None

    @cache
    def random_kills() -> Tally:
        return kill_at_random(laboratory(), kills=kills, seed=1)

    @cache
    def injected_kills() -> Tally:
        return kill_at_operations(laboratory(), most=most)

    @cache
    def starved() -> Tally:
        return starve_at_operations(laboratory(), most=POINTS_QUICK if quick else POINTS_FULL)

    def all_kills() -> Measured:
        return Measured(value=random_kills().struck + injected_kills().struck)

    return (
        _bar("SIGKILL at random instants: bad outcomes", lambda: _bad(random_kills())),
        _bar("SIGKILL at every write, sync and rename: bad outcomes", lambda: _bad(injected_kills())),
        Bar(
            name="kills in all",
            goal=10 if quick else 200,
            compare=">=",
            unit="kills",
            measure=all_kills,
        ),
        _bar("disk full from an operation on: bad outcomes", lambda: _bad(starved())),
    )


def _bar(name: str, measure: object) -> Bar:
    return Bar(name=name, goal=0, compare="<=", unit="runs", measure=measure)  # type: ignore[arg-type]


def _bad(tally: Tally) -> Measured:
    for sentence in tally.bad[:10]:
        print(f"    {sentence}", file=sys.stderr, flush=True)
    return Measured(value=len(tally.bad), figures={"tries": tally.tries, "struck": tally.struck})
