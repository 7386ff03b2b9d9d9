"""What every law keeps: finite commands within the limits, and a compiled table that does what Python does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, ClassVar

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import CartesianCommand, CollisionThresholds, JointLimits, RobotCommand, RobotState
from handloom.errors import HandloomError
from handloom.geometry import pose, quaternion
from handloom.testing import native_law
from handloom.testing.component_contract import ComponentContract
from handloom.testing.native_law import TableStepper
from handloom.testing.serial_arm import HOME, LIMITS, PERIOD_NS, THRESHOLDS, SerialArm, kinematics

Float64Array = npt.NDArray[np.float64]
START = 10_000_000_000

_PERIOD_S = PERIOD_NS * 1e-9
_HAIR = 1 + 1e-9


class LawContract(ComponentContract):
    """Inherit, and name your class as `component`.

    The arm is a made-up one of seven hinges that carries its own weight, as a Franka arm does.

    Attributes:
        limits: What its joints may do.
        thresholds: From where on it takes a contact for a collision.
    """

    limits: ClassVar[JointLimits] = LIMITS
    thresholds: ClassVar[CollisionThresholds] = THRESHOLDS

    def started(self) -> Any:
        """Return a law started on the arm at rest."""
        law = self.make()
        law.start(limits=self.limits, thresholds=self.thresholds, state=SerialArm(stamp=START).state())
        return law

    def test_its_tool_is_a_pose(self) -> None:
        """The loop reckons the tool's pose with it."""
        T_flange_tcp = self.make().T_flange_tcp
        assert T_flange_tcp.shape == (7,)
        assert abs(np.linalg.norm(T_flange_tcp[3:]) - 1) < 1e-6

    def test_a_law_that_was_not_started_says_so(self) -> None:
        """It knows no limits yet."""
        arm = SerialArm(stamp=START)
        try:
            self.make().step(arm.state(), _rest(self.make(), START))
        except HandloomError:
            return
        raise AssertionError("a law without limits gave a command")

    def test_it_rests_where_it_rests(self) -> None:
        """At its reference, at rest, nothing moves."""
        law, arm = self.started(), SerialArm(stamp=START)
        for _ in range(100):
            arm.obey(law.step(arm.state(), _rest(law, arm.stamp)))
        assert np.abs(arm.q - HOME).max() < 1e-3

    def test_every_command_is_finite_and_within_the_limits(self) -> None:
        """However the reference leaps, from the first cycle on."""
        law, arm = self.started(), SerialArm(stamp=START)
        self._check_commands(list(_commands(law.step, law, arm, cycles=240)))

    def test_what_is_not_finite_ends_in_an_error(self) -> None:
        """The caller stops the robot; a NaN never reaches it as a command."""
        for name, state, reference in _spoilt(self.make()):
            law = self.started()
            law.step(SerialArm(stamp=START).state(), _rest(law, START))
            try:
                command = law.step(state, reference)
            except HandloomError:
                continue
            assert _is_finite(command), f"{name} gave the command {command}"

    def test_stop_forgets_everything(self) -> None:
        """The next start begins anew."""
        law, fresh = self.started(), self.started()
        list(_commands(law.step, law, SerialArm(stamp=START), cycles=50))
        law.stop()
        law.start(limits=self.limits, thresholds=self.thresholds, state=SerialArm(stamp=START).state())
        ways = [list(_commands(each.step, each, SerialArm(stamp=START), cycles=50)) for each in (law, fresh)]
        assert all(np.array_equal(_numbers(a), _numbers(b), equal_nan=True) for a, b in zip(*ways, strict=True))

    def test_its_table_is_of_this_abi(self) -> None:
        """The loop refuses another."""
        native = self.started().native()
        if native is None:
            return
        table = TableStepper(native).table
        assert table["abi"] == native_law.ABI
        assert table["struct_size"] == native_law.HL_LAW_V1.itemsize
        assert table["step"]

    def test_its_table_does_what_python_does(self) -> None:
        """To 1e-9, so that what was tried in Python holds in the loop."""
        law, other = self.started(), self.started()
        native = other.native()
        if native is None:
            return
        stepper, arm = TableStepper(native), SerialArm(stamp=START)

        def both(state: RobotState, reference: CartesianCommand) -> RobotCommand:
            command: RobotCommand = law.step(state, reference)
            status, compiled = stepper.step(state, reference)
            assert status == native_law.OK
            assert np.allclose(_numbers(command), _numbers(compiled), rtol=0, atol=1e-9, equal_nan=True)
            return command

        list(_commands(both, law, arm, cycles=200))

    def test_its_table_never_commands_what_is_not_finite(self) -> None:
        """An error, or a finite command: the loop goes into a damped stop on the first."""
        for name, state, reference in _spoilt(self.make()):
            law = self.started()
            native = law.native()
            if native is None:
                return
            stepper = TableStepper(native)
            stepper.step(SerialArm(stamp=START).state(), _rest(law, START))
            status, command = stepper.step(state, reference)
            assert status != native_law.OK or _is_finite(command), f"{name} gave the command {command}"
            damped = command.tau is None and command.q is None
            assert damped or _is_finite(command), f"{name} left the command {command}"

    def _check_commands(self, commands: list[RobotCommand]) -> None:
        for before, command in pairwise([RobotCommand(tau=np.zeros(7), q=HOME), *commands]):
            assert _is_finite(command), f"{command} is no command"
            if command.tau is not None and before.tau is not None:
                assert (np.abs(command.tau) <= self.limits.torque * _HAIR).all()
                step = self.limits.torque_rate * _PERIOD_S
                assert (np.abs(command.tau - before.tau) <= step * _HAIR).all()
            if command.q is not None and before.q is not None:
                assert ((self.limits.lower <= command.q) & (command.q <= self.limits.upper)).all()
                assert (np.abs(command.q - before.q) <= self.limits.velocity * _PERIOD_S * _HAIR).all()


