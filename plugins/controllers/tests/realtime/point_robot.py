"""The robot and the law of parts.cpp in Python's hands, and the chunks they are given."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from handloom.api import (
    CartesianCommand,
    Chunk,
    CollisionThresholds,
    JointLimits,
    Law,
    Native,
    Ports,
    Robot,
    RobotCommand,
    RobotState,
)
from handloom.errors import HandloomError
from handloom_controllers.native import library, new
from handloom_controllers.realtime.states import command_struct, state_of

_LONG, _SPAN, _DOUBLE = ctypes.c_int64, ctypes.c_int64 * 2, ctypes.c_double


class PointRobotFields(ctypes.Structure):
    """The robot of parts.cpp, field by field."""

    _fields_ = (
        ("table", ctypes.c_char * 40),
        *((name, _LONG) for name in ("stamp_ns", "period_ns", "reads", "writes", "damped", "periods", "stops")),
        ("reflex_at", _LONG),
        *((name, _SPAN) for name in ("lost", "read_fails", "write_fails", "slow", "jump")),
        ("slow_ns", _LONG),
        ("jump_ns", _LONG),
        ("mass", _DOUBLE),
        ("wrist", _DOUBLE),
        ("q", _DOUBLE * 3),
        ("dq", _DOUBLE * 3),
        *((name, _DOUBLE) for name in ("width_m", "command_width_m", "command_speed", "command_force", "damping")),
    )


class SpringLawFields(ctypes.Structure):
    """The law of parts.cpp, field by field."""

    _fields_ = (
        ("table", ctypes.c_char * 24),
        *((name, _LONG) for name in ("steps", "error_at", "nan_at", "damped_at", "clip_from")),
        ("stiffness", _DOUBLE),
        ("damping", _DOUBLE),
        ("room", _LONG),
        ("log", ctypes.c_void_p),
    )


LIMITS = JointLimits(
    names=("x", "y", "z"),
    lower=np.full(3, -1.0),
    upper=np.full(3, 1.0),
    velocity=np.full(3, 2.0),
    acceleration=np.full(3, 10.0),
    jerk=np.full(3, 1000.0),
    torque=np.full(3, 50.0),
    torque_rate=np.full(3, 1000.0),
    source="a test",
    edition="1",
)
THRESHOLDS = CollisionThresholds(force_n=40.0, torque_nm=35.0, joint_torque_nm=np.full(3, 40.0))


class PointRobot(Robot):
    """The robot of parts.cpp; with `compiled` false it is one without a table."""

    def __init__(self, parts: ctypes.CDLL, *, compiled: bool = True) -> None:
        super().__init__()
        self._address, self._compiled = parts.point_robot_new(), compiled
        self._state = new("hl_state")
        self.fields: Any = PointRobotFields.from_address(self._address)

    @classmethod
    def ports(cls, config: Any) -> Ports:
        return Ports()

    @property
    def limits(self) -> JointLimits:
        return LIMITS

    @property
    def collision_thresholds(self) -> CollisionThresholds:
        return THRESHOLDS

    def open(self) -> None:
        """Nothing to connect to."""

    def close(self) -> None:
        """Nothing to let go of."""

    def native(self) -> Native | None:
        return Native(address=self._address, owner=self) if self._compiled else None

    def read(self) -> RobotState:
        if library().call("hl_robot_read", self._address, self._state):
            raise OSError("no answer")
        return state_of(self._state)

    def write(self, command: RobotCommand) -> None:
        if library().call("hl_robot_write", self._address, command_struct(command, len(LIMITS.names))):
            raise OSError("not taken")

    def stop(self) -> None:
        library().call("hl_robot_stop", self._address)


class SpringLaw(Law):
    """The law of parts.cpp, with a log of the references it was given."""

    def __init__(self, parts: ctypes.CDLL, *, log: int = 20_000, T_flange_tcp: Any = None) -> None:
        super().__init__()
        self._address = parts.spring_law_new()
        self._T_flange_tcp = T_flange_tcp
        self.fields: Any = SpringLawFields.from_address(self._address)
        self.log = np.zeros((log, 9))
        self.fields.room, self.fields.log = log, self.log.ctypes.data

    @classmethod
    def ports(cls, config: Any) -> Ports:
        return Ports()

    @property
    def T_flange_tcp(self) -> Any:
        return super().T_flange_tcp if self._T_flange_tcp is None else self._T_flange_tcp

    def start(self, **_: Any) -> None:
        """Ready as it is."""

    def native(self) -> Native | None:
        return Native(address=self._address, owner=self)

    def step(self, state: RobotState, reference: CartesianCommand) -> RobotCommand:
        """Do in numpy what the table does."""
        cycle = self.fields.steps
        self.fields.steps += 1
        row = [float(reference.stamp), 0.0, *reference.pose[:3], *reference.twist[:3], reference.width_m]
        self.log[min(cycle, len(self.log) - 1)] = row
        if cycle == self.fields.error_at:
            raise HandloomError("The law has had enough.")
        error, difference = reference.pose[:3] - state.q, reference.twist[:3] - state.dq
        tau = self.fields.stiffness * error + self.fields.damping * difference
        if cycle == self.fields.nan_at:
            tau[1] = np.nan
        return RobotCommand(tau=tau, width_m=reference.width_m)

    def stop(self) -> None:
        """Nothing to forget."""

    @property
    def references(self) -> Any:
        """(N, 9) stamp, flags, position, linear velocity and width of the references so far."""
        return self.log[: min(self.fields.steps, len(self.log))]


START = 1_000_000_000
"""int64 ns, the robot's first stamp."""


def chunk_of(
    times_s: Any, x: Any, *, y: Any = 0.0, observed_s: float = 0.0, start: int = START, width_m: float = np.nan
) -> Chunk:
    """Return a chunk of positions along x, and y, by seconds after the start."""
    times, positions = np.atleast_1d(np.asarray(times_s, float)), np.atleast_1d(np.asarray(x, float))
    poses = np.zeros((len(times), 7))
    poses[:, 0], poses[:, 1], poses[:, 6] = positions, y, 1.0
    return Chunk(
        stamps=start + np.rint(times * 1e9).astype(np.int64),
        clock="robot",
        poses=poses,
        widths_m=np.full(len(times), width_m),
        frame="base",
        body="tcp",
        observed=start + round(observed_s * 1e9),
    )


def load(path: str) -> ctypes.CDLL:
    """Load parts.cpp as it was compiled."""
    parts = ctypes.CDLL(path)
    parts.point_robot_new.restype = parts.spring_law_new.restype = ctypes.c_void_p
    return parts
