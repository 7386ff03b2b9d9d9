"""A rig comes from a table with all its mistakes at once, and goes back to one without loss."""

import json
import tomllib

import numpy as np
import pytest

from handloom.api import Rig, rig_from_table
from handloom.errors import ConfigError, FrameError
from handloom.geometry import FrameTree, KannalaBrandt, pose
from handloom.time import ClockMap, ClockMaps

EXAMPLE = """
[rig]
name = "umi"

[rig.frames."camera/tcp"]
parent = "camera/optical"
translation_m = [0, 0.07069, 0.259]
rotation_xyzw = [0.0, 0.0, 0.0, 1.0]

[rig.frames."marker/camera"]
parent = "marker"
translation_m = [-0.049, 0.21, 0.0]
rotation_xyzw = [0.7071068, 0.0, 0.7071068, 0.0]

[rig.cameras.camera]
model = "kannala_brandt"
width = 1352
height = 1014
fx = 421.47
fy = 421.47
cx = 674.61
cy = 504.08
k1 = 0.02893
k2 = -0.12456
k3 = 0.12351
k4 = -0.04367

[rig.clocks.mocap]
reference = "camera"
offset_s = -1700000000.25
drift_ppm = 12.5
uncertainty_s = 0.002

[[rig.clocks.finger]]
reference = "camera"
offset_s = 3
uncertainty_s = 0.001

[[rig.clocks.finger]]
reference = "piezo"
offset_s = 0.5
uncertainty_s = 0.001
"""


def example():
    return tomllib.loads(EXAMPLE)


def problems(table):
    with pytest.raises(ConfigError) as caught:
        rig_from_table(table)
    return caught.value.problems


def test_a_rig_file_becomes_frames_cameras_and_clocks():
    rig = rig_from_table(example())
    assert rig.name == "umi"
    assert rig.frames.transform("camera/optical", "camera/tcp")[:3].tolist() == [0.0, 0.07069, 0.259]
    assert isinstance(rig.cameras["camera"], KannalaBrandt)
    assert rig.clock_maps.between("mocap", "camera") == ClockMap(
        source="mocap", target="camera", offset_ns=-1_700_000_000_250_000_000, drift_ppm=12.5, uncertainty_ns=2e6
    )
    assert rig.clock_maps.between("piezo", "camera").offset_ns == 2_500_000_000


def test_typed_quaternions_become_unit_to_the_last_digit():
    T_marker_camera = rig_from_table(example()).frames.transform("marker", "marker/camera")
    assert T_marker_camera[3] == pytest.approx(np.sqrt(0.5), abs=1e-15)


def test_the_json_form_gives_the_same_rig_back_to_the_bit():
    table = rig_from_table(example()).to_table()
    again = rig_from_table(json.loads(json.dumps(table)))
    assert again.to_table() == table


def test_a_fitted_clock_map_survives_the_json_form():
    fitted = ClockMap(
        source="finger",
        target="camera",
        offset_ns=-1_699_999_999_123_456_789,
        origin_ns=1_700_000_000_987_654_321,
        drift_ppm=-3.14159265358979,
        uncertainty_ns=123.456,
        drift_uncertainty_ppm=0.01,
    )
    rig = Rig(clock_maps=ClockMaps((fitted,)))
    assert tuple(rig_from_table(json.loads(json.dumps(rig.to_table()))).clock_maps) == (fitted,)


def test_any_static_transform_survives_the_json_form_to_the_bit():
    twists = np.random.default_rng(0).normal(size=(20, 6))
    tree = FrameTree()
    for index, T_parent_child in enumerate(pose.exp(twists)):
        tree = tree.with_static("root", f"frame{index}", T_parent_child)
    again = rig_from_table(json.loads(json.dumps(Rig(frames=tree).to_table())))
    error = [
        np.abs(again.frames.transform("root", name) - tree.transform("root", name)).max()
        for name in tree.frames
        if name != "root"
    ]
    assert max(error) == 0.0


def test_an_empty_rig_is_a_rig():
    rig = rig_from_table({"rig": {}})
    assert (rig.name, rig.frames.frames, rig.cameras, len(rig.clock_maps)) == ("", (), {}, 0)
    assert rig_from_table(Rig().to_table()).to_table() == Rig().to_table()


