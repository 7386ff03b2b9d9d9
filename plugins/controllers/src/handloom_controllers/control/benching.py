"""Measure a pipeline's loop: how punctual it is and how well it follows, with Python idle and with Python busy."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import attrs
import numpy as np

from handloom_controllers.control.outcome import Outcome
from handloom_controllers.control.pipeline import ControlPipeline
from handloom_controllers.control.running import run_motion


@attrs.frozen(kw_only=True)
class Measured:
    """One motion of a measurement.

    Attributes:
        real_time: Whether the compiled loop was wanted.
        busy: Whether Python was kept busy.
        outcome: What became of it.
    """

    real_time: bool
    busy: bool
    outcome: Outcome


def bench(pipeline: ControlPipeline, *, progress: Callable[[float], None]) -> tuple[Measured, ...]:
    """Follow the path with either loop, Python idle and busy, paced by the clock.

    Args:
        pipeline: What to do; its telemetry goes to folders inside its own.
        progress: Told the share done.

    Raises:
        HandloomError: The path, the robot or the law refuses.
    """
    made = []
    ways = [(real_time, busy) for real_time in (True, False) for busy in (False, True)]
    for place, (real_time, busy) in enumerate(ways):
        control = attrs.evolve(pipeline.control, real_time=real_time, paced=True)
        name = f"{'real-time' if real_time else 'python'}-{'busy' if busy else 'idle'}"
        with _busy(threads=2 if busy else 0):
            run = run_motion(
                attrs.evolve(pipeline, control=control),
                folder=pipeline.control.folder / name,
                progress=lambda share, place=place: progress((place + share) / len(ways)),  # type: ignore[misc]
            )
        made.append(Measured(real_time=run.outcome.real_time, busy=busy, outcome=run.outcome))
    return tuple(made)


@contextmanager
def _busy(threads: int) -> Iterator[None]:
    """Keep Python's lock taken inside the block: half of the threads count, half multiply matrices."""
    over = threading.Event()
    workers = [
        threading.Thread(target=_count if place % 2 else _multiply, args=(over,)) for place in range(threads)
    ]
    for worker in workers:
        worker.start()
    try:
        yield
    finally:
        over.set()
        for worker in workers:
            worker.join()


def _count(over: threading.Event) -> None:
    while not over.is_set():
        sum(range(10_000))


def _multiply(over: threading.Event) -> None:
    matrix = np.ones((60, 60))
    while not over.is_set():
        matrix @ matrix
