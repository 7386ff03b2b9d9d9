"""The law that puts IK and gate before an arm: whatever the reference does, what is commanded keeps the limits."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from benchmarks.gate_judge import allowed, judge
from handloom.api import CartesianCommand, RobotCommand, RobotState
from handloom.errors import ConfigError, HandloomError
from handloom.geometry import pose
from handloom_controllers.arms import fr3
from handloom_controllers.gate import GateSettings
from handloom_controllers.gated_following import GatedFollowing, GatedFollowingConfig

ARM = fr3()
MS = 1_000_000
FLANGE = pose.from_matrix(ARM.chain.forward(ARM.home))
TOOL = pose.compose(FLANGE, ARM.T_flange_tcp)


def state(stamp: int = 0, T_base_flange: np.ndarray = FLANGE) -> RobotState:
    nothing = np.zeros(7)
    return RobotState(
        stamp=stamp, q=ARM.home.copy(), dq=nothing, tau=nothing, jacobian=np.zeros((6, 7)), coriolis=nothing,
        T_base_flange=T_base_flange, gravity=nothing, wrench=np.full(6, np.nan), width_m=0.05,
    )  # fmt: skip


def started(**settings: object) -> GatedFollowing:
    law = GatedFollowing(GatedFollowingConfig(**settings))  # type: ignore[arg-type]
    law.start(limits=ARM.limits, thresholds=ARM.thresholds, state=state())
    return law


def run(law: GatedFollowing, poses: np.ndarray, *, stamps: np.ndarray | None = None) -> list[RobotCommand]:
    """Return the command of every millisecond."""
    given = MS * np.arange(len(poses)) if stamps is None else stamps
    return [
        law.step(state(stamp), CartesianCommand(stamp=stamp, pose=each, twist=np.zeros(6), width_m=0.02))
        for stamp, each in zip(given.tolist(), poses, strict=True)
    ]


def broken(commands: list[RobotCommand]) -> int:
    """Count what is broken by an arm that takes one command a millisecond."""
    q = np.array([command.q for command in commands])
    return judge(allowed(ARM), ARM.home, q, period_s=1e-3).total


def leaping(cycles: int) -> np.ndarray:
    poses = np.tile(TOOL, (cycles, 1))
    rng = np.random.default_rng(3)
    for begin in range(100, cycles, 150):
        poses[begin:, :3] = TOOL[:3] + rng.normal(scale=0.2, size=3)
    return poses


def test_at_its_reference_it_rests() -> None:
    commands = run(started(), np.tile(TOOL, (60, 1)))
    assert max(np.abs(command.q - ARM.home).max() for command in commands) < 1e-9
    assert commands[-1].width_m == pytest.approx(0.05 - 6 * 0.002)


def test_leaps_of_the_reference_keep_every_limit_at_the_loops_own_rate() -> None:
    commands = run(started(), leaping(900))
    assert broken(commands) == 0
    assert np.abs(commands[-1].q - ARM.home).max() > 0.1, "it never moved"


def test_a_clock_that_is_set_keeps_every_limit_too() -> None:
    poses = leaping(900)
    for jump in (10**12, -(10**12)):
        law = started()
        stamps = MS * np.arange(len(poses)) + jump * (np.arange(len(poses)) >= 400)
        assert broken(run(law, poses, stamps=stamps)) == 0
        assert {"missed_slots", "clock_jump"} & {fault.kind for fault in law.noticed()}


def test_the_reference_is_reached() -> None:
    poses = np.tile(TOOL, (1500, 1))
    poses[:, 1] += 0.05 * np.minimum(np.arange(1500) / 600, 1)
    q = run(started(), poses)[-1].q
    assert q is not None
    found = pose.compose(pose.from_matrix(ARM.chain.forward(q)), ARM.T_flange_tcp)
    assert np.abs(found[:3] - poses[-1, :3]).max() < 2e-4


def test_a_reference_that_is_no_pose_brakes_and_is_noticed_once() -> None:
    law = started()
    poses = leaping(1200)
    poses[300:] = np.nan
    commands = run(law, poses)
    assert broken(commands) == 0
    assert np.abs(commands[-1].q - commands[-50].q).max() == 0
    assert [fault.kind for fault in law.noticed()] == ["solver_failed", "stale_stream"]


def test_what_was_noticed_is_kept_after_a_stop_and_forgotten_at_the_next_start() -> None:
    law = started()
    run(law, np.full((20, 7), np.nan))
    law.stop()
    assert law.noticed()
    law.start(limits=ARM.limits, thresholds=ARM.thresholds, state=state())
    assert not law.noticed()


def test_a_robot_of_other_joints_is_refused() -> None:
    other = attrs.evolve(ARM.limits, names=tuple(f"other{number}" for number in range(7)))
    with pytest.raises(HandloomError, match="the robot has other0"):
        GatedFollowing().start(limits=other, thresholds=ARM.thresholds, state=state())


def test_another_arm_whose_joints_are_called_the_same_is_refused() -> None:
    """The first reference is where the robot measures its tool; by another model that is a leap."""
    elsewhere = FLANGE + np.array([0.0, 0.0, 0.05, 0.0, 0.0, 0.0, 0.0])
    with pytest.raises(HandloomError, match=r"has the tool 0\.05 m"):
        GatedFollowing().start(limits=ARM.limits, thresholds=ARM.thresholds, state=state(T_base_flange=elsewhere))


def test_the_robots_own_limits_hold_where_they_are_lower() -> None:
    slow = attrs.evolve(ARM.limits, velocity=np.full(7, 0.1))
    law = GatedFollowing()
    law.start(limits=slow, thresholds=ARM.thresholds, state=state())
    q = np.array([command.q for command in run(law, leaping(900))])
    assert np.abs(np.diff(q, axis=0)).max() <= 0.1e-3 + 1e-12


def test_a_rate_that_is_no_multiple_of_the_gates_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"2\.5 calls a period"):
        GatedFollowingConfig(rate_hz=250.0)
    with pytest.raises(ConfigError, match="expected a whole number"):
        GatedFollowingConfig(gate=GateSettings(period_s=1e-4))


def test_a_law_that_was_not_started_says_so() -> None:
    with pytest.raises(HandloomError, match="call start first"):
        GatedFollowing().step(state(), CartesianCommand(stamp=0, pose=TOOL, twist=np.zeros(6)))


def test_it_has_no_compiled_table() -> None:
    assert started().native() is None
