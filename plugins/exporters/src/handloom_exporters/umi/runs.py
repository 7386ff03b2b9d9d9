"""Which steps of an episode follow one another without a gap, and what cuts them apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from handloom.streams import runs_of
from handloom_exporters.umi.timeline import BoolArray

Run = tuple[int, int]
"""First step, and the step after the last."""

Cut = dict[str, Any]
"""Why steps are left out, or where an episode is split when their number is 0."""


def cut(reason: str, first: int, steps: int) -> Cut:
    """Return why steps from `first` on are left out."""
    return {"reason": reason, "first_step": first, "steps": steps}


def find_runs(
    faults: Mapping[str, BoolArray], breaks: Mapping[str, BoolArray], min_steps: int
) -> tuple[list[Run], list[Cut]]:
    """Return the runs of good steps that are long enough, and all that was cut.

    Args:
        faults: By reason the steps that can't be used, (M,), at least one reason.
        breaks: By reason the steps that can't follow the one before, (M,).
        min_steps: What is shorter is left out.
    """
    bad = np.logical_or.reduce(list(faults.values()))
    split = np.logical_or.reduce([np.zeros(len(bad), dtype=bool), *breaks.values()])
    cuts = [cut(reason, *stretch) for reason, rows in faults.items() for stretch in _stretches(rows)]
    good = [run for first, steps in _stretches(~bad) for run in _divided(first, first + steps, split)]
    starts = {first for first, _ in good}
    cuts += [
        cut(reason, int(step), 0)
        for reason, rows in breaks.items()
        for step in np.flatnonzero(rows)
        if step in starts and not bad[step - 1]
    ]
    runs = [run for run in good if run[1] - run[0] >= min_steps]
    short = [(first, end - first) for first, end in good if end - first < min_steps]
    cuts += [cut(f"fewer than {min_steps} steps in a row", *run) for run in short]
    return runs, sorted(cuts, key=lambda found: (found["first_step"], found["reason"]))


def _stretches(rows: BoolArray) -> Iterator[tuple[int, int]]:
    """Yield start and length of each stretch of marked rows."""
    for start, end in runs_of(rows).tolist():
        yield start, end - start


def _divided(first: int, end: int, split: BoolArray) -> Iterator[Run]:
    inner = (np.flatnonzero(split[first + 1 : end]) + first + 1).tolist()
    yield from zip([first, *inner], [*inner, end], strict=True)
