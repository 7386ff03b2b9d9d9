"""The bars of control: law, trajectory, library, loop, simulated arm and gate, against what else one would use."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import (
    control_arm,
    control_following,
    control_gate,
    control_law,
    control_load,
    control_loop,
    control_trajectory,
)
from benchmarks.harness import Bar


def bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars, those that measure the machine's own jitter first."""
    return tuple(_bars(quick))


def _bars(quick: bool) -> Iterator[Bar]:
    parts = (
        control_loop,
        control_law,
        control_trajectory,
        control_load,
        control_arm,
        control_following,
        control_gate,
    )
    for part in parts:
        yield from part.control_bars(quick=quick)
