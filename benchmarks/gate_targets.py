"""What a hostile source of targets sends, and how a bad clock ticks: everything that a gate has to bear."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from handloom_controllers.arms import Arm

FloatArray = npt.NDArray[np.float64]

PERIOD_NS = 10_000_000
_BLOCK = 1000


def hostile(arm: Arm, rng: np.random.Generator, count: int) -> Iterator[tuple[FloatArray | None, int]]:
    """Yield targets, rad, and the stamps of the calls, int64 ns.

    In blocks: streams that move on smoothly, jumps, both with rubbish between, and silence of every length.
    """
    now, base = 0, arm.home.copy()
    for begin in range(0, count, _BLOCK):
        size = min(_BLOCK, count - begin)
        targets = _stream(arm, rng, base, size)
        base = targets[-1].copy()
        spoiled = _spoiled(arm, rng, targets)
        for target, step in zip(spoiled, _steps(rng, size).tolist(), strict=True):
            now += step
            yield target, now


def _stream(arm: Arm, rng: np.random.Generator, base: FloatArray, size: int) -> FloatArray:
    """Return (size, n) targets: a walk at some speed, now and then elsewhere at once."""
    joints = len(base)
    speed = 10 ** rng.uniform(-3, 1.2)
    turning = rng.normal(size=(size, joints)).cumsum(axis=0) / np.sqrt(np.arange(1, size + 1))[:, None]
    targets = base + np.cumsum(turning * speed * PERIOD_NS * 1e-9, axis=0)
    often = rng.choice([0.0, 0.005, 0.05, 0.8])
    jumps = np.flatnonzero(rng.random(size) < often)
    for jump, place in zip(
        jumps, rng.uniform(arm.limits.lower, arm.limits.upper, (len(jumps), joints)), strict=True
    ):
        targets[jump:] += place - targets[jump]
    # Reflected into a little more than the range, so that the ends are met often.
    low, room = arm.limits.lower - 0.1, arm.limits.upper - arm.limits.lower + 0.2
    folded = np.abs((targets - low) % (2 * room) - room)
    mirrored: FloatArray = low + room - folded
    return mirrored


def _spoiled(arm: Arm, rng: np.random.Generator, targets: FloatArray) -> list[FloatArray | None]:
    """Return the targets with silence and rubbish among them."""
    spoiled: list[FloatArray | None] = list(targets)
    rubbish = (np.nan, np.inf, -np.inf, 1e300, -1e300, 1e6, 5e-324)
    for row in np.flatnonzero(rng.random(len(targets)) < 0.05):
        bad = targets[row].copy()
        bad[rng.integers(len(bad))] = rubbish[rng.integers(len(rubbish))]
        spoiled[row] = bad if rng.random() < 0.9 else bad[:3]
    for row in np.flatnonzero(rng.random(len(targets)) < 0.01):
        length = int(10 ** rng.uniform(0, 2))
        spoiled[row : row + length] = [None] * len(spoiled[row : row + length])
    for row in np.flatnonzero(rng.random(len(targets)) < 0.02):
        spoiled[row : row + 5] = [spoiled[row]] * len(spoiled[row : row + 5])
    return spoiled


def _steps(rng: np.random.Generator, size: int) -> npt.NDArray[np.int64]:
    """Return (size,) ns between the calls: mostly the period, with every fault of a clock."""
    steps = np.full(size, PERIOD_NS, dtype=np.int64)
    if rng.random() < 0.5:
        steps += rng.integers(-PERIOD_NS // 2, PERIOD_NS // 2, size)
    for share, low, high in (
        (0.02, 2 * PERIOD_NS, 5 * PERIOD_NS),  # missed slots
        (0.01, 0, 1),  # the same instant again
        (0.003, 6 * PERIOD_NS, 200 * PERIOD_NS),  # a stall
        (0.002, -100 * PERIOD_NS, -1),  # back
        (0.0005, -(10**15), 10**15),  # the clock is set: days
    ):
        hit = rng.random(size) < share
        steps[hit] = rng.integers(low, high, int(hit.sum()))
    return steps
