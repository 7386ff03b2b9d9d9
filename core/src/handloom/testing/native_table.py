"""Look at a compiled robot through its table, as the real-time loop does, knowing the public header alone."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

ABI = 1

_STATE_BYTES = 1 << 16
"""More than a state of any version needs."""


class RobotTable(ctypes.Structure):
    """`hl_robot_v1` of handloom_rt.h."""

    _fields_ = [
        ("abi", ctypes.c_uint32),
        ("struct_size", ctypes.c_uint32),
        ("self", ctypes.c_void_p),
        ("read", ctypes.c_void_p),
        ("write", ctypes.c_void_p),
        ("stop", ctypes.c_void_p),
    ]


def table_at(address: int) -> RobotTable:
    """Return the table at an address."""
    return RobotTable.from_address(address)


def positions_from(table: RobotTable) -> npt.NDArray[np.float64]:
    """Call the table's `read`; return the joint positions (n,) that it wrote.

    Raises:
        AssertionError: It answered an error, or a number of joints that can't be.
    """
    # The first fields of hl_state: stamp, period, reflexes (8 bytes each), flags, joints (4 each), then q.
    state = np.zeros(_STATE_BYTES // 8, dtype=np.uint64)
    read: Callable[..., Any] = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(table.read)
    answer = read(table.self, state.ctypes.data)
    assert answer == 0, f"`read` of the table answered {answer}; expected HL_OK, 0"
    raw = state.view(np.uint8)
    joints = int(raw[28:32].view(np.uint32)[0])
    assert 1 <= joints <= 12, f"`read` of the table wrote {joints} joints"
    return np.array(raw[32 : 32 + 8 * joints].view(np.float64))
