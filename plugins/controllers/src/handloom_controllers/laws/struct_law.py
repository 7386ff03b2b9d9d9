"""What the kinds of laws share: states and commands in the structs of handloom_rt.h, and their life."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from handloom.api import (
    CartesianCommand,
    CollisionThresholds,
    JointLimits,
    Law,
    Native,
    Ports,
    RobotCommand,
    RobotState,
)
from handloom.errors import HandloomError
from handloom_controllers.laws.compiled import CompiledLaw
from handloom_controllers.laws.foreign import ForeignLaw
from handloom_controllers.laws.kinematics import Struct
from handloom_controllers.native import Library, NoNativeLibraryError, library, structs


class TableLaw(Protocol):
    """A law over the structs of handloom_rt.h, compiled or in numpy."""

    def step(self, state: Struct, reference: Struct, command: Struct) -> int:
        """Fill a command; returns HL_OK or HL_ERROR_*."""


class StructLaw(Law):
    """A law that is stepped over structs; a subclass says in `made` by what.

    Its Config has `rate_hz`, and `T_flange_tcp` where the tool is not the flange.
    """

    @classmethod
    def ports(cls, config: Any) -> Ports:
        """Declare nothing: states and references come through the contract of laws."""
        return Ports()

    def __init__(self, config: Any = None) -> None:
        super().__init__(config)
        self._table: TableLaw | None = None
        self._call: Callable[[], int] | None = None

    @property
    def T_flange_tcp(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """(7,) the point that the law moves."""
        told = getattr(self.config, "T_flange_tcp", None)
        return super().T_flange_tcp if told is None else np.array(told, dtype=np.float64)

    def start(self, *, limits: JointLimits, thresholds: CollisionThresholds, state: RobotState) -> None:
        """Get ready for an arm at rest at a measured state.

        Raises:
            HandloomError: The settings don't fit the arm, or the state is lost.
        """
        self.stop()
        _check_state(state, limits)
        self._state, self._reference = structs.new("hl_state"), structs.new("hl_reference")
        self._command = structs.new("hl_command")
        self._last_stamp: int | None = None
        self._table = self.made(limits, thresholds, state, _loaded())
        bound = getattr(self._table, "bound", None)
        buffers = (self._state, self._reference, self._command)
        self._call = bound(*buffers) if bound else lambda: self._running().step(*buffers)

    @abstractmethod
    def made(
        self, limits: JointLimits, thresholds: CollisionThresholds, state: RobotState, compiled: Library | None
    ) -> TableLaw:
        """Return the law for an arm.

        Args:
            limits: Of the arm.
            thresholds: Of the arm.
            state: Where it starts, at rest.
            compiled: This package's own library; None where it is not there, for a law in numpy.

        Raises:
            HandloomError: The settings don't fit the arm.
        """

    def native(self) -> Native | None:
        """Return the compiled table of a started law; None where the library is not there."""
        table = self._running()
        return Native(address=table.address, owner=table) if isinstance(table, CompiledLaw | ForeignLaw) else None

    def step(self, state: RobotState, reference: CartesianCommand) -> RobotCommand:
        """Return the command of this cycle.

        Raises:
            HandloomError: The law was not started, or what it is given is not finite.
        """
        self._running()
        put_state(state, self._last_stamp, self.config.rate_hz, self._state)
        put_reference(reference, self._last_stamp is None, self._reference)
        status = self._call() if self._call else structs.ERROR_ARGUMENT
        self._last_stamp = state.stamp
        if status != structs.OK:
            raise HandloomError(
                f"The law `{type(self).__name__}` has no command at {state.stamp} ns: the state or the reference "
                "is not finite or of another arm. Stop the robot."
            )
        return command_of(self._command, len(state.q))

    def stop(self) -> None:
        """Forget everything; the next `start` begins anew."""
        self._table = self._call = None

    def _running(self) -> Any:
        if self._table is None:
            raise HandloomError("The law has no arm to act on; call start first.")
        return self._table


def put_state(state: RobotState, last_stamp: int | None, rate_hz: float, struct: Struct) -> None:
    """Fill an `hl_state`; a stamp that is not newer than the last is not a fresh sample."""
    n = len(state.q)
    struct[...] = 0
    fresh = last_stamp is None or state.stamp > last_stamp
    struct["stamp_ns"], struct["joints"] = state.stamp, n
    struct["period_ns"] = state.stamp - last_stamp if last_stamp is not None else round(1e9 / rate_hz)
    struct["flags"] = fresh * structs.STATE_FRESH
    struct["flags"] |= state.compensates_gravity * structs.STATE_COMPENSATES_GRAVITY
    for name in ("q", "dq", "tau", "coriolis", "gravity"):
        struct[name][:n] = getattr(state, name)
    struct["tau_applied"][:n] = np.nan if state.tau_applied is None else state.tau_applied
    struct["jacobian"][:, :n] = state.jacobian
    struct["T_base_flange"], struct["wrench"] = state.T_base_flange, state.wrench
    struct["width_m"], struct["width_speed"] = state.width_m, state.width_speed_m_per_s
    struct["width_force"] = state.grip_force_n


def put_reference(reference: CartesianCommand, first: bool, struct: Struct) -> None:
    """Fill an `hl_reference`."""
    struct["stamp_ns"], struct["flags"] = reference.stamp, first * structs.REFERENCE_FIRST
    struct["T_base_tcp"], struct["twist"] = reference.pose, reference.twist
    struct["width_m"] = reference.width_m


def command_of(struct: Struct, joints: int) -> RobotCommand:
    """Return what an `hl_command` says."""
    width_m = float(struct["width_m"])
    if int(struct["mode"]) == structs.MODE_POSITION:
        return RobotCommand(q=struct["q"][:joints].copy(), width_m=width_m)
    if int(struct["mode"]) == structs.MODE_TORQUE:
        return RobotCommand(tau=struct["tau"][:joints].copy(), width_m=width_m)
    return RobotCommand(width_m=width_m)


def _loaded() -> Library | None:
    try:
        return library()
    except NoNativeLibraryError:
        return None


def _check_state(state: RobotState, limits: JointLimits) -> None:
    if state.q.shape != (len(limits.names),) or state.jacobian.shape != (6, len(limits.names)):
        raise HandloomError(
            f"The state has q {state.q.shape} and a Jacobian {state.jacobian.shape}; the limits are those of "
            f"{len(limits.names)} joints: {', '.join(limits.names)}."
        )
    if not (np.isfinite(state.q).all() and np.isfinite(state.T_base_flange).all()):
        raise HandloomError(f"A law can't start at the lost state q = {state.q.tolist()}.")
