"""The base of a robot whose driver is compiled: Python says what it is, a table of handloom_rt.h moves it."""

from __future__ import annotations

import ctypes
from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.api import Native, Ports, Robot, RobotCommand, RobotState
from handloom.errors import HandloomError
from handloom_controllers.native.structs import ABI, STRUCTS, new
from handloom_controllers.realtime.states import command_struct, state_of

_Address = ctypes.c_void_p


class CompiledRobot(Robot):
    """Give it `limits`, `collision_thresholds`, `connect` and `disconnect`; the rest goes through the table.

    The loop that is not real-time calls the same functions as the real-time one, only from Python.
    """

    def __init__(self, config: Any = None) -> None:
        super().__init__(config)
        self._native: Native | None = None
        self._functions: dict[str, Any] = {}
        self._self = 0
        self._state = new("hl_state")

    @classmethod
    def ports(cls, config: Any) -> Ports:
        """Declare nothing: a loop reads and writes a robot."""
        return Ports()

    @abstractmethod
    def connect(self) -> Native:
        """Connect, and return the address of the `hl_robot_v1`.

        Raises:
            HandloomError: The robot can't be reached, or is not ready to move.
        """

    @abstractmethod
    def disconnect(self) -> None:
        """Let go of what `connect` returned; called once after each."""

    def open(self) -> None:
        """Connect, and look at the table.

        Raises:
            HandloomError: The robot can't be reached, or its table is of another version of the header.
        """
        if self._native is not None:
            return
        native = self.connect()
        try:
            self._self, self._functions = _functions(native.address, type(self).__name__)
        except HandloomError:
            self.disconnect()
            raise
        self._native = native

    def close(self) -> None:
        """Let go; harmless when it is not open."""
        if self._native is not None:
            self._native = None
            self._functions = {}
            self.disconnect()

    def native(self) -> Native | None:
        """Return the compiled table.

        Raises:
            HandloomError: The robot is not open.
        """
        self._check_open()
        return self._native

    def read(self) -> RobotState:
        """Return the newest measurement.

        Raises:
            HandloomError: The robot is not open, or its `read` failed.
        """
        self._check_open()
        self._call("read", self._state)
        return state_of(self._state)

    def write(self, command: RobotCommand) -> None:
        """Command one cycle.

        Raises:
            HandloomError: The robot is not open, the command is for another number of joints or has both torques
                and positions, or its `write` failed.
        """
        self._check_open()
        self._call("write", command_struct(command, len(self.limits.names)))

    def stop(self) -> None:
        """Come to rest by the robot's own means; harmless when it is not open."""
        if self._native is not None:
            self._functions["stop"](self._self)

    def _call(self, name: str, struct: npt.NDArray[np.void]) -> None:
        answer = self._functions[name](self._self, struct.ctypes.data)
        if answer:
            raise HandloomError(
                f"{type(self).__name__}: `{name}` of its table answered {answer}; expected HL_OK, 0."
            )

    def _check_open(self) -> None:
        if self._native is None:
            raise HandloomError(f"The robot {type(self).__name__} is not open; call open() first.")


def _functions(address: int, name: str) -> tuple[int, dict[str, Any]]:
    dtype = STRUCTS["hl_robot_v1"]
    table = np.frombuffer(ctypes.string_at(address, dtype.itemsize), dtype=dtype)[0]
    if (table["abi"], table["struct_size"]) != (ABI, dtype.itemsize):
        raise HandloomError(
            f"{name}: its table says abi {table['abi']} and {table['struct_size']} bytes; expected {ABI} and "
            f"{dtype.itemsize}. Compile it against the handloom_rt.h of this handloom-controllers."
        )
    exchange = ctypes.CFUNCTYPE(ctypes.c_int32, _Address, _Address)
    return int(table["self"]), {
        "read": exchange(int(table["read"])),
        "write": exchange(int(table["write"])),
        "stop": ctypes.CFUNCTYPE(None, _Address)(int(table["stop"])),
    }
