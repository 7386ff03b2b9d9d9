"""The arm's process of a remote robot: serves it to the loop's owner, and outlives that until the arm rests."""

from __future__ import annotations

import os
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import attrs

from handloom.api import Robot
from handloom.errors import HandloomError
from handloom_controllers.native import library
from handloom_controllers.native.structs import REFLEXES, names_of

LINE = "HANDLOOM_ARM_FD"
"""Environment variable by which the arm's process is told its end of the line."""


_DESCRIPTOR = re.compile(r"\d{1,9}")


@attrs.frozen
class Served:
    """How serving a robot ended.

    Attributes:
        reflexes: Names of all that were reported to the owner.
        robot_failed: The robot's own read or write answered an error.
    """

    reflexes: tuple[str, ...]
    robot_failed: bool


def serve(robot: Robot, *, paced: bool = True, fifo_priority: int = 0) -> Served:
    """Serve an open robot to the process that started this one, until that is gone and the arm at rest.

    Without a command for 20 periods in a row, communication_constraints_violation is reported and the robot comes
    to rest by damping; so it does at SIGTERM and SIGINT, where this is the main thread.

    Args:
        robot: One with a compiled table.
        paced: Real time: without a command for two periods the robot goes on with the one before. Otherwise it
            waits for its owner, and time is its own.
        fifo_priority: Of the thread that serves, where that is permitted; 0 leaves it.

    Raises:
        HandloomError: The robot has no compiled table, or this process was not started by a `RemoteRobot`.
    """
    native = robot.native()
    if native is None:
        raise HandloomError(
            f"{type(robot).__name__} has no compiled table, so it can't be served to another process."
        )
    line = os.environ.get(LINE, "")
    loaded = library()
    served = loaded.call("hl_shared_serve_open", int(line)) if _DESCRIPTOR.fullmatch(line) else 0
    if not served:
        raise HandloomError(f"This process serves an arm, but no RemoteRobot has started it ({LINE} is '{line}').")
    try:
        stop = loaded.bound("hl_shared_serve_stop", served)
        with _leaving_when_told(int(line), stop) as waited:
            found = waited(
                lambda: loaded.call("hl_shared_serve_robot", served, native.address, int(paced), fifo_priority)
            )
    finally:
        loaded.call("hl_shared_serve_close", served)
    return Served(names_of(max(found, 0), REFLEXES), robot_failed=found < 0)


@contextmanager
def _leaving_when_told(line: int, stop: Callable[[], int]) -> Iterator[Callable[[Callable[[], int]], int]]:
    """Stop the arm and hang up on the owner at SIGTERM or SIGINT; serving ends once the arm is at rest.

    Gives what runs a call that blocks: in a thread of its own, so that Python sees a signal meanwhile.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda call: call()
        return
    end = socket.socket(fileno=os.dup(line))

    def hang_up(*_: object) -> None:
        stop()
        with suppress(OSError):  # the owner was faster
            end.shutdown(socket.SHUT_RDWR)

    before = {number: signal.signal(number, hang_up) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield _in_a_thread
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        end.close()


def _in_a_thread(call: Callable[[], int]) -> int:
    answers: list[int] = []
    thread = threading.Thread(target=lambda: answers.append(call()), name="serve")
    thread.start()
    thread.join()
    return answers[0]
