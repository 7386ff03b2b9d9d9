"""Ctrl-C as a wish and not as an exception: an arm is braked before a program ends."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""What asks for the end: Ctrl-C, whoever ends the program, and a terminal that is gone."""


class Interrupts:
    """How often the end was asked for.

    Attributes:
        count: 1 asks for a soft stop, 2 for a damped one.
    """

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, _: int, __: FrameType | None) -> None:
        """Count one more."""
        self.count += 1


@contextmanager
def counted() -> Iterator[Interrupts]:
    """Count the SIGNALS inside the block instead of ending there; only the main thread can.

    A hang-up that is ignored, as under nohup, stays ignored.
    """
    asked = Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    hung_up = getattr(signal, "SIGHUP", None)
    before = {
        number: signal.signal(number, asked)
        for number in SIGNALS
        if number != hung_up or signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
