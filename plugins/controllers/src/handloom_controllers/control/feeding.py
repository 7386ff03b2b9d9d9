"""Where chunks come from: this process, or a model process of its own that may die without the arm."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import IO

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Chunk
from handloom.errors import HandloomError
from handloom_controllers.control.chunk_bytes import from_bytes
from handloom_controllers.control.model_process import QUESTION, policy_bytes
from handloom_controllers.control.path import PathPolicy
from handloom_controllers.control.tcp_claims import TcpClaim

_STARTS_S = 20.0
_ENDS_S = 2.0


class Feed(ABC):
    """Answers instants with chunks, later.

    Attributes:
        ended: Why no more chunks will come, a sentence; "" while they do.
        tool: (7,) T_base_tcp as it was measured last, for whoever answers by it; None before.
        claims: What is known, before it is opened, of the tool centre point that its waypoints are of; an arm
            with another one is not moved.
    """

    ended: str = ""
    tool: npt.NDArray[np.float64] | None = None
    claims: tuple[TcpClaim, ...] = ()

    @abstractmethod
    def open(self, policy: PathPolicy) -> None:
        """Get ready to answer."""

    @abstractmethod
    def ask(self, observed: int, start: int) -> None:
        """Ask for the chunk that answers an observation; see `PathPolicy.chunk`."""

    @abstractmethod
    def poll(self) -> Chunk | None:
        """Return a chunk that has arrived; None when none has."""

    @abstractmethod
    def close(self) -> None:
        """Let go of whatever answers; harmless when it is not open."""


class SilentFeed(Feed):
    """Never answers: the arm rests, or is led by hand."""

    def open(self, policy: PathPolicy) -> None:
        """Do nothing."""

    def ask(self, observed: int, start: int) -> None:
        """Do nothing."""

    def poll(self) -> Chunk | None:
        """Return None."""
        return None

    def close(self) -> None:
        """Do nothing."""


class LocalFeed(Feed):
    """Answers in this process, at once."""

    def __init__(self) -> None:
        self._policy: PathPolicy | None = None
        self._waiting: list[Chunk] = []

    def open(self, policy: PathPolicy) -> None:
        """Get ready to answer."""
        self._policy = policy

    def ask(self, observed: int, start: int) -> None:
        """Ask for the chunk that answers an observation."""
        assert self._policy
        self._waiting.append(self._policy.chunk(observed, start))

    def poll(self) -> Chunk | None:
        """Return a chunk that has arrived; None when none has."""
        return self._waiting.pop(0) if self._waiting else None

    def close(self) -> None:
        """Forget what is waiting."""
        self._waiting.clear()


@attrs.frozen(kw_only=True, eq=False)
class _Child:
    """A model process and both ends of the talk with it."""

    process: subprocess.Popen[bytes]
    questions: IO[bytes]
    answers: IO[bytes]

    def arrived(self, timeout_s: float) -> bool:
        return bool(select.select([self.answers], [], [], timeout_s)[0])

    def end(self) -> None:
        self.answers.close()
        with suppress(BrokenPipeError):  # it went first
            self.questions.close()
        try:
            self.process.wait(_ENDS_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def how_it_went(self) -> str:
        try:
            code = self.process.wait(_ENDS_S)
        except subprocess.TimeoutExpired:
            return "it no longer answers"
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


class ProcessFeed(Feed):
    """Answers in a model process: its death is noticed here, and costs the loop its chunks and nothing else.

    The process ends by itself when its owner is gone, because its questions do.
    """

    def __init__(self) -> None:
        self._child: _Child | None = None
        self._names: dict[str, str] = {}
        self._received = b""

    @property
    def pid(self) -> int:
        """Id of the model process; 0 when there is none."""
        return self._child.process.pid if self._child else 0

    def open(self, policy: PathPolicy) -> None:
        """Start the model process.

        Raises:
            HandloomError: It does not answer.
        """
        self._names = {"frame": policy.frame, "body": policy.body, "clock": policy.clock}
        self._child = _start()
        self._send(policy_bytes(policy))
        if not self._child.arrived(_STARTS_S) or self.poll() is None:
            self.close()
            raise HandloomError("The model process does not answer; the arm was not moved. See what it printed.")

    def ask(self, observed: int, start: int) -> None:
        """Ask for the chunk that answers an observation."""
        if not self.ended:
            self._send(QUESTION.pack(observed, start))

    def poll(self) -> Chunk | None:
        """Return a chunk that has arrived; None when none has."""
        if self._child and not self.ended and self._child.arrived(0.0):
            self._receive(self._child)
        chunk, self._received = from_bytes(self._received, **self._names)
        return chunk

    def close(self) -> None:
        """End the model process."""
        child, self._child = self._child, None
        if child:
            child.end()

    def _send(self, data: bytes) -> None:
        if self._child is None:
            raise HandloomError("The model process was not started; call open first.")
        try:
            self._child.questions.write(data)
            self._child.questions.flush()
        except BrokenPipeError:
            self._gone(self._child)

    def _receive(self, child: _Child) -> None:
        data = os.read(child.answers.fileno(), 1 << 20)
        self._received += data
        if not data:
            self._gone(child)

    def _gone(self, child: _Child) -> None:
        self.ended = f"The model process is gone ({child.how_it_went()}); the arm holds, then stops softly."


def _start() -> _Child:
    command = [sys.executable, "-m", "handloom_controllers.control.model_process"]
    # A session of its own: Ctrl-C is for the owner, which brakes the arm before it lets go of the model.
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    if process.stdin is None or process.stdout is None:
        raise HandloomError("The model process has no pipes to talk through.")
    return _Child(process=process, questions=process.stdin, answers=process.stdout)
