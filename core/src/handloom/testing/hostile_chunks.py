"""Chunks that a controller has to refuse, each with one thing wrong."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np

from handloom.api import Chunk


def hostile_chunks(good: Chunk, now: int) -> Iterator[tuple[str, Chunk]]:
    """Yield what is wrong and the chunk that has it.

    Args:
        good: A chunk the controller would take, with at least three waypoints after `now`.
        now: int64 ns, the instant at which it will be offered.
    """
    yield from _bad_poses(good)
    yield from _bad_times(good, now)
    yield "infinite width", attrs.evolve(good, widths_m=np.full(len(good.stamps), np.inf))
    yield "negative width", attrs.evolve(good, widths_m=np.full(len(good.stamps), -0.01))
    yield "another frame", attrs.evolve(good, frame="somewhere else")
    yield "another body", attrs.evolve(good, body="something else")


def _bad_poses(good: Chunk) -> Iterator[tuple[str, Chunk]]:
    changes = {
        "NaN position": (0, np.nan),
        "infinite position": (1, np.inf),
        "position out of this world": (2, 1e300),
        "NaN quaternion": (3, np.nan),
        "infinite quaternion": (6, -np.inf),
        "quaternion far from unit": (3, 25.0),
    }
    for name, (column, value) in changes.items():
        poses = good.poses.copy()
        poses[1, column] = value
        yield name, attrs.evolve(good, poses=poses)
    poses = good.poses.copy()
    poses[-1, 3:] = 0
    yield "zero quaternion", attrs.evolve(good, poses=poses)


def _bad_times(good: Chunk, now: int) -> Iterator[tuple[str, Chunk]]:
    swapped = good.stamps.copy()
    swapped[[0, 1]] = swapped[[1, 0]]
    yield "waypoints out of order", attrs.evolve(good, stamps=swapped)
    repeated = good.stamps.copy()
    repeated[1] = repeated[0]
    yield "a stamp twice", attrs.evolve(good, stamps=repeated)
    yield "all in the past", attrs.evolve(good, stamps=good.stamps - (good.stamps[-1] - now + 1))
    far = good.stamps.copy()
    far[-1] = np.iinfo(np.int64).max
    yield "at the end of time", attrs.evolve(good, stamps=far)
    yield (
        "no waypoint",
        attrs.evolve(good, stamps=good.stamps[:0], poses=good.poses[:0], widths_m=good.widths_m[:0]),
    )
    yield "stamps that are floats", attrs.evolve(good, stamps=good.stamps.astype(np.float64))
