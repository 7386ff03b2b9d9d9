"""The bars of preprocessing: what a scene of 2.7K60 video costs, its tags, its export, and a second worker."""

from __future__ import annotations

from benchmarks import preprocessing_export
from benchmarks.harness import Bar
from benchmarks.preprocessing_tags import tag_bars
from benchmarks.preprocessing_whole import whole_bars


def bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars."""
    return (*whole_bars(quick=quick), *tag_bars(quick=quick), *preprocessing_export.bars(quick=quick))
