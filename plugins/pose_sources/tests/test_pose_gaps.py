"""A frozen tracker's rows are gaps, and nothing else is."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from handloom.errors import StepError
from handloom.geometry import pose
from handloom.streams import POSE, Samples
from handloom.testing import MemoryInputs, StepContract
from handloom_pose_sources import pose_gaps
from handloom_pose_sources.pose_gaps import PoseGaps, PoseGapsConfig

pytest_plugins = ("handloom.testing.fixtures",)


def _poses(count=60, *, frame="map", frozen=slice(20, 32)):
    data = pose.exp(np.random.default_rng(0).normal(size=(count, 6)) * 0.01)
    data[frozen] = data[frozen.start - 1]
    data[5] = np.nan
    return Samples(
        type=attrs.evolve(POSE, frame=frame, body="tcp", clock="camera"),
        data=data,
        stamps=np.arange(count, dtype=np.int64) * 10**7,
        tracked=np.arange(count) != 5,
    )


def _run(given, **config):
    return PoseGaps(PoseGapsConfig(**config)).run(MemoryInputs(wired={"pose": given}), lambda share: None)


class TestPoseGaps(StepContract):
    component = PoseGaps

    def inputs(self, tmp_path):
        return MemoryInputs(wired={"pose": _poses()})


def test_its_entry_point_answers_it(only_these_plugins):
    host = only_these_plugins(steps={"pose_gaps": pose_gaps.__name__})
    assert host.load("steps", "pose_gaps").component is PoseGaps


def test_twelve_repeated_rows_are_twelve_gaps():
    outputs = _run(_poses())
    made = outputs.streams["pose"]
    assert np.flatnonzero(~made.tracked).tolist() == [5, *range(20, 32)]
    assert np.isnan(made.data[20:32]).all()
    assert outputs.attributes == {"frozen_rows": 12}
    assert outputs.notes == ("12 of 60 rows repeat the one before and count as lost.",)


def test_a_short_repetition_is_left_alone():
    outputs = _run(_poses(frozen=slice(20, 22)))
    assert np.flatnonzero(~outputs.streams["pose"].tracked).tolist() == [5]
    assert outputs.notes == ()


def test_another_frame_than_the_settings_say_is_refused():
    with pytest.raises(StepError, match=r"poses are in 'world'; expected 'map'\. Set frame = \"world\""):
        _run(_poses(frame="world"))
