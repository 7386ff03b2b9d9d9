"""Each way in which a pose stream is bad has its own name."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from handloom.streams import POSE, Samples
from handloom.testing import MemoryInputs, StepContract, synthetic_episode
from handloom_pose_sources import pose_quality
from handloom_pose_sources.pose_quality import PoseQuality, PoseQualityConfig

pytest_plugins = ("handloom.testing.fixtures",)


class TestPoseQuality(StepContract):
    component = PoseQuality

    def inputs(self, tmp_path):
        return synthetic_episode().inputs(pose="tracker.pose")


def test_its_entry_point_answers_it(only_these_plugins):
    host = only_these_plugins(steps={"pose_quality": pose_quality.__name__})
    assert host.load("steps", "pose_quality").component is PoseQuality


def _poses(count=200):
    stamps = np.arange(count, dtype=np.int64) * 10_000_000
    data = np.tile([0.0, 0, 0, 0, 0, 0, 1], (count, 1))
    data[:, 0] = np.arange(count) * 0.001
    return stamps, data, np.ones(count, bool)


def _verdict(stamps, data, tracked, **config):
    pose = Samples(
        type=attrs.evolve(POSE, frame="map", body="camera"),
        data=np.where(tracked[:, None], data, np.nan),
        stamps=stamps,
        tracked=tracked,
    )
    return PoseQuality(PoseQualityConfig(**config)).run(MemoryInputs(wired={"pose": pose}), lambda share: None)


def test_a_whole_smooth_stream_is_usable():
    outputs = _verdict(*_poses())
    assert outputs.attributes["usable"] is True
    assert outputs.attributes["reasons"] == []
    assert outputs.notes == ()
    assert outputs.attributes["speed_m_per_s"]["p50"] == pytest.approx(0.1)


def test_few_rows_are_too_few():
    assert _verdict(*_poses(50)).attributes["reasons"] == ["too_few_poses"]


def test_many_short_losses_are_low_coverage_without_a_long_gap():
    stamps, data, tracked = _poses()
    tracked[::4] = False
    assert _verdict(stamps, data, tracked).attributes["reasons"] == ["low_coverage"]


def test_one_long_loss_is_a_long_gap():
    stamps, data, tracked = _poses(1000)
    tracked[500:560] = False
    outputs = _verdict(stamps, data, tracked)
    assert outputs.attributes["reasons"] == ["long_gap"]
    assert outputs.notes == ("The longest time without a pose is 0.610 s; at most 0.5 s is allowed.",)


def test_a_teleport_is_a_jump_and_too_fast():
    stamps, data, tracked = _poses()
    data[100:, 1] = 0.2
    outputs = _verdict(stamps, data, tracked)
    assert outputs.attributes["reasons"] == ["jump", "too_fast"]
    assert outputs.attributes["jumps"] == 1


def test_a_flip_turns_too_fast():
    stamps, data, tracked = _poses()
    data[100, 3:] = [1, 0, 0, 0]
    assert _verdict(stamps, data, tracked).attributes["reasons"] == ["jump", "turns_too_fast"]
    relaxed = _verdict(stamps, data, tracked, jump_deg=181.0, speed_deg_per_s=1e5)
    assert relaxed.attributes["usable"] is True


def test_no_row_at_all_is_a_verdict_and_no_error():
    stamps, data, tracked = _poses(0)
    reasons = _verdict(stamps, data.reshape(0, 7), tracked).attributes["reasons"]
    assert reasons == ["low_coverage", "too_few_poses"]
