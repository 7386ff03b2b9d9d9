"""What the suites of kills and full disks share: one laboratory, and a bar that counts bad outcomes."""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

from benchmarks.crash_lab import Laboratory
from benchmarks.crash_tally import Tally
from benchmarks.harness import Bar, Measured


@cache
def laboratory() -> Laboratory:
    """Make the laboratory of this process, swept when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="handloom-crash-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Laboratory.make(folder)


def bad_outcomes(name: str, series: Callable[[], Tally]) -> Bar:
    """Return the bar that a series of disturbed runs leaves no bad store and resumes to the same bytes."""

    def measured() -> Measured:
        tally = series()
        for sentence in tally.bad[:10]:
            print(f"    {sentence}", file=sys.stderr, flush=True)
        return Measured(value=len(tally.bad), figures={"tries": tally.tries, "struck": tally.struck})

    return Bar(name=f"{name}: bad outcomes", goal=0, compare="<=", unit="runs", measure=measured)
