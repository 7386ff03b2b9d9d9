"""The structs of handloom_rt.h as the contract of laws needs them, and how it steps a compiled table.

They stand here once more because the core knows no plugin; a test of handloom-controllers holds them against its
header.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.api import CartesianCommand, Native, RobotCommand, RobotState

ABI = 1
MAX_JOINTS = 12
OK = 0
FRESH, COMPENSATES_GRAVITY, FIRST = 1, 2, 1
TORQUE, POSITION, DAMPED = 0, 1, 2

_JOINTS = (MAX_JOINTS,)
_JOINT_ARRAYS = ("q", "dq", "tau", "tau_applied", "coriolis", "gravity")

HL_STATE = np.dtype(
    [
        ("stamp_ns", "i8"),
        ("period_ns", "i8"),
        ("reflexes", "u8"),
        ("flags", "u4"),
        ("joints", "u4"),
        *((name, "f8", _JOINTS) for name in _JOINT_ARRAYS),
        ("jacobian", "f8", (6, MAX_JOINTS)),
        ("T_base_flange", "f8", (7,)),
        ("wrench", "f8", (6,)),
        ("width_m", "f8"),
        ("width_speed", "f8"),
        ("width_force", "f8"),
    ],
    align=True,
)
HL_REFERENCE = np.dtype(
    [
        ("stamp_ns", "i8"),
        ("flags", "u4"),
        ("reserved", "u4"),
        ("T_base_tcp", "f8", (7,)),
        ("twist", "f8", (6,)),
        ("width_m", "f8"),
    ],
    align=True,
)
HL_COMMAND = np.dtype(
    [
        *((name, "u4") for name in ("mode", "events", "periods", "reserved")),
        *((name, "f8", _JOINTS) for name in ("tau", "q", "dq")),
        ("width_m", "f8"),
        ("width_speed", "f8"),
        ("width_force", "f8"),
        ("T_base_tcp", "f8", (7,)),
        ("error", "f8", (6,)),
        ("wrench", "f8", (6,)),
    ],
    align=True,
)
HL_LAW_V1 = np.dtype([("abi", "u4"), ("struct_size", "u4"), ("self", "u8"), ("step", "u8")], align=True)


class TableStepper:
    """Steps a compiled law as the loop would, one cycle a call."""

    def __init__(self, native: Native) -> None:
        raw = ctypes.string_at(native.address, HL_LAW_V1.itemsize)
        self.table = np.frombuffer(raw, dtype=HL_LAW_V1)[0]
        step = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 4)
        self._step, self._owner = step(int(self.table["step"])), native.owner
        self._before: int | None = None

    def step(self, state: RobotState, reference: CartesianCommand) -> tuple[int, RobotCommand]:
        """Return the status and the command of one cycle; the first call is the first cycle."""
        inputs = (_state(state, self._before), _reference(reference, first=self._before is None))
        command = np.zeros((), dtype=HL_COMMAND)
        addresses = (buffer.ctypes.data for buffer in (*inputs, command))
        status = int(self._step(int(self.table["self"]), *addresses))
        self._before = state.stamp
        return status, _command(command, len(state.q))


def _state(state: RobotState, before: int | None) -> npt.NDArray[Any]:
    struct, n = np.zeros((), dtype=HL_STATE), len(state.q)
    struct["stamp_ns"], struct["joints"] = state.stamp, n
    struct["period_ns"] = 1_000_000 if before is None else state.stamp - before
    struct["flags"] = FRESH | (COMPENSATES_GRAVITY if state.compensates_gravity else 0)
    for name in _JOINT_ARRAYS:
        value = getattr(state, name)
        struct[name][:n] = np.nan if value is None else value
    struct["jacobian"][:, :n] = state.jacobian
    struct["T_base_flange"], struct["wrench"] = state.T_base_flange, state.wrench
    struct["width_m"], struct["width_speed"], struct["width_force"] = state.width_m, np.nan, np.nan
    return struct


def _reference(reference: CartesianCommand, *, first: bool) -> npt.NDArray[Any]:
    struct = np.zeros((), dtype=HL_REFERENCE)
    struct["stamp_ns"], struct["flags"] = reference.stamp, FIRST if first else 0
    struct["T_base_tcp"], struct["twist"] = reference.pose, reference.twist
    struct["width_m"] = reference.width_m
    return struct


def _command(struct: npt.NDArray[Any], joints: int) -> RobotCommand:
    mode, width_m = int(struct["mode"]), float(struct["width_m"])
    return RobotCommand(
        tau=struct["tau"][:joints].copy() if mode == TORQUE else None,
        q=struct["q"][:joints].copy() if mode == POSITION else None,
        width_m=width_m,
    )
