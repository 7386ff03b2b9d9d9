"""Fill the disk from an operation on, in whole runs: each ends with a sentence and resumes to the same bytes."""

from __future__ import annotations

from benchmarks.crash_bars import bad_outcomes, laboratory
from benchmarks.crash_injected import starve_at_operations
from benchmarks.crash_tally import Tally
from benchmarks.harness import Bar

POINTS_FULL = 100
POINTS_QUICK = 15


def bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bar; it counts runs that end without saying why, leave a bad store or resume to other bytes."""

    def starved() -> Tally:
        return starve_at_operations(laboratory(), most=POINTS_QUICK if quick else POINTS_FULL)

    return (bad_outcomes("disk full from an operation on", starved),)
