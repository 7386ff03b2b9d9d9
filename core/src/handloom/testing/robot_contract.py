"""What every robot keeps: it says what it may do, measures what it claims, and refuses what it may not do."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import attrs
import numpy as np

from handloom.api import RobotCommand, RobotState
from handloom.errors import HandloomError
from handloom.geometry import quaternion
from handloom.testing.native_table import ABI, RobotTable, positions_from, table_at
from handloom.testing.refusal import sentence_from
from handloom.testing.robot_scenario import RobotScenario


class RobotContract(RobotScenario):
    """Inherit, name your class as `component`, and set the attributes to what your robot is.

    The tests move the robot by some thousandths of a radian a joint. They are made for a simulated one; before you
    let them loose on a real arm, give it room.
    """

    def test_limits_and_thresholds_are_known_before_it_is_open(self) -> None:
        """A law refuses settings that don't fit before anything can move."""
        robot = self.make()
        limits = robot.limits
        assert limits.names, "it has no joints"
        assert len(set(limits.names)) == len(limits.names), f"two joints are named alike: {limits.names}"
        assert limits.source, "its limits name no source"
        assert limits.edition, "its limits name no edition"
        thresholds = robot.collision_thresholds
        assert thresholds.force_n > 0
        assert thresholds.torque_nm > 0
        assert thresholds.joint_torque_nm.shape == (len(limits.names),)
        assert (thresholds.joint_torque_nm > 0).all()

    def test_what_is_not_open_says_so(self) -> None:
        """No motion by accident, and no answer made up."""
        robot = self.make()
        count = len(robot.limits.names)
        sentence_from(robot.read)
        sentence_from(lambda: robot.write(RobotCommand(q=np.zeros(count))))

    def test_a_state_is_whole(self) -> None:
        """Shapes, units of a rotation, and what has to be known is finite."""
        with self.opened() as robot:
            limits = robot.limits
            for state in self.rested(robot, 3):
                self.check(state, len(limits.names))
                assert state.reflexes == (), f"at rest it reports {state.reflexes}"
                assert (state.q >= limits.lower).all(), "it starts below its range"
                assert (state.q <= limits.upper).all(), "it starts above its range"

    def check(self, state: RobotState, count: int) -> None:
        """Check one state of a robot of `count` joints."""
        for name in ("q", "dq", "tau", "coriolis", "gravity"):
            assert getattr(state, name).shape == (count,), f"{name} has shape {getattr(state, name).shape}"
        assert state.tau_applied is None or state.tau_applied.shape == (count,)
        assert state.jacobian.shape == (6, count)
        assert state.T_base_flange.shape == (7,)
        assert state.wrench.shape == (6,)
        known = ["q", "dq", "jacobian", "T_base_flange"]
        for name in [*known, "tau", "coriolis", "gravity"] if self.measures_torque else known:
            assert np.isfinite(getattr(state, name)).all(), f"{name} is not finite: {getattr(state, name)}"
        assert not np.isinf(state.wrench).any(), "an unknown wrench is NaN, not infinite"
        assert abs(np.linalg.norm(state.T_base_flange[3:]) - 1) < 1e-6, "the flange's quaternion has not length 1"

    def test_held_it_stays_where_it_is(self) -> None:
        """Whether a torque has to carry the arm's own weight is told by the state, and has to be true."""
        with self.opened() as robot:
            states = self.rested(robot, 100)
        if self.moves:
            drift = np.abs(states[-1].q - states[0].q).max()
            assert drift < 1e-3, f"held, it moves by {drift:.3g} rad"

    def test_stamps_rise_with_every_command(self) -> None:
        """A loop takes its time from them."""
        with self.opened() as robot:
            stamps = [state.stamp for state in self.rested(robot, 20)]
        assert all(isinstance(stamp, int) for stamp in stamps), "a stamp is no int"
        assert all(before < after for before, after in pairwise(stamps)), stamps

    def test_a_state_stays_what_it_was(self) -> None:
        """Whoever keeps one finds the same numbers later."""
        with self.opened() as robot:
            first = robot.read()
            kept = attrs.evolve(first, q=first.q.copy(), jacobian=first.jacobian.copy())
            self.pushed(robot, 0)
        assert np.array_equal(first.q, kept.q)
        assert np.array_equal(first.jacobian, kept.jacobian)

    def test_the_jacobian_is_the_derivative_of_the_flange(self) -> None:
        """A law maps forces through it; a sign or a column astray pushes the wrong way."""
        for joint in range(len(self.make().limits.names)):
            with self.opened() as robot:
                states = self.pushed(robot, joint)
            turned = float(np.abs(states[-1].q - states[0].q).max())
            if self.moves:
                assert abs(states[-1].q[joint] - states[0].q[joint]) > 1e-3, f"joint {joint} did not move"
            told = sum(
                0.5 * (before.jacobian + after.jacobian) @ (after.q - before.q)
                for before, after in pairwise(states)
            )
            seen = _moved(states[0], states[-1])
            assert np.allclose(told, seen, rtol=0, atol=1e-6 + 2e-3 * turned), (
                f"joint {joint}: {told} is not {seen}"
            )

    def test_velocities_are_those_of_the_positions(self) -> None:
        """A law damps with them."""
        with self.opened() as robot:
            states = self.pushed(robot, 0)
        elapsed_s = (states[-1].stamp - states[0].stamp) * 1e-9
        assert elapsed_s > 0, "its stamps stand still"
        told = np.mean([0.5 * (a.dq + b.dq) for a, b in pairwise(states)], axis=0)
        seen = (states[-1].q - states[0].q) / elapsed_s
        assert np.allclose(told, seen, rtol=0, atol=1e-3 + 0.1 * float(np.abs(seen).max()))

    def test_a_command_that_may_not_be_is_refused_or_ends_in_a_reflex(self) -> None:
        """And the robot still measures finite values afterwards."""
        with self.opened() as robot:
            names = [name for name, _ in self.forbidden(robot.read(), robot.limits)]
        for place, name in enumerate(names):
            with self.opened() as robot:
                command = list(self.forbidden(robot.read(), robot.limits))[place][1]
                assert self.is_stopped(robot, command), f"it follows {name}"
                assert np.isfinite(robot.read().q).all(), f"after {name} its positions are not finite"

    def is_stopped(self, robot: Any, command: RobotCommand, cycles: int = 20) -> bool:
        """Write a command some times; return whether it was refused, or met by a reflex."""
        for _ in range(cycles):
            try:
                robot.write(command)
            except HandloomError as error:
                message = str(error)
                break
            if robot.read().reflexes:
                return True
        else:
            return False
        assert message.endswith((".", "!", "?")), f"the refusal is not a sentence: {message}"
        return True

    def test_a_command_for_another_number_of_joints_is_refused(self) -> None:
        """It comes from another arm's law."""
        with self.opened() as robot:
            more = np.zeros(len(robot.limits.names) + 1)
            sentence_from(
                lambda: robot.write(RobotCommand(tau=more) if self.torque_controlled else RobotCommand(q=more))
            )

    def test_a_command_of_torques_and_positions_at_once_is_refused(self) -> None:
        """Nobody could follow both."""
        with self.opened() as robot:
            zeros = np.zeros(len(robot.limits.names))
            sentence_from(lambda: robot.write(RobotCommand(tau=zeros, q=robot.read().q)))

    def test_stop_brings_it_to_rest_and_is_harmless_there(self) -> None:
        """Whoever is not sure stops it once more."""
        with self.opened() as robot:
            self.pushed(robot, 0)
            robot.stop()
            robot.stop()
            for _ in range(self.most_cycles):
                robot.write(RobotCommand())
            state = robot.read()
            robot.stop()
        assert np.isfinite(state.q).all()
        if self.moves:
            assert np.abs(state.dq).max() < 0.02, f"stopped, it still moves: {state.dq}"

    def test_a_width_that_is_nan_leaves_the_gripper_alone(self) -> None:
        """Most commands are for the arm only."""
        with self.opened() as robot:
            states = self.rested(robot, 20)
        if self.moves and np.isfinite(states[0].width_m):
            assert abs(states[-1].width_m - states[0].width_m) < 1e-4

    def test_it_closes_twice_and_opens_again(self) -> None:
        """Closing is harmless whenever; the same robot can be had anew."""
        robot = self.make()
        robot.close()
        for _ in range(2):
            robot.open()
            count = len(robot.limits.names)
            self.check(robot.read(), count)
            robot.close()
            robot.close()
        sentence_from(robot.read)

    def test_its_table_is_what_the_header_says(self) -> None:
        """The real-time loop calls nothing else; a robot in Python has none."""
        with self.opened() as robot:
            native = robot.native()
            if native is None:
                return
            table = table_at(native.address)
            assert table.abi == ABI, f"the table's abi is {table.abi}; expected {ABI}"
            size = RobotTable.stop.offset + RobotTable.stop.size
            assert table.struct_size == size, f"the table's struct_size is {table.struct_size}; expected {size}"
            assert table.read, "the table's read is null"
            assert table.write, "the table's write is null"
            assert table.stop, "the table's stop is null"
            assert np.allclose(positions_from(table), robot.read().q, atol=0.01), "the table reads another robot"


def _moved(start: RobotState, end: RobotState) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return how the flange moved (6,): metres, and a rotation vector in base axes."""
    turn = quaternion.multiply(end.T_base_flange[3:], quaternion.conjugate(start.T_base_flange[3:]))
    return np.concatenate([end.T_base_flange[:3] - start.T_base_flange[:3], quaternion.to_rotvec(turn)])
