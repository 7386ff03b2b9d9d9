"""The contract of laws catches what would hurt a robot."""

from __future__ import annotations

import inspect
from typing import ClassVar

import numpy as np
import pytest

from handloom.api import Law, Native, Ports, RobotCommand
from handloom.errors import HandloomError
from handloom.testing import LawContract
from handloom.testing.serial_arm import HOME, kinematics


class Still(Law):
    """Damps the joints, within torque and rate."""

    summary = "Stays where it is"
    step_nm = 1.0

    @classmethod
    def ports(cls, config):
        return Ports()

    def start(self, *, limits, thresholds, state):
        self.limits, self.before = limits, np.zeros(7)

    def wanted(self, state, reference):
        numbers = [state.q, state.dq, state.jacobian.ravel(), state.T_base_flange, state.coriolis]
        if not all(np.isfinite(array).all() for array in [*numbers, reference.pose, reference.twist]):
            raise HandloomError("Not finite.")
        return -3.0 * state.dq + 10.0 * (HOME - state.q) + 30 * (reference.pose[0] - kinematics(state.q)[0][0])

    def step(self, state, reference):
        if not hasattr(self, "limits"):
            raise HandloomError("Call start first.")
        tau = np.clip(self.wanted(state, reference), self.before - self.step_nm, self.before + self.step_nm)
        self.before = np.clip(tau, -self.limits.torque, self.limits.torque)
        return RobotCommand(tau=self.before)

    def stop(self):
        del self.limits


class StepsItsTorque(Still):
    step_nm = 50.0


class KnowsNoLimits(Still):
    def wanted(self, state, reference):
        return 100 * super().wanted(state, reference)

    def step(self, state, reference):
        if not hasattr(self, "limits"):
            raise HandloomError("Call start first.")
        self.before = np.clip(self.wanted(state, reference), self.before - 1, self.before + 1)
        return RobotCommand(tau=self.before)


class PassesNanOn(Still):
    def wanted(self, state, reference):
        return -state.dq + 30 * (reference.pose[0] - kinematics(HOME)[0][0])


class RunsAway(Still):
    def wanted(self, state, reference):
        return super().wanted(state, reference) + 5.0


class NeverStops(Still):
    def start(self, *, limits, thresholds, state):
        if not hasattr(self, "limits"):
            super().start(limits=limits, thresholds=thresholds, state=state)

    def stop(self):
        pass


class StartsByItself(Still):
    def step(self, state, reference):
        return RobotCommand(tau=np.zeros(7))


class AnotherAbi(Still):
    def native(self):
        table = np.array([7, 0, 0, 0, 0, 0], dtype=np.uint32)
        return Native(address=table.ctypes.data, owner=table)


def _broken(component_):
    class Harness(LawContract):
        component: ClassVar[type] = component_

    failed = []
    for name, test in inspect.getmembers(Harness, inspect.isfunction):
        # A table of another ABI is not stepped: there is nothing behind it.
        unsafe = component_ is AnotherAbi and name != "test_its_table_is_of_this_abi"
        if not name.startswith("test_") or unsafe or name in _SLOW:
            continue
        try:
            test(Harness())
        except AssertionError:
            failed.append(name.removeprefix("test_"))
    return failed


_SLOW = ("test_listing_imports_no_heavy_library", "test_making_one_opens_nothing")


class TestStill(LawContract):
    component = Still


@pytest.mark.parametrize(
    ("component", "caught"),
    [
        (StepsItsTorque, ["every_command_is_finite_and_within_the_limits"]),
        (KnowsNoLimits, ["every_command_is_finite_and_within_the_limits"]),
        (PassesNanOn, ["what_is_not_finite_ends_in_an_error"]),
        (RunsAway, ["it_rests_where_it_rests"]),
        (NeverStops, ["stop_forgets_everything"]),
        (StartsByItself, ["a_law_that_was_not_started_says_so"]),
        (AnotherAbi, ["its_table_is_of_this_abi"]),
    ],
)
def test_a_law_that_would_hurt_a_robot_is_caught(component, caught):
    assert _broken(component) == caught
