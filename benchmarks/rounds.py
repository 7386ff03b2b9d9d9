"""Compare contenders fairly: CPU time, in rounds that take turns, so that a busy minute falls on all of them."""

from __future__ import annotations

import resource
from collections.abc import Callable, Mapping
from statistics import median

Times = Mapping[str, list[float]]
"""CPU seconds by contender, one for each round."""


def cpu_s(work: Callable[[], object]) -> float:
    """Return the CPU seconds, user and system, that work costs this process and the children it waits for."""
    before = _spent_s()
    work()
    return _spent_s() - before


def _spent_s() -> float:
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, kinds))


def interleaved(contenders: Mapping[str, Callable[[], object]], *, rounds: int) -> Times:
    """Let every contender work once a round, in turn; every other round runs backwards."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(rounds):
        for name in list(contenders) if number % 2 == 0 else reversed(list(contenders)):
            times[name].append(cpu_s(contenders[name]))
    return times


def ratio(times: Times, ours: str, theirs: str) -> float:
    """Return the median, over the rounds, of one contender's time divided by the other's of the same round."""
    return median(mine / other for mine, other in zip(times[ours], times[theirs], strict=True))


def medians(times: Times) -> dict[str, float]:
    """Return each contender's median, named with its unit."""
    return {f"{name}_cpu_s": median(values) for name, values in times.items()}
