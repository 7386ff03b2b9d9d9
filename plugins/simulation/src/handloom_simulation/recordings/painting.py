"""Makes the pictures of a video in several processes at once, in order, whoever paints them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import struct
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Protocol

import attrs
import numpy as np

from handloom.api import Progress
from handloom.errors import RecordingError
from handloom_simulation.world import Picture

_PICTURE, _FAILURE = 0, 1  # what follows a header: a picture's bytes, or the UTF-8 text of what went wrong
_HEADER = struct.Struct("<BII")  # which of the two, and the picture's height and width in px


class Painter(Protocol):
    """Whoever makes pictures of a take; a worker is started with a copy of it."""

    def paint(self, stamp_ns: int) -> Picture:
        """Return the (H, W, 3) uint8 RGB picture of an instant of simulation time, int64 ns."""


@attrs.frozen(kw_only=True)
class PatternPainter:
    """Paints a pattern that moves with time, where nobody needs to see the lab.

    Attributes:
        width: Of the picture.
        height: Of the picture.
    """

    width: int
    height: int

    def paint(self, stamp_ns: int) -> Picture:
        """Return a coloured ramp with a bright bar that crosses it once in two seconds."""
        rows, columns = np.ogrid[: self.height, : self.width]
        picture = np.empty((self.height, self.width, 3), np.uint8)
        picture[..., 0] = columns * 160 // self.width
        picture[..., 1] = rows * 160 // self.height
        picture[..., 2] = 60 + (rows + columns) % 64
        bar = (columns[0] - stamp_ns * self.width // 2_000_000_000) % self.width < self.width // 8
        picture[:, bar] += np.uint8(80)
        return picture


@attrs.frozen(kw_only=True)
class BlackPainter:
    """Paints black, as a camera whose lens is covered.

    Attributes:
        width: Of the picture.
        height: Of the picture.
    """

    width: int
    height: int

    def paint(self, stamp_ns: int) -> Picture:
        """Return black."""
        return np.zeros((self.height, self.width, 3), np.uint8)


def pictures(
    painter: Painter, stamps_ns: Sequence[int], *, workers: int = 1, progress: Progress | None = None
) -> Iterator[Picture]:
    """Yield one picture for each instant, in order.

    Args:
        painter: Who makes them.
        stamps_ns: Instants of simulation time.
        workers: Processes that paint; 1 paints in this one. Of n, each takes every n-th picture and waits
            while nobody takes its last.
        progress: Told the share done.

    Raises:
        RecordingError: A worker failed; the message holds what it said.
    """
    made = _painted_here(painter, stamps_ns) if workers <= 1 else _painted_apart(painter, stamps_ns, workers)
    for index, picture in enumerate(made):
        yield picture
        if progress is not None:
            progress((index + 1) / len(stamps_ns))


def _painted_here(painter: Painter, stamps_ns: Sequence[int]) -> Iterator[Picture]:
    for stamp in stamps_ns:
        yield painter.paint(int(stamp))


def _painted_apart(painter: Painter, stamps_ns: Sequence[int], workers: int) -> Iterator[Picture]:
    context = multiprocessing.get_context("spawn")  # a fork would copy the threads of libraries that have some
    started = []
    try:
        for first in range(workers):
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_paint_share, args=(painter, list(stamps_ns[first::workers]), theirs))
            process.daemon = True  # ends with this process, however that ends
            with _deaf_to_ctrl_c():
                process.start()
            theirs.close()
            started.append((process, ours))
        for index in range(len(stamps_ns)):
            yield _received(started[index % workers][1])
    finally:
        for process, ours in started:
            ours.close()
            process.terminate()
            process.join()


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Let processes that start now ignore Ctrl-C: this one hears it and ends them, without a traceback of each."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what becomes of a signal
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _received(connection: Connection) -> Picture:
    try:
        follows, height, width = _HEADER.unpack(connection.recv_bytes(_HEADER.size))
        if follows == _PICTURE:
            picture: Picture = np.empty((height, width, 3), np.uint8)
            connection.recv_bytes_into(picture.data.cast("B"))
            return picture
        said = connection.recv_bytes().decode()
    except EOFError:
        raise RecordingError("A process that paints pictures died; is there memory enough for it?") from None
    raise RecordingError(f"A process that paints pictures failed:\n{said}")


def _paint_share(painter: Painter, stamps_ns: Sequence[int], answers: Connection) -> None:
    """Paint in a process of its own; several threads in each of several processes would only queue."""
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    try:
        for stamp in stamps_ns:
            _send(painter.paint(int(stamp)), answers)
    except BrokenPipeError:
        return  # nobody wants the rest
    except Exception:  # noqa: BLE001  handed over whole, and raised by who asked
        answers.send_bytes(_HEADER.pack(_FAILURE, 0, 0))
        answers.send_bytes(traceback.format_exc().encode())


def _send(picture: Picture, answers: Connection) -> None:
    answers.send_bytes(_HEADER.pack(_PICTURE, *picture.shape[:2]))
    answers.send_bytes(np.ascontiguousarray(picture, np.uint8).data.cast("B"))
