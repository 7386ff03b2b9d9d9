"""A policy and a controller of two distributions drive a tool together, late, on a clock moved by hand."""

from __future__ import annotations

import numpy as np
import pytest

from handloom.api import CartesianState, Observation
from handloom.testing import FakeClock
from handloom_controllers.cartesian_follower import CartesianFollower
from handloom_models.minimum_jerk import MinimumJerk, MinimumJerkConfig

GOAL = (0.5, -0.2, 0.2, 0.0, 1.0, 0.0, 0.0)
START = np.array([0.4, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0])
TICK_NS = 10_000_000
EVERY_TICKS = 40


def _drive(latency_ticks, *, seconds=8.0):
    """Observe every 0.4 s, answer `latency_ticks` later, follow at 100 Hz; return poses and kinds of fault."""
    clock = FakeClock("robot", start_ns=10**10)
    policy, controller = MinimumJerk(MinimumJerkConfig(goals=(GOAL,))).open(), CartesianFollower()
    policy.reset(0)
    pose, poses, faults, answer = START, [], [], None
    controller.start(CartesianState(stamp=clock.now().ns, pose=pose))
    for tick in range(round(seconds * 100)):
        now = clock.now().ns
        if tick % EVERY_TICKS == 0:
            answer = policy.predict(Observation(stamp=now, clock="robot", streams={"pose": pose[None]}))
        if answer and tick % EVERY_TICKS == latency_ticks:
            faults.append(controller.accept(answer, now))
        command, fault = controller.step(now, CartesianState(stamp=now, pose=pose))
        faults.append(fault)
        pose = command.pose
        poses.append(pose)
        clock.advance(TICK_NS)
    return np.array(poses), [fault.kind for fault in faults if fault]


@pytest.mark.parametrize("latency_ticks", [0, 10, 30])
def test_the_tool_reaches_the_goal_smoothly_whatever_the_latency(latency_ticks):
    poses, faults = _drive(latency_ticks)
    assert faults == []
    assert np.allclose(poses[-1, :3], GOAL[:3], atol=1e-3)
    assert abs(poses[-1, 3:] @ np.array(GOAL[3:])) == pytest.approx(1, abs=1e-4)
    velocity = np.diff(poses[:, :3], axis=0) / (TICK_NS * 1e-9)
    assert np.linalg.norm(velocity, axis=1).max() <= 1.0
    assert np.linalg.norm(np.diff(velocity, axis=0), axis=1).max() < 10 * TICK_NS * 1e-9


def test_a_policy_slower_than_its_chunks_is_refused_and_the_tool_stays():
    clock, controller = FakeClock("robot"), CartesianFollower()
    policy = MinimumJerk(MinimumJerkConfig(goals=(GOAL,))).open()
    controller.start(CartesianState(stamp=0, pose=START))
    chunk = policy.predict(Observation(stamp=0, clock="robot", streams={"pose": START[None]}))
    clock.advance(2_000_000_000)  # the chunk lasts 1.6 s
    fault = controller.accept(chunk, clock.now().ns)
    assert fault.kind == "late_chunk"
    command, _ = controller.step(clock.now().ns, CartesianState(stamp=clock.now().ns, pose=START))
    assert np.allclose(command.pose, START)
