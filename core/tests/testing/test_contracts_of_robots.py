"""The contract of robots passes an arm that is what it says, and catches what would hurt or mislead a law."""

from __future__ import annotations

import ctypes
import inspect
from typing import ClassVar

import attrs
import numpy as np
import pytest

from handloom.api import CollisionThresholds, JointLimits, Native, Ports, Robot, RobotState
from handloom.errors import HandloomError
from handloom.testing import RobotContract
from handloom.testing.native_table import RobotTable

LIMITS = JointLimits(
    names=("first", "second"),
    lower=np.array([-2.0, -2.0]),
    upper=np.array([2.0, 2.0]),
    velocity=np.array([2.0, 2.0]),
    acceleration=np.full(2, np.inf),
    jerk=np.full(2, np.inf),
    torque=np.array([20.0, 10.0]),
    torque_rate=np.full(2, np.inf),
    source="a test",
    edition="1",
)


class Plane(Robot):
    """Two joints of inertia 1 in a plane, without gravity."""

    summary = "Two joints in a plane"
    step_s = 0.001
    state: RobotState | None = None

    @classmethod
    def ports(cls, config):
        return Ports()

    @property
    def limits(self):
        return LIMITS

    @property
    def collision_thresholds(self):
        return CollisionThresholds(force_n=10.0, torque_nm=10.0, joint_torque_nm=np.full(2, 10.0))

    def open(self):
        self.q, self.dq, self.stamp, self.isopen = np.array([0.4, 0.9]), np.zeros(2), 0, True
        self.damped = False

    def close(self):
        self.isopen = False

    def check(self):
        if not getattr(self, "isopen", False):
            raise HandloomError("It is not open; open it first.")

    def jacobian(self):
        first, both = self.q[0], self.q.sum()
        tip = 0.3 * np.array([np.cos(both), np.sin(both)])
        whole = tip + 0.4 * np.array([np.cos(first), np.sin(first)])
        jacobian = np.zeros((6, 2))
        jacobian[:2] = [[-whole[1], -tip[1]], [whole[0], tip[0]]]
        jacobian[5] = 1
        return whole, jacobian

    def read(self):
        self.check()
        whole, jacobian = self.jacobian()
        half = self.q.sum() / 2
        return RobotState(
            stamp=self.stamp,
            q=self.q.copy(),
            dq=self.dq.copy(),
            tau=np.zeros(2),
            coriolis=np.zeros(2),
            gravity=np.zeros(2),
            jacobian=jacobian,
            T_base_flange=np.array([*whole, 0, 0, 0, np.sin(half), np.cos(half)]),
            wrench=np.full(6, np.nan),
        )

    def refuse(self, command):
        for table in (command.tau, command.q):
            if table is not None and (table.shape != (2,) or not np.isfinite(table).all()):
                raise HandloomError("The command is not two finite numbers; send two.")
        if command.tau is not None and command.q is not None:
            raise HandloomError("The command has torques and positions; send one of them.")
        if command.tau is not None and (np.abs(command.tau) > LIMITS.torque).any():
            raise HandloomError("The torques are beyond the limits; send less.")

    def write(self, command):
        self.check()
        self.refuse(command)
        self.dq = 0.98 * self.dq if command.tau is None else self.dq + self.step_s * command.tau
        self.q = self.q + self.step_s * self.dq
        self.stamp += 1_000_000

    def stop(self):
        pass


class MirroredColumn(Plane):
    def jacobian(self):
        whole, jacobian = super().jacobian()
        return whole, jacobian * [1, -1]


class FollowsAnything(Plane):
    def refuse(self, command):
        if command.tau is not None and command.tau.shape != (2,):
            raise HandloomError("The command is for another arm; send two torques.")
        if command.tau is not None and command.q is not None:
            raise HandloomError("The command has torques and positions; send one of them.")


class TakesLongCommands(Plane):
    def refuse(self, command):
        if command.tau is not None and len(command.tau) == 3:
            return
        super().refuse(command)

    def write(self, command):
        super().write(attrs.evolve(command, tau=None if command.tau is None else command.tau[:2]))


class AnswersWhenClosed(Plane):
    def read(self):
        if not getattr(self, "isopen", False):
            self.open()
            self.isopen = False
            self.check = lambda: None
        return super().read()


class NeverStops(Plane):
    def write(self, command):
        super().write(command)
        if command.tau is None:
            self.dq = np.full(2, 0.1)


class SharesItsState(Plane):
    def read(self):
        state = super().read()
        self.shared = getattr(self, "shared", state)
        self.shared.q[:] = state.q
        return attrs.evolve(state, q=self.shared.q)


class StandsInTime(Plane):
    def write(self, command):
        super().write(command)
        self.stamp -= 1_000_000


class CountsVelocityInDegrees(Plane):
    def read(self):
        state = super().read()
        return attrs.evolve(state, dq=np.degrees(state.dq))


class Sags(Plane):
    def write(self, command):
        super().write(command)
        self.dq = self.dq - 9.81 * self.step_s


class OldTable(Plane):
    abi = 7

    def native(self):
        self.table = RobotTable(abi=self.abi, struct_size=40)
        return Native(address=ctypes.addressof(self.table), owner=self)


class HollowTable(OldTable):
    abi = 1


class TestPlane(RobotContract):
    component = Plane


def broken(component_):
    class Harness(RobotContract):
        component: ClassVar[type] = component_

    failed = []
    for name, test in inspect.getmembers(Harness, inspect.isfunction):
        if name.startswith("test_") and name not in (
            "test_listing_imports_no_heavy_library",
            "test_making_one_opens_nothing",
        ):
            try:
                test(Harness())
            except AssertionError:
                failed.append(name.removeprefix("test_"))
    return failed


@pytest.mark.parametrize(
    ("component", "rules"),
    [
        (MirroredColumn, ["the_jacobian_is_the_derivative_of_the_flange"]),
        (FollowsAnything, ["a_command_that_may_not_be_is_refused_or_ends_in_a_reflex"]),
        (TakesLongCommands, ["a_command_for_another_number_of_joints_is_refused"]),
        (AnswersWhenClosed, ["it_closes_twice_and_opens_again", "what_is_not_open_says_so"]),
        (NeverStops, ["stop_brings_it_to_rest_and_is_harmless_there"]),
        (SharesItsState, ["a_state_stays_what_it_was"]),
        (StandsInTime, ["stamps_rise_with_every_command"]),
        (CountsVelocityInDegrees, ["velocities_are_those_of_the_positions"]),
        (Sags, ["held_it_stays_where_it_is"]),
        (OldTable, ["its_table_is_what_the_header_says"]),
        (HollowTable, ["its_table_is_what_the_header_says"]),
    ],
)
def test_a_robot_that_breaks_a_rule_fails_its_test(component, rules):
    assert set(rules) <= set(broken(component))


def test_a_robot_that_keeps_them_fails_none():
    assert broken(Plane) == []
