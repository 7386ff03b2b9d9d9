"""The compiled trajectory, by each way of calling it, is the numpy one to 1e-9."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom_controllers.native_trajectory import NativeTrajectory
from handloom_controllers.numpy_trajectory import NumpyTrajectory
from handloom_controllers.trajectory import TrajectoryConfig

CONFIGS = (
    TrajectoryConfig(),
    TrajectoryConfig(contact_speed_m_per_s=0.2, arm_latency_s=0.05, width_latency_s=0.15),
    TrajectoryConfig(interpolation="linear", width_latency_s=0.03),
)


def same(one, other):
    """Say whether rows agree; a quaternion and its negative are one orientation."""
    flipped = np.sign((one[:, 3:7] * other[:, 3:7]).sum(axis=1, keepdims=True))
    other = np.hstack([other[:, :3], other[:, 3:7] * flipped, other[:, 7:]])
    return np.allclose(one, other, rtol=0, atol=1e-9, equal_nan=True)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), config=st.sampled_from(CONFIGS))
def test_every_backend_answers_the_same(native, wild, seed, config):
    plain, compiled = NumpyTrajectory(config), NativeTrajectory(config, native)
    motion = wild(seed)
    pose = motion.pose(np.array([0.4, 0, 0.3, 1, 0, 0, 0]), 0.3, 3.0)
    for trajectory in (plain, compiled):
        trajectory.start(motion.now, pose, 0.05)
    for _ in range(4):
        chunk = motion.chunk(plain.at(motion.now)[0])
        event, twist = motion.random.random(), motion.random.normal(size=6)
        tool = motion.pose(plain.at(motion.now)[0], 0.01, 0.01)
        reports = []
        for trajectory in (plain, compiled):
            if event < 0.15:
                trajectory.rebase(motion.now, tool, twist)
            elif event > 0.85:
                trajectory.brake(motion.now)
            reports.append(trajectory.splice(chunk, motion.now))
        assert reports[0].outcome == reports[1].outcome
        assert abs(reports[0].stretched_ns - reports[1].stretched_ns) <= 1
        span = max(plain.end - motion.now, 10**8)
        stamps = motion.now + np.linspace(-0.1 * span, 1.1 * span, 50).astype(np.int64)
        assert same(plain.at_many(stamps), compiled.at_many(stamps))
        assert same(plain.at_many(stamps[:3]), np.array([np.hstack(compiled.at(int(t))) for t in stamps[:3]]))
        assert np.array_equal(*(trajectory.pending(motion.now)[0] for trajectory in (plain, compiled)))
        motion.wait(plain)
