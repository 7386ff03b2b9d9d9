"""A scene as a ReplayBuffer: UMI's keys, shapes, types and chunks, and the values of the truth."""

import json
import tracemalloc
import zipfile

import attrs
import numpy as np
import pytest

from handloom.geometry import interpolate_poses, interpolate_poses_cubic, quaternion
from handloom.media import read_number
from handloom.testing import ExporterContract
from handloom_exporters.umi import UmiConfig, UmiExporter, exporter


class TestContract(ExporterContract):
    component = UmiExporter

    @pytest.fixture(autouse=True)
    def _takes(self, takes):
        self.takes = takes

    def config(self):
        return self.takes.SMALL

    def inputs(self, tmp_path):
        takes = self.takes
        return takes.scene(takes.episode(takes.film(), "a"), takes.episode(takes.film(), "b"))


def test_the_hook_answers_its_own_kind_only():
    assert exporter("umi") is UmiExporter
    assert exporter("mcap") is None


def test_keys_shapes_types_and_chunks_are_those_of_umi(export, takes):
    made = export(
        takes.episode(takes.film(), "a"), takes.episode(takes.film(), "b"), config=UmiConfig(min_steps=20)
    )
    steps = 2 * takes.FRAMES
    expected = {
        "camera0_rgb": ((steps, 224, 224, 3), "uint8", (1, 224, 224, 3)),
        "robot0_eef_pos": ((steps, 3), "float32", (steps, 3)),
        "robot0_eef_rot_axis_angle": ((steps, 3), "float32", (steps, 3)),
        "robot0_gripper_width": ((steps, 1), "float32", (steps, 1)),
        "robot0_demo_start_pose": ((steps, 6), "float64", (steps, 6)),
        "robot0_demo_end_pose": ((steps, 6), "float64", (steps, 6)),
    }
    data = made.root["data"]
    assert {name: (a.shape, str(a.dtype), a.chunks) for name, a in data.arrays()} == expected
    assert made.ends == [takes.FRAMES, steps]
    assert made.root["meta"]["episode_ends"].dtype == np.int64
    assert made.root.metadata.zarr_format == 2


def test_numbers_are_uncompressed_and_pictures_are_blosc(export, takes):
    path = export(takes.episode(takes.film())).path
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
        described = {n: json.loads(archive.read(n)) for n in archive.namelist() if n.endswith(".zarray")}
    assert described["data/camera0_rgb/.zarray"]["compressor"]["id"] == "blosc"
    assert described["data/robot0_eef_pos/.zarray"]["compressor"] is None
    assert {values["zarr_format"] for values in described.values()} == {2}


def test_poses_and_widths_are_the_truth_at_the_frames(export, takes):
    made, stamps = export(takes.episode(takes.film())), takes.film().stamps
    poses = takes.true_poses(stamps)
    assert np.abs(made["robot0_eef_pos"] - poses[:, :3]).max() < 5e-5
    back = quaternion.from_rotvec(made["robot0_eef_rot_axis_angle"].astype(float))
    apart = quaternion.to_rotvec(quaternion.multiply(quaternion.conjugate(poses[:, 3:]), back))
    assert np.abs(apart).max() < 1e-4
    assert np.abs(made["robot0_gripper_width"][:, 0] - takes.true_width(stamps)).max() < 1e-7


def test_the_relative_motion_is_within_a_twentieth_of_a_millimetre(export, takes):
    made, poses = export(takes.episode(takes.film())), takes.true_poses(takes.film().stamps)
    read = np.column_stack(
        [made["robot0_eef_pos"], quaternion.from_rotvec(made["robot0_eef_rot_axis_angle"].astype(float))]
    )
    assert np.abs(takes.relative(read)[:, :3] - takes.relative(poses)[:, :3]).max() < 5e-5


@pytest.mark.parametrize("kind", ["cubic", "linear"])
def test_poses_lie_on_the_curve_that_the_settings_name(export, takes, kind):
    made = export(takes.episode(takes.film()), config=attrs.evolve(takes.SMALL, pose_interpolation=kind))
    tracker, steps = takes.tracker_poses(), takes.film().stamps
    curve = {"cubic": interpolate_poses_cubic, "linear": interpolate_poses}[kind]
    given = (takes.TRACKER.apply(tracker.stamps), tracker.data, tracker.tracked, steps)
    expected = curve(*given, max_gap_ns=50_000_000)[0]
    assert np.array_equal(made["robot0_eef_pos"], expected[:, :3].astype(np.float32))
    assert np.array_equal(
        made["robot0_eef_rot_axis_angle"], quaternion.to_rotvec(expected[:, 3:]).astype(np.float32)
    )
    assert made.about["settings"]["pose_interpolation"] == kind


def test_poses_are_found_on_a_smooth_curve_if_nothing_is_said(export, takes):
    made, poses = export(takes.episode(takes.film())), takes.true_poses(takes.film().stamps)
    assert np.abs(made["robot0_eef_pos"] - poses[:, :3]).max() < 1e-6
    assert made.about["settings"]["pose_interpolation"] == "cubic"


def test_pictures_are_those_of_their_steps(export, takes):
    pictures = export(takes.episode(takes.film()))["camera0_rgb"]
    assert [read_number(picture) for picture in pictures] == list(range(takes.FRAMES))


