"""What every controller keeps: smooth, finite, within its caps, and not to be disturbed by a bad chunk."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from handloom.api import CartesianCommand, CartesianState, Fault
from handloom.testing.controller_scenario import REST, START, ControllerScenario, angle, distance, moved
from handloom.testing.hostile_chunks import hostile_chunks


class ControllerContract(ControllerScenario):
    """Inherit, name your class as `component`, and set the attributes to what your config allows."""

    def test_it_rests_where_it_was_started_until_a_chunk_comes(self) -> None:
        """No chunk, no motion."""
        for command, _ in self.steps(self.started(), 0, 0.1):
            assert np.allclose(command.pose, REST)
            assert np.allclose(command.twist, 0)

    def test_a_command_carries_the_stamp_of_its_tick(self) -> None:
        """It says which instant it is for."""
        commands = [command.stamp for command, _ in self.steps(self.started(), 0, 0.05)]
        assert commands == list(range(START, START + 50_000_000, self.tick_ns))

    def test_it_is_at_each_waypoint_in_time(self) -> None:
        """Waypoints are due at their own stamps."""
        controller = self.started()
        chunk = self.line(0.1, 1.0)
        assert controller.accept(chunk, START) is None
        by_stamp = {command.stamp: command.pose for command, _ in self.steps(controller, 0, 1.005)}
        for stamp, pose in zip(chunk.stamps[2:].tolist(), chunk.poses[2:], strict=True):
            assert distance(by_stamp[stamp], pose) < 1e-3
            assert angle(by_stamp[stamp], pose) < math.radians(0.1)

    def test_the_twist_is_the_velocity_of_the_pose(self) -> None:
        """Feed-forward removes the lag of the law behind it."""
        controller = self.started()
        controller.accept(self.line(0.1, 1.0), START)
        commands = [command for command, _ in self.steps(controller, 0, 0.9)]
        for before, command, after in zip(commands[80:], commands[81:], commands[82:], strict=False):
            velocity = (after.pose[:3] - before.pose[:3]) / (2e-9 * self.tick_ns)
            assert np.allclose(command.twist[:3], velocity, atol=0.01)
            turning = angle(before.pose, after.pose) / (2e-9 * self.tick_ns)
            assert abs(np.linalg.norm(command.twist[3:]) - turning) < 0.02

    def test_waypoints_already_past_are_dropped(self) -> None:
        """The rest of the chunk is followed."""
        controller = self.started()
        self.steps(controller, 0, 0.3)
        assert controller.accept(self.line(-0.2, 1.0, observed_s=-0.3), START + 300_000_000) is None
        last = self.steps(controller, 0.3, 1.005)[-1][0]
        assert distance(last.pose, moved(0.1, 0.2)) < 1e-3

    def test_pending_waypoints_before_the_new_chunk_survive(self) -> None:
        """A new chunk replaces what comes after its first waypoint, not what comes before.

        Where the caps are too low for the way to the new chunk it comes late, and that is told.
        """
        controller = self.started()
        controller.accept(self.line(0.1, 1.0), START)
        self.steps(controller, 0, 0.2)
        later = self.chunk([0.8, 0.9, 1.0], [(0.04, 0.0)] * 3, observed_s=0.1)
        assert controller.accept(later, START + 200_000_000) is None
        answers = self.steps(controller, 0.2, 2.0)
        commands = {command.stamp: command.pose for command, _ in answers}
        assert distance(commands[START + 600_000_000], moved(0.06, 0.12)) < 2e-3
        stretched = any(fault and fault.kind == "stretched_chunk" for _, fault in answers)
        arrived = max(commands) if stretched else START + 1_000_000_000
        assert distance(commands[arrived], moved(0.04, 0.0)) < 1e-3
        assert angle(commands[arrived], moved(0.04, 0.0)) < 1e-3

    def test_a_splice_is_smooth(self) -> None:
        """Poses and their velocities are continuous when a chunk comes in the middle of a motion.

        A step of the velocity would be 0.1 m/s and 0.2 rad/s; 12 m/s^2 and 25 rad/s^2 leave room for braking.
        """
        controller = self.started()
        controller.accept(self.line(0.1, 1.0), START)
        commands = [self.at_rest(), *(command for command, _ in self.steps(controller, 0, 0.5))]
        bend = self.chunk([0.6, 0.7, 0.8, 0.9], [(0.055, 0.1), (0.055, 0.1), (0.05, 0.08), (0.05, 0.08)], 0.4)
        assert controller.accept(bend, START + 500_000_000) is None
        commands += [command for command, _ in self.steps(controller, 0.5, 0.9)]
        for before, after in pairwise(commands):
            assert distance(before.pose, after.pose) < 0.3 * self.tick_ns * 1e-9
            if self.smooth:
                assert np.linalg.norm(after.twist[:3] - before.twist[:3]) < 12 * self.tick_ns * 1e-9
                assert np.linalg.norm(after.twist[3:] - before.twist[3:]) < 25 * self.tick_ns * 1e-9

    def test_speed_caps_hold_on_the_output(self) -> None:
        """However far apart the waypoints are."""
        controller = self.started()
        wild = self.chunk([0.01, 0.02, 0.03, 0.5], [(0.5, 3.0), (-0.5, -3.0), (0.3, 1.0), (0.2, 1.0)])
        assert controller.accept(wild, START) is None
        commands = [self.at_rest(), *(command for command, _ in self.steps(controller, 0, 2.0))]
        tick_s = self.tick_ns * 1e-9
        for before, after in pairwise(commands):
            assert distance(before.pose, after.pose) <= self.max_speed_m_per_s * tick_s * (1 + 1e-6)
            assert angle(before.pose, after.pose) <= self.max_speed_rad_per_s * tick_s * (1 + 1e-6)
            assert np.linalg.norm(after.twist[:3]) <= self.max_speed_m_per_s * (1 + 1e-6)
            assert np.linalg.norm(after.twist[3:]) <= self.max_speed_rad_per_s * (1 + 1e-6)

    def test_a_chunk_too_fast_for_the_caps_is_stretched_and_that_is_told(self) -> None:
        """The tool goes the whole way, later, and a fault names the delay."""
        controller = self.started()
        assert controller.accept(self.chunk([0.1, 0.2], [(0.1, 0.5), (0.2, 1.0)]), START) is None
        answers = self.steps(controller, 0, 6.0, every=4)
        told = [fault for _, fault in answers if fault and fault.kind == "stretched_chunk"]
        assert len(told) == 1, "nobody was told, or more than once"
        assert " s late" in told[0].message
        assert distance(answers[-1][0].pose, moved(0.2, 1.0)) < 1e-3

    def test_it_holds_after_the_last_waypoint_and_says_so(self) -> None:
        """A policy that answers no more is a fault; the arm stays."""
        controller = self.started()
        controller.accept(self.line(0.1, 0.5), START)
        answers = self.steps(controller, 0, 1.0)
        assert any(fault and fault.kind == "no_reference" for _, fault in answers), "nobody was told"
        late = [command for command, _ in answers if command.stamp > START + 700_000_000]
        assert all(distance(command.pose, moved(0.05, 0.1)) < 1e-3 for command in late)
        assert np.allclose(late[-1].twist, 0)

    def test_what_is_wrong_is_refused_without_disturbing_the_motion(self) -> None:
        """A refusal is a typed Fault; not one bit of the running trajectory changes."""
        now = START + 200_000_000
        for name, bad in hostile_chunks(self.line(0.4, 1.0, observed_s=0.1), now):
            calm, disturbed = self.started(), self.started()
            for controller in (calm, disturbed):
                controller.accept(self.line(0.1, 0.6), START)
                self.steps(controller, 0, 0.2, every=4)
            fault = disturbed.accept(bad, now)
            assert isinstance(fault, Fault), f"a chunk with {name} was taken"
            assert fault.message.endswith((".", "!", "?")), f"{name}: {fault.message!r} is not a sentence"
            calm_way, other_way = (self.steps(each, 0.2, 0.8, every=4) for each in (calm, disturbed))
            assert _same(calm_way, other_way), f"{name} changed the motion"

    def test_a_chunk_older_than_the_last_is_refused(self) -> None:
        """Replies may overtake one another on a wire."""
        controller = self.started()
        assert controller.accept(self.line(0.2, 1.0, observed_s=0.1), START + 100_000_000) is None
        assert controller.accept(self.line(0.2, 1.0, observed_s=0.0), START + 110_000_000) is not None

    def test_commands_stay_finite_whatever_comes_in(self) -> None:
        """Bad chunks and lost measurements at every tick."""
        controller = self.started()
        bad = [chunk for _, chunk in hostile_chunks(self.line(0.1, 0.6), START)]
        lost = np.full(7, np.nan)
        for tick in range(120):
            now = START + tick * self.tick_ns
            controller.accept(bad[tick % len(bad)], now)
            if tick % 7 == 0:
                controller.accept(self.line(tick / 200, tick / 200 + 0.5, observed_s=tick / 1000), now)
            command, _ = controller.step(now, CartesianState(stamp=now, pose=lost))
            assert np.isfinite(command.pose).all()
            assert np.isfinite(command.twist).all()
            assert abs(np.linalg.norm(command.pose[3:]) - 1) < 1e-6

    def test_stop_forgets_the_trajectory(self) -> None:
        """The next start begins anew, at rest."""
        controller = self.started()
        controller.accept(self.line(0.1, 1.0), START)
        self.steps(controller, 0, 0.5)
        controller.stop()
        controller.start(CartesianState(stamp=START, pose=REST.copy(), width_m=0.05))
        assert all(np.allclose(command.pose, REST) for command, _ in self.steps(controller, 0, 0.5))


def _same(first: list[tuple[CartesianCommand, Fault | None]], second: list[tuple[CartesianCommand, Any]]) -> bool:
    return all(
        np.array_equal(a.pose, b.pose) and np.array_equal(a.twist, b.twist)
        for (a, _), (b, _) in zip(first, second, strict=True)
    )
