"""Writes the runs of one episode; pictures are decoded meanwhile, and a frame that does not decode cuts too."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

import numpy as np

from handloom.api import Progress
from handloom.errors import MediaError
from handloom_exporters.umi.episode import Episode, rows_between
from handloom_exporters.umi.pictures import FrameCursor, Picture
from handloom_exporters.umi.replay_buffer import PICTURE, SOUND, ReplayBuffer
from handloom_exporters.umi.runs import Cut, Run, cut

_PROGRESS_EVERY = 32


def declare_arrays(buffer: ReplayBuffer, episode: Episode) -> None:
    """Say which arrays the dataset has beside those of numbers.

    Raises:
        StepError: The episodes before had another shape.
    """
    for name, pictures in episode.pictures.items():
        buffer.declare(name, pictures.shape, "uint8", PICTURE)
    for name, sound in episode.sounds.items():
        buffer.declare(name, (sound.length,), sound.dtype, SOUND)


def write_runs(
    buffer: ReplayBuffer, episode: Episode, runs: Sequence[Run], *, min_steps: int, progress: Progress
) -> tuple[list[Run], list[Cut]]:
    """Write runs of steps as episodes of the dataset.

    A run in which a frame does not decode is cut there, and its parts are kept where they are long enough.

    Returns:
        The runs that were written, and what was cut out of those that were asked for.
    """
    writer = _RunWriter(buffer, episode, min_steps)
    steps = [step for first, end in runs for step in range(first, end)]
    starts = {first for first, _ in runs}
    with ExitStack() as files:
        cursors = {name: _cursor(buffer, episode, name, steps, files) for name in episode.pictures}
        for done, step in enumerate(steps):
            if step in starts:
                writer.end()
            try:
                writer.add(step, {name: cursor.chunk(step) for name, cursor in cursors.items()})
            except MediaError as error:
                writer.cuts.append(cut(_portable(error, episode), step, steps[-1] + 1 - step))
                break
            if done % _PROGRESS_EVERY == 0:
                progress(done / len(steps))
    writer.end()
    return writer.runs, writer.cuts


def _cursor(
    buffer: ReplayBuffer, episode: Episode, name: str, steps: Sequence[int], files: ExitStack
) -> FrameCursor:
    def encode(picture: Picture) -> bytes:
        return buffer.encode(name, picture)

    cursor = FrameCursor(episode.pictures[name], np.array(steps, dtype=np.int64), encode)
    files.callback(cursor.close)
    return cursor


class _RunWriter:
    """Holds the steps of a run back until there are enough of them, then writes through."""

    def __init__(self, buffer: ReplayBuffer, episode: Episode, min_steps: int) -> None:
        self._buffer = buffer
        self._episode = episode
        self._min_steps = min_steps
        self._first = self._next = 0
        self._waiting: list[dict[str, bytes]] = []
        self.runs: list[Run] = []
        self.cuts: list[Cut] = []

    def add(self, step: int, pictures: dict[str, bytes | None]) -> None:
        """Add a step whose pictures decoded, or end the run at the first that did not."""
        lost = sorted(name for name, chunk in pictures.items() if chunk is None)
        if lost:
            self.cuts.append(cut(f"{', '.join(lost)}: a frame does not decode", step, 1))
            self.end()
            return
        if self._next == self._first:
            self._first = step
        chunks = {name: chunk for name, chunk in pictures.items() if chunk is not None}
        for name, sound in self._episode.sounds.items():
            chunks[name] = self._buffer.encode(name, sound.row(step))
        self._waiting.append(chunks)
        self._next = step + 1
        if self._next - self._first >= self._min_steps:
            self._flush()

    def end(self) -> None:
        """End the run, where there is one: keep it, or leave it out when it is too short."""
        steps = self._next - self._first
        if steps >= self._min_steps:
            self._buffer.end_episode(rows_between(self._episode, self._first, self._next))
            self.runs.append((self._first, self._next))
        elif steps:
            self.cuts.append(cut(f"fewer than {self._min_steps} steps in a row", self._first, steps))
        self._waiting.clear()
        self._first = self._next = 0

    def _flush(self) -> None:
        for chunks in self._waiting:
            self._buffer.put(chunks)
        self._waiting.clear()


def _portable(error: MediaError, episode: Episode) -> str:
    """Return what went wrong with a file, named without its folder: a dataset is copied elsewhere."""
    text = str(error)
    for pictures in episode.pictures.values():
        for file in pictures.video.files:
            text = text.replace(str(file.path), file.path.name)
    return text