def _commands(
    step: Callable[[RobotState, CartesianCommand], RobotCommand], law: Any, arm: SerialArm, *, cycles: int
) -> Iterator[RobotCommand]:
    """Step a law on an arm that obeys, with a reference that turns, drifts and leaps."""
    rest = _rest(law, START).pose
    random = np.random.default_rng(4)
    leap = np.zeros(3)
    for cycle in range(cycles):
        if cycle % 80 == 40:
            leap = random.normal(scale=0.3, size=3)
        turn = quaternion.from_rotvec(np.array([0.0, 0.2 * np.sin(0.02 * cycle), 0.0]))
        drift = np.array([1e-4 * cycle, 0.0, 0.0])
        wanted = np.concatenate([rest[:3] + leap + drift, quaternion.multiply(turn, rest[3:])])
        if cycle % 3 == 0:
            wanted[3:] *= -1.0  # the same orientation from the other hemisphere
        twist = np.array([0.1, 0.0, 0.0, 0.0, 4.0 * np.cos(0.02 * cycle), 0.0])
        command = step(arm.state(), CartesianCommand(stamp=arm.stamp, pose=wanted, twist=twist))
        yield command
        arm.obey(command)


def _rest(law: Any, stamp: int) -> CartesianCommand:
    """Return the reference that rests where the tool is at home."""
    T_base_flange, _ = kinematics(HOME)
    T_base_tcp = pose.compose(T_base_flange, law.T_flange_tcp)
    return CartesianCommand(stamp=stamp, pose=T_base_tcp, twist=np.zeros(6))


def _spoilt(law: Any) -> Iterator[tuple[str, RobotState, CartesianCommand]]:
    """Yield states and references with a number that is none, and what is wrong with them."""
    arm = SerialArm(stamp=START + PERIOD_NS)
    state, rest = arm.state(), _rest(law, arm.stamp)
    for bad in (np.nan, np.inf, -np.inf):
        for name in ("q", "dq", "jacobian", "T_base_flange", "coriolis"):
            yield f"{bad} in {name}", _spoiled(state, name, bad), rest
        for name in ("pose", "twist"):
            yield f"{bad} in {name}", state, _spoiled(rest, name, bad)
    yield "a quaternion of 0", state, attrs.evolve(rest, pose=np.append(rest.pose[:3], np.zeros(4)))


def _spoiled(value: Any, name: str, bad: float) -> Any:
    array = getattr(value, name).copy()
    array.flat[-1] = bad
    return attrs.evolve(value, **{name: array})


def _numbers(command: RobotCommand) -> Float64Array:
    parts = [part for part in (command.tau, command.q) if part is not None]
    return np.concatenate([*parts, [command.width_m]])


def _is_finite(command: RobotCommand) -> bool:
    parts = [part for part in (command.tau, command.q) if part is not None]
    return bool(parts) and all(np.isfinite(part).all() for part in parts) and not np.isinf(command.width_m)
