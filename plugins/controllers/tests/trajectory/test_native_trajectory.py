"""The compiled trajectory is handed only arrays that it may read to their end."""

from __future__ import annotations

import gc
import math

import attrs
import numpy as np
import pytest

from handloom.errors import HandloomError
from handloom_controllers.native_trajectory import NativeTrajectory
from handloom_controllers.trajectory import TrajectoryConfig


@pytest.mark.parametrize("shape", [6, 8, (1, 7)])
def test_a_pose_of_another_length_is_refused(compiled, shape):
    trajectory = compiled()
    with pytest.raises(HandloomError, match=r"must have shape \(7,\)"):
        trajectory.start(0, np.ones(shape))
    with pytest.raises(HandloomError, match=r"`twist` must have shape \(6,\)"):
        trajectory.rebase(0, np.ones(7), np.ones(3))


def test_strided_and_single_precision_arrays_are_read_rightly(compiled):
    trajectory, pose = compiled(), np.array([0.25, -0.5, 0.75, 0.0, 0.0, 0.0, 1.0])
    for other in (np.repeat(pose, 2)[::2], pose.astype(np.float32)):
        trajectory.start(0, other, 0.05)
        assert np.array_equal(trajectory.at(0)[0], pose)


def test_stamps_that_are_no_integers_are_refused(compiled, make_chunk, make_pose):
    trajectory, chunk = compiled(), make_chunk([0.1], [make_pose(0, 0)])
    with pytest.raises(HandloomError, match="float64"):
        trajectory.splice(attrs.evolve(chunk, stamps=chunk.stamps.astype(np.float64)), 0)
    with pytest.raises(HandloomError, match="float64"):
        trajectory.at_many(np.zeros(3))


@pytest.mark.parametrize(
    "setting", [{"max_speed_m_per_s": 0.0}, {"braking_rad_per_s2": math.nan}, {"arm_latency_s": -0.1}]
)
def test_settings_that_mean_nothing_are_refused(native_once, setting):
    with pytest.raises(HandloomError, match=next(iter(setting))):
        TrajectoryConfig(**setting)
    broken = TrajectoryConfig()
    for name, value in setting.items():
        object.__setattr__(broken, name, value)  # past the check, as another caller of the library might
    with pytest.raises(HandloomError, match="refuses these settings"):
        NativeTrajectory(broken, native_once)


def test_it_can_be_given_back_twice_and_by_nobody(compiled):
    trajectory = compiled()
    trajectory.close()
    trajectory.close()
    del trajectory
    compiled()
    gc.collect()


def test_what_is_answered_is_not_overwritten_by_the_next_answer(compiled, make_chunk, make_pose):
    trajectory = compiled()
    trajectory.start(0, make_pose(0, 0), 0.05)
    trajectory.splice(make_chunk([1, 2], [make_pose(0.1, 0.1), make_pose(0.2, 0.2)], epoch=0), 0)
    first = trajectory.at(500_000_000)[0]
    kept = first.copy()
    trajectory.at(1_500_000_000)
    assert np.array_equal(first, kept)
    stamps = trajectory.pending(0)[0]
    trajectory.pending(1_500_000_000)
    assert stamps.tolist() == [1_000_000_000, 2_000_000_000]
