"""A demonstration is refused for what is wrong with it, by name, and for nothing else."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from handloom.api import clock_map_stream
from handloom.geometry import quaternion
from handloom.streams import POSE, Samples, StreamType, Video
from handloom.testing import MemoryInputs, StepContract
from handloom.time import ClockMap
from handloom_pose_sources import verdict
from handloom_pose_sources.verdict import Verdict, VerdictConfig

pytest_plugins = ("handloom.testing.fixtures",)

FRAME_NS = 16_683_350
EVERYTHING = ("video", "width", "sharpness", "exposure", "sync")


def _pose(count=300, *, speed_m_per_s=0.1):
    stamps = np.arange(count, dtype=np.int64) * FRAME_NS
    data = np.tile([0.0, 0, 0, 0, 0, 0, 1], (count, 1))
    data[:, 0] = stamps * 1e-9 * speed_m_per_s
    type_ = attrs.evolve(POSE, frame="map", body="tcp", clock="camera")
    return Samples(type=type_, data=data, stamps=stamps, tracked=np.ones(count, bool))


def _changed(rows, values, pose=None):
    pose = pose or _pose()
    data = pose.data.copy()
    data[rows] = values
    return attrs.evolve(pose, data=data, tracked=np.isfinite(data).all(axis=1))


def _video(count=300, clock="camera"):
    return Video(
        type=StreamType(kind="video", dtype="uint8", shape=(48, 64, 3), clock=clock),
        files=(),
        pts=np.arange(count, dtype=np.int64),
        stamps=np.arange(count, dtype=np.int64) * FRAME_NS,
        keyframes=np.ones(count, bool),
    )


def _values(values, unit="1"):
    kind = {1: "scalar", 2: "vector"}[values.ndim]
    type_ = StreamType(kind=kind, dtype="float64", shape=values.shape[1:], unit=unit, clock="camera")
    return Samples(type=type_, data=values, stamps=np.arange(len(values), dtype=np.int64) * FRAME_NS)


def _good(count=300):
    random = np.random.default_rng(0)
    return {
        "pose": _pose(count),
        "video": _video(count),
        "width": _values(np.full(count, 0.04), "m"),
        "sharpness": _values(random.uniform(90, 110, count)),
        "brightness": _values(random.uniform(0.4, 0.6, count)),
        "clipped": _values(random.uniform(0.0, 0.05, (count, 2))),
        "clock_maps": {"sync.gopro_to_pi": _sync()},
    }


def _sync(uncertainty_ns=20_000.0, **attributes):
    known = ClockMap(source="camera", target="pi", offset_ns=5, uncertainty_ns=uncertainty_ns)
    return clock_map_stream(known, attributes)


def _run(wired=None, *, episode="e0", **config):
    config = {"judge": EVERYTHING, **config}
    wired = {**_good(), **(wired or {})}
    wired = {port: stream for port, stream in wired.items() if stream is not None}
    return Verdict(VerdictConfig(**config)).run(MemoryInputs(wired=wired, episode=episode), lambda share: None)


def _reasons(wired=None, **config):
    outputs = _run(wired, **config)
    assert outputs.attributes["usable"] == (not outputs.attributes["reasons"])
    assert len(outputs.notes) == len(outputs.attributes["reasons"])
    return outputs.attributes["reasons"]


class TestVerdict(StepContract):
    component = Verdict

    def config(self):
        return VerdictConfig(judge=EVERYTHING)

    def inputs(self, tmp_path):
        return MemoryInputs(wired=_good())


class TestVerdictOnPosesAlone(StepContract):
    component = Verdict

    def inputs(self, tmp_path):
        return MemoryInputs(wired={"pose": _pose()})


def test_its_entry_point_answers_it(only_these_plugins):
    host = only_these_plugins(steps={"verdict": verdict.__name__})
    assert host.load("steps", "verdict").component is Verdict


def test_a_good_demonstration_is_usable_row_by_row():
    outputs = _run()
    assert outputs.attributes["usable"] is True
    assert outputs.notes == ()
    usable = outputs.streams["usable"]
    assert usable.type.clock == "camera"
    assert (usable.data == 1.0).all()
    assert usable.attributes == {"usable": True, "reasons": []}
    assert outputs.attributes["largest_policy_step_m"] == pytest.approx(0.01)


def test_lost_frozen_and_jumped_rows_are_zeros_of_a_usable_demonstration():
    data = _pose().data.copy()
    data[20] = np.nan
    data[50:56] = data[49]
    data[100:, 1] += 0.2
    outputs = _run({"pose": _changed(slice(None), data)})
    assert outputs.attributes["reasons"] == []
    assert np.flatnonzero(outputs.streams["usable"].data == 0).tolist() == [20, *range(50, 56), 100]
    assert outputs.attributes["jumps"] == 1
    assert outputs.attributes["frozen_rows"] == 6


def test_more_jumps_than_allowed_are_a_reason():
    data = _pose().data.copy()
    data[::50, 1] += 0.2
    assert _reasons({"pose": _changed(slice(None), data)}) == ["jump", "too_fast"]


def test_an_unusable_demonstration_has_no_usable_row():
    outputs = _run({"width": _values(np.full(300, np.nan), "m")})
    assert outputs.attributes["reasons"] == ["low_width_coverage"]
    assert (outputs.streams["usable"].data == 0.0).all()
    assert outputs.attributes["good_rows"] == 300


def test_three_frames_are_too_few():
    assert _reasons({"pose": _pose(3)}, judge=()) == ["too_few_poses"]
    assert _reasons({"pose": _pose(0)}, judge=()) == ["low_coverage", "too_few_poses"]


def test_lost_poses_are_low_coverage_and_a_long_gap():
    lost = _changed(slice(100, 150), np.nan)
    assert _reasons({"pose": lost}) == ["long_gap", "low_coverage"]


def test_poses_that_cover_only_a_part_of_the_video_are_low_coverage():
    assert _reasons({"video": _video(500)}) == ["long_gap", "low_coverage"]
    assert _reasons({"video": _video(500)}, judge=()) == []


def test_what_lies_outside_the_video_does_not_matter():
    outputs = _run({"pose": _changed(slice(200, 300), np.nan), "video": _video(200)})
    assert outputs.attributes["reasons"] == []
    assert np.flatnonzero(outputs.streams["usable"].data == 0).tolist() == [*range(200, 300)]


def test_a_video_on_a_clock_that_nothing_joins_is_a_reason():
    outputs = _run({"video": _video(clock="other")})
    assert outputs.attributes["reasons"] == ["no_video"]
    assert "No clock map joins 'other' and 'camera'" in outputs.notes[0]


def test_a_motion_that_a_policy_can_not_see_is_too_fast():
    assert _reasons({"pose": _pose(speed_m_per_s=1.5)}) == ["too_fast_for_policy"]
    assert _reasons({"pose": _pose(speed_m_per_s=1.5)}, policy_hz=20.0) == []
    assert _reasons({"pose": _pose(speed_m_per_s=1.5)}, policy_hz=0.0) == []
    turning = _pose().data.copy()
    turning[:, 3:] = quaternion.from_rotvec(np.arange(300)[:, None] * np.radians(4.0) * [0, 0, 1])
    assert _reasons({"pose": _changed(slice(None), turning)}) == ["too_fast_for_policy"]


def test_few_blurred_frames_do_no_harm_and_many_do():
    sharp = _good()["sharpness"].data.copy()
    sharp[:30] = 5.0
    assert _reasons({"sharpness": _values(sharp)}) == []
    sharp[:90] = np.linspace(1, 9, 90)
    assert _reasons({"sharpness": _values(sharp)}) == ["blurred"]
    assert _reasons({"sharpness": _values(sharp)}, max_blurred=0.4, min_sharpness=200.0) == ["not_sharp"]


def test_black_frames_are_dark_and_frozen():
    black = {
        "sharpness": _values(np.zeros(300)),
        "brightness": _values(np.zeros(300)),
        "clipped": _values(np.tile([1.0, 0.0], (300, 1))),
    }
    assert _reasons(black) == ["blurred", "frozen_frames", "too_dark"]
    white = {"clipped": _values(np.tile([0.0, 0.9], (300, 1)))}
    assert _reasons(white) == ["too_bright"]


def test_frames_are_frozen_only_where_every_measure_stands_still():
    sharp = _good()["sharpness"].data.copy()
    sharp[100:160] = sharp[99]
    still = {"sharpness": _values(sharp)}
    assert _reasons(still) == []
    assert _reasons(still, judge=("sharpness",)) == ["frozen_frames"]
    assert _run(still, judge=("sharpness",)).attributes["longest_frozen_s"] == pytest.approx(60 * FRAME_NS * 1e-9)


def test_an_uncertain_clock_map_is_named():
    outputs = _run({"clock_maps": {"sync.gopro_to_pi": _sync(3e7, confidence=4.0, method="chirp")}})
    assert outputs.attributes["reasons"] == ["uncertain_sync"]
    assert outputs.notes == (
        "'sync.gopro_to_pi' is uncertain by 30 ms; at most 10 ms is allowed. "
        "'sync.gopro_to_pi' has confidence 4; at least 5.2 is needed.",
    )


@pytest.mark.parametrize("confidence", [4.0, {"first": 9.0, "second": 4.0}])
def test_the_least_confidence_of_a_sync_counts(confidence):
    outputs = _run({"clock_maps": {"sync.gopro_to_pi": _sync(confidence=confidence, method="chirp")}})
    assert outputs.notes == ("'sync.gopro_to_pi' has confidence 4; at least 5.2 is needed.",)


@pytest.mark.parametrize("told", [{"method": "motion"}, {"method": "gcc_phat"}, {}])
def test_a_confidence_of_another_scale_is_left_to_the_sync_that_found_it(told):
    assert _reasons({"clock_maps": {"sync.map": _sync(confidence=0.9, **told)}}) == []


def test_a_scale_of_its_own_has_a_threshold_of_its_own():
    syncs = {"a.map": _sync(confidence=0.9, method="motion"), "b.map": _sync(confidence=5.5, method="chirp")}
    assert _reasons({"clock_maps": syncs}, min_sync_confidence={"motion": 0.8}) == []
    outputs = _run({"clock_maps": syncs}, min_sync_confidence={"motion": 0.95, "chirp": 5.2})
    assert outputs.notes == ("'a.map' has confidence 0.9; at least 0.95 is needed.",)


@pytest.mark.parametrize(
    ("port", "reason"),
    [
        ("video", ["no_video"]),
        ("width", ["no_width"]),
        ("sharpness", ["no_sharpness"]),
        ("clipped", ["no_exposure"]),
        ("clock_maps", ["no_sync"]),
    ],
)
def test_what_was_to_be_judged_and_is_missing_is_a_reason(port, reason):
    assert _reasons({port: None}) == reason


def test_pruning_says_why_and_takes_out_that_episode_only():
    outputs = _run(pruned={"e0": "the cup fell over"})
    assert outputs.attributes["reasons"] == ["pruned"]
    assert outputs.notes == ("Taken out by hand: the cup fell over.",)
    assert outputs.attributes["coverage"] == pytest.approx(1)
    assert _reasons(pruned={"e1": "the cup fell over"}) == []
