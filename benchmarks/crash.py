"""Kill whole runs, at random instants and at every operation on the disk; see what is left.

After each kill the store must open, hold nothing that its digests do not prove, and resume to the bytes of a run
that nobody disturbed: streams, media, records (but for times of day) and exported files.
"""

from __future__ import annotations

from functools import cache

from benchmarks.crash_bars import bad_outcomes, laboratory
from benchmarks.crash_injected import kill_at_operations
from benchmarks.crash_random import kill_at_random
from benchmarks.crash_tally import Tally
from benchmarks.harness import Bar, Measured

KILLS_FULL = 100
POINTS_QUICK = 15


def bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars; each counts runs that left a bad store or resumed to other bytes."""
    kills = 6 if quick else KILLS_FULL
    most = POINTS_QUICK if quick else None

    @cache
    def random_kills() -> Tally:
        return kill_at_random(laboratory(), kills=kills, seed=1)

    @cache
    def injected_kills() -> Tally:
        return kill_at_operations(laboratory(), most=most)

    def all_kills() -> Measured:
        return Measured(value=random_kills().struck + injected_kills().struck)

    return (
        bad_outcomes("SIGKILL at random instants", random_kills),
        bad_outcomes("SIGKILL at every write, sync and rename", injected_kills),
        Bar(
            name="kills in all",
            goal=10 if quick else 200,
            compare=">=",
            unit="kills",
            measure=all_kills,
        ),
    )