def test_start_and_end_poses_are_those_of_each_episode(export, takes):
    made = export(takes.episode(takes.film(), "a"), takes.episode(takes.film(), "b"))
    poses = np.column_stack([made["robot0_eef_pos"], made["robot0_eef_rot_axis_angle"]])
    start, end = made["robot0_demo_start_pose"], made["robot0_demo_end_pose"]
    for first, last in ((0, takes.FRAMES - 1), (takes.FRAMES, 2 * takes.FRAMES - 1)):
        assert np.abs(start[first : last + 1] - poses[first]).max() < 1e-6
        assert np.abs(end[first : last + 1] - poses[last]).max() < 1e-6


def test_two_grippers_and_two_cameras_have_arrays_of_their_own(export, takes):
    second = takes.on(takes.film(first_number=500), "camera")
    wired = {
        "camera1": attrs.evolve(second, stamps=second.stamps + 4_000_000),
        "robot1_pose": takes.tracker_poses(robot=1),
        "robot1_width": takes.widths(takes.on(takes.film(), "camera"), robot=1),
    }
    made = export(takes.episode(takes.film(), **wired), config=attrs.evolve(takes.SMALL, robots=2, cameras=2))
    assert [read_number(picture) for picture in made["camera1_rgb"]] == list(range(500, 500 + takes.FRAMES))
    assert np.abs(made["robot1_eef_pos"] - takes.true_poses(takes.film().stamps, 1)[:, :3]).max() < 5e-5
    assert np.abs(made["robot1_gripper_width"][:, 0] - made["robot0_gripper_width"][:, 0] - 0.001).max() < 1e-6


@pytest.mark.parametrize(("settings", "count"), [({"stride": 3}, 24), ({"rate_hz": 20.0}, 24)])
def test_the_grid_is_what_the_settings_say(export, takes, settings, count):
    made = export(takes.episode(takes.film()), config=attrs.evolve(takes.SMALL, **settings))
    assert made.ends == [count]
    assert made.about["rate_hz"] == pytest.approx(20, rel=2e-3)
    assert [read_number(picture) for picture in made["camera0_rgb"][:4]] == [0, 3, 6, 9]


def test_a_latency_moves_a_stream_to_when_it_happened(export, takes):
    late = takes.tracker_poses()
    late = attrs.evolve(late, stamps=late.stamps + 25_000_000)
    config = attrs.evolve(takes.SMALL, latency_s={"robot0_pose": 0.025})
    made = export(takes.episode(takes.film(), robot0_pose=late), config=config)
    assert np.abs(made["robot0_eef_pos"] - takes.true_poses(takes.film().stamps)[:, :3]).max() < 5e-5


def test_fingers_and_mirrors_are_black_and_nothing_else(export, takes):
    half = ((-0.5, 0.25), (0.5, 0.25), (0.5, 0.5), (-0.5, 0.5))
    plain = export(takes.episode(takes.film()), name="plain.zarr.zip")["camera0_rgb"]
    masked = export(takes.episode(takes.film()), config=attrs.evolve(takes.SMALL, masks={"camera0": (half,)}))[
        "camera0_rgb"
    ]
    assert (masked[:, 30:] == 0).all()
    assert plain[:, 30:].any()
    assert np.array_equal(masked[:, :30], plain[:, :30])


def test_provenance_is_in_the_file_and_beside_it(export, takes):
    made = export(takes.episode(takes.film(), "a"), takes.episode(takes.film(), "b"))
    assert json.loads(made.outputs.beside[".provenance.json"]) == made.about
    assert made.about["tcp_digest"] == {"robot0_pose": "tool-1"}
    assert made.about["episodes"]["b"]["streams"]["robot0_pose"]["stream"] == "tcp.pose"
    assert made.about["episodes"]["b"]["runs"][0]["rows"] == [takes.FRAMES, 2 * takes.FRAMES]
    assert made.about["settings"]["min_steps"] == 20
    assert made.about["rig"] == "glove"


def test_provenance_says_where_the_tool_is_where_that_is_known(export, takes):
    where = {"camera": "gopro", "T_camera_tcp": [0.0, 0.07, 0.259, 0.0, 0.0, 0.0, 1.0]}
    poses = takes.tracker_poses()
    told = attrs.evolve(poses, attributes={**poses.attributes, **where, "T_body_tcp": [0.0] * 7})
    takes_with = {
        name: takes.episode(takes.film(), name, robot0_pose=stream) for name, stream in (("a", told), ("b", poses))
    }
    made = export(*takes_with.values()).about["episodes"]
    kept = made["a"]["streams"]["robot0_pose"]
    assert {name: kept[name] for name in where} == where
    assert "T_body_tcp" not in kept
    assert not where.keys() & made["b"]["streams"]["robot0_pose"].keys()


@pytest.mark.parametrize("when", [0.0, 0.4, 1.0])
def test_an_interrupted_export_leaves_no_file(takes, tmp_path, when):
    class Interrupted(BaseException):
        pass

    def interrupt(share):
        if share >= when:
            raise Interrupted

    inputs = takes.scene(takes.episode(takes.film(), "a"), takes.episode(takes.film(), "b"))
    with pytest.raises(Interrupted):
        UmiExporter(takes.SMALL).export(inputs, tmp_path / "set.zarr.zip", interrupt)
    assert list(tmp_path.iterdir()) == []


def test_memory_does_not_grow_with_the_length_of_a_take(takes, tmp_path):
    def peak(frames):
        inputs = takes.scene(takes.episode(takes.film(frames=frames), robot0_pose=long))
        tracemalloc.start()
        try:
            UmiExporter(UmiConfig(min_steps=20)).export(inputs, tmp_path / "set.zarr.zip", lambda share: None)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    long = takes.tracker_poses(stamps=7_000_000_000 + np.arange(-5, 800, dtype=np.int64) * 8_333_333)
    assert peak(360) < 1.3 * peak(60)
