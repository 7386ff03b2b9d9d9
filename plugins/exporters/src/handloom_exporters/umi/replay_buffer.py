"""UMI's ReplayBuffer in one `.zarr.zip`, written step by step: what of an episode is too short never enters it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from handloom.errors import StepError
from handloom_exporters.umi.stored_zip import StoredZip
from handloom_exporters.umi.zarr_v2 import Array, ChunkedRows, Compression, NumberRows, add_group

PICTURE = Compression(codec="zstd", level=1)
"""On pictures of 224 x 224: 98 kB in 0.7 ms; lz4 takes 132 kB in 0.2 ms, zstd 5 takes 90 kB in 3 ms."""

SOUND = Compression(codec="lz4", level=5)
"""The one that zarr 2 takes by default, which is what ManiWAV's arrays have."""


class ReplayBuffer:
    """Appends steps and the ends of episodes; arrays exist from the first step on and keep their shapes.

    Attributes:
        steps: How many there are by now.
        episode_ends: Steps after the last one of each episode.
    """

    def __init__(self, file: BinaryIO, thread: ThreadPoolExecutor) -> None:
        self._zip = StoredZip(file)
        self._thread = thread
        self._chunked: dict[str, ChunkedRows] = {}
        self._numbers: dict[str, NumberRows] = {}
        self.steps = 0
        self.episode_ends: list[int] = []

    def declare(self, name: str, shape: tuple[int, ...], dtype: str, compression: Compression) -> None:
        """Have an array with one chunk a step.

        Raises:
            StepError: It is there already, with rows of another shape or type.
        """
        array = ChunkedRows(f"data/{name}", shape, dtype, compression)
        known = self._chunked.setdefault(name, array) if self.steps else array
        self._chunked[name] = known
        if (known.shape, known.dtype) != (shape, np.dtype(dtype)):
            raise StepError(
                f"{name} has rows of {dtype} {shape} here and of {known.dtype} {known.shape} in the episodes "
                f"before; one dataset has one shape. Export these episodes on their own, or set a size."
            )

    def encode(self, name: str, row: Array) -> bytes:
        """Return the chunk of one step of an array."""
        return self._thread.submit(self._chunked[name].encode, row).result()

    def put(self, chunks: Mapping[str, bytes]) -> None:
        """Append a step: a chunk of every declared array."""
        for name, array in self._chunked.items():
            array.put(self._zip, chunks[name])
        self.steps += 1

    def end_episode(self, numbers: Mapping[str, tuple[str, Array]]) -> None:
        """End an episode with the numbers of its steps.

        Args:
            numbers: By array its dtype and rows, (steps since the last end, n).
        """
        for name, (dtype, rows) in numbers.items():
            if name not in self._numbers:
                self._numbers[name] = NumberRows(f"data/{name}", rows.shape[1:], dtype)
            self._numbers[name].extend(self._zip, rows)
        self.episode_ends.append(self.steps)

    def finish(self, attributes: Mapping[str, Any]) -> None:
        """Write all metadata and the directory of the file.

        Args:
            attributes: Of the root group.
        """
        add_group(self._zip, "", attributes)
        add_group(self._zip, "data")
        add_group(self._zip, "meta")
        arrays: list[NumberRows | ChunkedRows] = [*self._numbers.values(), *self._chunked.values()]
        for array in arrays:
            array.finish(self._zip)
        ends = NumberRows("meta/episode_ends", (), "int64")
        ends.extend(self._zip, np.array(self.episode_ends, dtype=np.int64))
        ends.finish(self._zip)
        self._zip.finish()


@contextmanager
def new_replay_buffer(path: Path) -> Iterator[ReplayBuffer]:
    """Open a new file; when the body fails, nothing is left of it."""
    with path.open("wb") as file, ThreadPoolExecutor(max_workers=1) as thread:
        try:
            yield ReplayBuffer(file, thread)
            file.flush()
        except BaseException:
            with suppress(OSError):
                file.close()
            path.unlink(missing_ok=True)
            raise
