"""The arm's side of the shared memory, for a process whose robot is Python."""

from __future__ import annotations

import os

import numpy as np

from handloom.errors import HandloomError
from handloom_controllers.native import library
from handloom_controllers.native.structs import new
from handloom_controllers.realtime.serving import LINE


class Line:
    """States out, commands in; nothing is allocated after it is open.

    Attributes:
        state: The `hl_state` that `publish` gives out.
        command: The newest `hl_command` of `take`.
    """

    def __init__(self) -> None:
        self.state = new("hl_state")
        self.command = new("hl_command")

    def open(self) -> None:
        """Join the memory of the process that started this one.

        Raises:
            HandloomError: None did.
        """
        # cppyy takes a second to load, and calls no faster.
        native = library("ctypes")
        peer = os.environ.get(LINE)
        serve = native.call("hl_shared_serve_open", int(peer)) if peer else 0
        if not serve:
            raise HandloomError(
                f"This process serves an arm, but no RemoteRobot has started it ({LINE} is {peer})."
            )
        self._timeout_ns = np.zeros((), dtype=np.int64)
        self.publish = native.bound("hl_shared_serve_publish", serve, self.state)
        self._take = native.bound("hl_shared_serve_take", serve, self._timeout_ns, self.command)
        self.reflexes = native.bound("hl_shared_serve_reflexes", serve)
        self.is_stopped = native.bound("hl_shared_serve_is_stopped", serve)
        self.is_owned = native.bound("hl_shared_serve_is_owned", serve)

    def take(self, timeout_ns: int) -> bool:
        """Wait for the next command; below 0 as long as the owner lives.

        Returns:
            Whether a new one has come; `command` is the one before otherwise, and a damped one after a stop, after
            20 periods without any, and when the owner is gone.
        """
        self._timeout_ns[...] = timeout_ns
        return bool(self._take())