def test_all_mistakes_are_reported_at_once_with_their_places():
    table = example()
    rig = table["rig"]
    rig["camera"] = {}
    rig["frames"]["camera/tcp"] = {
        "parnet": "camera/optical",
        "translation_m": [0, 0],
        "rotation_xyzw": [0, 0, 0, 0],
    }
    rig["frames"]["marker/camera"]["rotation_xyzw"] = [0.0, 0.0, 0.0, 2.0]
    rig["cameras"]["camera"]["fx"] = -1.0
    rig["clocks"]["mocap"] = {
        "reference": "camera",
        "offset_s": "soon",
        "drift_ppm": float("nan"),
        "uncertainty_s": -1,
    }
    assert list(problems(table)) == [
        "rig.camera: unknown key; expected one of name, frames, cameras, clocks; did you mean 'cameras'?",
        'rig.frames."camera/tcp".parnet: unknown key; expected one of parent, translation_m, rotation_xyzw; '
        "did you mean 'parent'?",
        'rig.frames."camera/tcp".parent: found nothing; expected a name in quotes.',
        'rig.frames."camera/tcp".translation_m: found [0, 0]; expected metres x y z, 3 finite numbers.',
        'rig.frames."camera/tcp".rotation_xyzw: found norm 0; expected a unit quaternion x y z w.',
        'rig.frames."marker/camera".rotation_xyzw: found norm 2; expected a unit quaternion x y z w '
        "such as [0.0, 0.0, 0.0, 1.0].",
        "rig.cameras.camera.fx: found -1.0; expected a focal length above 0 pixels.",
        "rig.clocks.mocap.offset_s: found 'soon'; expected seconds as a number, or as digits in quotes where "
        "16 digits are not enough.",
        "rig.clocks.mocap.uncertainty_s: found -1; expected one standard deviation, not negative.",
        "rig.clocks.mocap.drift_ppm: found nan; expected a finite number of at least -999999.",
    ]


@pytest.mark.parametrize("table", [{}, {"rig": "umi"}, {"rig": []}])
def test_a_rig_that_is_no_table_is_refused(table):
    assert problems(table)[0].startswith("rig: found")


@pytest.mark.parametrize("block", ["frames", "cameras", "clocks"])
@pytest.mark.parametrize("wrong", [3, {"x": 3}, {"x": None}, {"": {}}])
def test_blocks_of_the_wrong_kind_are_refused(block, wrong):
    assert problems({"rig": {block: wrong}})[0].startswith(f"rig.{block}")


def test_a_clock_needs_one_offset_and_says_how_sure_it_is():
    found = problems({"rig": {"clocks": {"mocap": {"reference": "camera", "offset_s": 1, "offset_ns": 1}}}})
    assert found == (
        "rig.clocks.mocap.offset_s: found both of offset_s and offset_ns; expected exactly one of them.",
        "rig.clocks.mocap.uncertainty_s: found neither of uncertainty_s and uncertainty_ns; "
        "expected exactly one of them.",
    )


def test_contradicting_maps_and_rings_of_frames_are_mistakes_of_the_table():
    fixed = {"translation_m": [0, 0, 0], "rotation_xyzw": [0, 0, 0, 1]}
    clock = {"offset_s": 0, "uncertainty_s": 0}
    found = problems(
        {
            "rig": {
                "frames": {"a": {"parent": "b", **fixed}, "b": {"parent": "a", **fixed}},
                "clocks": {
                    "x": [{"reference": "y", **clock}, {"reference": "x", **clock}],
                    "y": {"reference": "x", **clock},
                },
            }
        }
    )
    assert [sentence.split(":")[0] for sentence in found] == [
        "rig.frames.b.parent",
        "rig.clocks.x[1].reference",
        "rig.clocks.y.reference",
    ]


def test_a_moving_frame_is_not_part_of_the_hardware():
    tree = FrameTree().with_timed("world", "tcp", [0], [[0, 0, 0, 0, 0, 0, 1]], [True], 10)
    with pytest.raises(FrameError, match="fixed"):
        Rig(frames=tree).to_table()


def test_the_known_keys_are_listed_once():
    (told,) = problems({"rig": {"xyz": 1}})
    assert told == "rig.xyz: unknown key; expected one of name, frames, cameras, clocks."
