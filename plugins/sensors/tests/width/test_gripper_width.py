"""The step `gripper_width`: widths against truth, and a named gap for everything that is no width."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from handloom.api import Rig
from handloom.errors import PluginError, StepError
from handloom.media import Views
from handloom.testing import FrameStepContract, MemoryInputs
from handloom_sensors.width import GripperWidth, GripperWidthConfig
from handloom_sensors.width.gripper_width import step as hook

CLOSED_M = 0.04456


def test_hook_answers_the_class():
    assert hook("gripper_width") is GripperWidth


def test_width_follows_the_jaw_to_a_tenth_of_a_millimetre(lab, watching):
    separation = CLOSED_M + 0.04 * (1 - np.cos(np.linspace(0, np.pi, 40)))
    seen = watching([lab.jaw(s, seed=k) for k, s in enumerate(separation)], closed_separation_m=CLOSED_M)
    assert np.sqrt(np.mean((seen["width"] - (separation - CLOSED_M)) ** 2)) < 0.1e-3
    assert np.allclose(seen["separation"] - CLOSED_M, seen["width"], atol=1e-12)
    assert (seen["tags"] == 2.0).all()
    assert seen.attributes["detection_rate"] == 1.0
    assert seen.attributes["gaps"] == {}


def test_each_frame_alone_is_rougher_than_the_rail_and_right_too(lab, watching):
    separation = np.linspace(0.05, 0.11, 30)
    pictures = [lab.jaw(s, seed=k) for k, s in enumerate(separation)]
    errors = {m: watching(pictures, method=m)["width"] - separation for m in ("rail", "tags")}
    assert np.std(errors["rail"]) < np.std(errors["tags"])
    assert np.abs(errors["tags"]).max() < 1.5e-3


def test_corners_are_those_of_the_black_squares(lab, watching):
    corners = watching([lab.jaw(0.06, noise=0.0)], method="tags")["corners"].reshape(2, 4, 2)
    square = 0.008 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    for found, x, roll in zip(corners, (-0.03, 0.03), (0.03, -0.02), strict=True):
        turned = square @ np.array([[np.cos(roll), np.sin(roll)], [-np.sin(roll), np.cos(roll)]])
        truth, _ = lab.camera.project(np.column_stack([turned + np.array([x, 0.047]), np.full(4, 0.072)]))
        assert np.abs(found - truth).max() < 0.1


@pytest.mark.parametrize(
    ("shown", "reason"),
    [
        ((("left", {}),), "right missing"),
        ((("right", {}),), "left missing"),
        ((), "both missing"),
        ((("left", {}), ("right", {"side": 0.0125})), "right depth"),
        ((("left", {"x": 0.03}), ("right", {"x": -0.03})), "crossed"),
        ((("left", {}), ("right", {"x": 0.02}), ("right", {"x": 0.055})), "right ambiguous"),
        ((("left", {"mirrored": True}), ("right", {})), "left missing"),
        ((("left", {"hidden": 0.5}), ("right", {})), "left missing"),
    ],
)
def test_what_is_no_width_is_a_gap_with_its_reason(lab, printed, watching, shown, reason):
    usual = {"left": {"tag": 0, "x": -0.03}, "right": {"tag": 1, "x": 0.03}}
    tags = [printed(**{**usual[which], **changed}) for which, changed in shown]
    seen = watching([lab.picture(*tags, seed=k) for k in range(3)])
    assert np.isnan(seen["width"]).all()
    assert (seen["tags"] == 0.0).all()
    assert seen.attributes["gaps"] == {reason: 3}
    assert "3 of 3 frames have no measured width" in seen.told


def test_black_frames_are_gaps_that_say_so(lab, watching):
    black = np.full((380, 676), 16, dtype=np.uint8)
    seen = watching([lab.jaw(0.06), black, black, lab.jaw(0.06)], max_gap_s=0.0)
    assert np.isnan(seen["width"]).tolist() == [False, True, True, False]
    assert seen.attributes["gaps"] == {"both dark": 2}
    assert "both tags were in a black frame in 2" in seen.told


def test_a_finger_off_its_rail_is_a_gap(lab, printed, watching):
    pictures = [lab.jaw(0.05 + 0.001 * k, seed=k) for k in range(30)]
    bent = printed(tag=0, x=-0.04, y=0.043, roll=0.03)
    pictures[20] = lab.picture(bent, printed(tag=1, x=0.035, roll=-0.02))
    seen = watching(pictures, max_gap_s=0.0)
    assert seen.attributes["gaps"] == {"left off rail": 1}
    assert np.flatnonzero(np.isnan(seen["width"])).tolist() == [20]


def test_a_mirrored_video_is_told_for_what_it_is(lab, watching):
    seen = watching([np.ascontiguousarray(lab.jaw(0.06, seed=k)[:, ::-1]) for k in range(3)])
    assert np.isnan(seen["width"]).all()
    assert "mirror image" in seen.told


def test_a_third_tag_is_left_out_and_told(lab, printed, watching):
    tags = (printed(tag=0, x=-0.03), printed(tag=1, x=0.03), printed(tag=7, x=0.0))
    seen = watching([lab.picture(*tags)])
    assert seen["width"] == pytest.approx(0.06, abs=0.5e-3)
    assert seen.attributes["strangers"] == {"7": 1}
    assert "7 (1 frame)" in seen.told


def test_a_lost_tag_is_found_again_in_the_frame_it_is_back(lab, printed, watching):
    left = [printed(tag=0, x=-0.03)]
    pictures = [
        lab.picture(*left, *([] if 5 <= k < 12 else [printed(tag=1, x=0.025 + 0.002 * k)]), seed=k)
        for k in range(16)
    ]
    seen = watching(pictures, max_gap_s=0.0)
    assert np.flatnonzero(np.isnan(seen["width"])).tolist() == list(range(5, 12))


def test_a_single_tag_tells_the_width_only_of_a_symmetric_jaw(lab, printed, watching):
    both = (printed(tag=0, x=-0.029), printed(tag=1, x=0.031))
    pictures = [lab.picture(*both, seed=k) for k in range(4)] + [lab.picture(both[0])]
    assert np.isnan(watching(pictures)["width"][4])
    seen = watching(pictures, symmetric_jaw=True)
    assert seen["width"][4] == pytest.approx(0.060, abs=0.5e-3)
    assert seen["tags"].tolist() == [2.0, 2.0, 2.0, 2.0, 1.0]
    assert seen.attributes["single_tag_frames"] == 1
    assert seen.attributes["symmetry_plane_m"] == pytest.approx(0.001, abs=0.2e-3)
    assert "rest on one tag" in seen.told


def test_short_gaps_are_bridged_and_ends_are_not(lab, printed, watching):
    pictures = [lab.jaw(0.05 + 0.001 * k) for k in range(12)]
    for lost in (0, 4, 5, 11):
        pictures[lost] = lab.picture(printed(tag=0, x=-0.03))
    seen = watching(pictures, max_gap_s=0.06)
    assert np.flatnonzero(np.isnan(seen["width"])).tolist() == [0, 11]
    assert np.flatnonzero(np.isnan(seen["separation"])).tolist() == [0, 4, 5, 11]
    assert seen["tags"][4:6].tolist() == [0.0, 0.0]
    assert seen["width"][4:6] == pytest.approx([0.054, 0.055], abs=0.4e-3)
    assert seen.attributes["bridged_frames"] == 2
    assert np.isnan(watching(pictures, max_gap_s=0.04)["width"][4:6]).all()


def test_a_width_without_calibration_says_that_it_is_the_tags_distance(lab, watching):
    seen = watching([lab.jaw(0.06)])
    assert "closed_separation_m is not given" in seen.told
    assert seen.attributes["calibrated"] is False


def test_where_another_step_makes_the_width_there_is_none_and_nothing_is_told(lab, watching):
    seen = watching([lab.jaw(0.06)], separation_only=True)
    assert "width" not in seen.outputs.streams
    assert seen.outputs.streams["separation"].data == pytest.approx([0.06], abs=0.5e-3)
    assert "closed_separation_m" not in seen.told
    with pytest.raises(ValueError, match="leave one out"):
        GripperWidthConfig(separation_only=True, closed_separation_m=0.045)


def test_widths_beyond_the_stroke_are_counted_and_not_cut(lab, watching):
    seen = watching([lab.jaw(0.06)], closed_separation_m=0.040, open_separation_m=0.055)
    assert seen["width"] == pytest.approx(0.020, abs=0.5e-3)
    assert seen.attributes["over_stroke_frames"] == 1
    assert "beyond the calibrated open end" in seen.told
    below = watching([lab.jaw(0.06)], closed_separation_m=0.065)
    assert below["width"] == pytest.approx(-0.005, abs=0.5e-3)
    assert below.attributes["under_closed_frames"] == 1


def test_a_video_of_another_shape_is_refused_with_both_sizes():
    step = GripperWidth()
    video = MemoryInputs(wired={"video": _video(1)}, rig=_rig())
    step.start(video)
    with pytest.raises(StepError, match=r"676x380.*676x507"):
        step.frame(0, 0, Views({"luma": np.zeros((507, 676), dtype=np.uint8)}))


@pytest.mark.parametrize(
    ("settings", "words"), [({"camera": "wrist"}, "wrist"), ({"dictionary": "DICT_9"}, "DICT_9")]
)
def test_a_wrong_setting_is_a_sentence(settings, words):
    with pytest.raises(StepError, match=words):
        GripperWidth(GripperWidthConfig(**settings)).start(MemoryInputs(wired={"video": _video(1)}, rig=_rig()))


def test_a_rig_without_a_camera_is_a_sentence():
    with pytest.raises(StepError, match="calibrated camera"):
        GripperWidth().start(MemoryInputs(wired={"video": _video(1)}, rig=Rig()))


def test_ids_follow_the_number_of_the_gripper():
    assert GripperWidthConfig(gripper=2).ids == (12, 13)
    assert GripperWidthConfig(gripper=1, right_id=3).ids == (6, 3)
    with pytest.raises(ValueError, match="must differ"):
        GripperWidthConfig(left_id=1)


def test_a_missing_opencv_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(PluginError, match=r"handloom-sensors\[fiducials\]"):
        GripperWidth().start(MemoryInputs(wired={"video": _video(1)}, rig=_rig()))


class TestContract(FrameStepContract):
    component = GripperWidth

    @pytest.fixture(autouse=True)
    def _lab(self, lab):
        self.lab = lab

    def inputs(self, tmp_path):
        return MemoryInputs(wired={"video": _video(4)}, rig=_rig())

    def pictures(self, index, views):
        assert set(views) == {"luma"}
        return Views({"luma": self.lab.jaw(0.05 + 0.002 * index)})


class TestContractOnNoise(FrameStepContract):
    """Pictures without any tag, of a size the camera has."""

    component = GripperWidth

    def inputs(self, tmp_path):
        camera = _rig().cameras["camera"].scaled(64, 36)
        return MemoryInputs(wired={"video": _video(3)}, rig=Rig(cameras={"camera": camera}))

    def pictures(self, index, views):
        return Views({"luma": np.random.default_rng(index).integers(0, 256, (36, 64), dtype=np.uint8)})


@pytest.fixture(autouse=True)
def _shared(blank_video, lab):
    _SHARED["video"], _SHARED["camera"] = blank_video, lab.camera


_SHARED: dict = {}


def _video(count):
    return _SHARED["video"](count)


def _rig():
    return Rig(cameras={"camera": _SHARED["camera"]})
