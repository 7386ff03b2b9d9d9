"""A whole episode in one file: everything in order of time, described, the same bytes each time, or nothing."""

import json
import subprocess
import sys

import attrs
import numpy as np
import pytest
from mcap.exceptions import McapError

from handloom.api import InputPort, Rig, clock_map_stream, rig_from_table
from handloom.errors import PluginError
from handloom.geometry import FrameTree
from handloom.media import Clip, index_video, write_clip
from handloom.streams import KINDS, Samples, StreamType
from handloom.testing import ExporterContract, MemoryInputs, synthetic_episode
from handloom.time import ClockMap, ClockMaps
from handloom_exporters.mcap import McapConfig, McapExporter, exporter

MS = 1_000_000


def silent(share):
    pass


class TestContract(ExporterContract):
    component = McapExporter

    def config(self):
        return McapConfig(clock="simulation")

    def inputs(self, tmp_path):
        episode = synthetic_episode()
        video = index_video((write_clip(tmp_path / "clip.mp4", Clip(frames=6)),)).video
        streams = {**episode.streams, "camera.video": attrs.evolve(video, type=video.type.bind("camera"))}
        return MemoryInputs(wired={"streams": streams}, rig=episode.rig)


@pytest.fixture
def streams(make_samples):
    """Return an episode of small streams that start before zero, one of each kind but video."""
    stamps = np.arange(-5, 45) * MS
    rng = np.random.default_rng(0)
    poses = np.tile([1.0, 2.0, 3.0, 0.0, 0.0, 0.6, 0.8], (50, 1))
    poses[10:15] = np.nan
    audio = StreamType(kind="audio", dtype="float32", shape=(1,), clock="camera")
    return {
        "camera.acceleration": make_samples(rng.normal(size=(50, 3)), stamps, kind="acceleration", unit="m/s^2"),
        "camera.angular_velocity": make_samples(rng.normal(size=(50, 3)), stamps, kind="angular_velocity"),
        "camera.magnetic_field": make_samples(rng.normal(size=(50, 3)), stamps, kind="magnetic_field"),
        "camera.gravity": make_samples(rng.normal(size=(50, 3)), stamps, kind="direction"),
        "camera.orientation": make_samples(rng.normal(size=(50, 4)), stamps, kind="orientation"),
        "camera.sound": Samples(
            type=audio,
            data=rng.uniform(-1, 1, (4800, 1)).astype(np.float32),
            knots=np.array([[0, 0], [4800, 100 * MS]], dtype=np.int64),
        ),
        "gripper.width": make_samples(rng.uniform(size=50), stamps, kind="scalar", unit="m", clock="gripper"),
        "gripper.forces": make_samples(rng.uniform(size=(50, 6)), stamps, kind="vector", unit="N"),
        "gps.fix": make_samples([[47.0, 8.0, 400.0], [np.nan] * 3], [0, MS], kind="geodetic", unit="deg"),
        "slam.pose": make_samples(poses, stamps, kind="pose", unit="m", frame="world", body="camera"),
        "finger.thumbnail": make_samples(
            rng.integers(0, 256, (3, 4, 6, 3)).astype(np.uint8), [0, 1, 2], kind="image"
        ),
        "finger.empty": make_samples(np.zeros((0, 3)), [], kind="acceleration"),
    }


@pytest.fixture
def rig():
    gripper = ClockMap(source="gripper", target="camera", offset_ns=2 * MS)
    frames = FrameTree().with_static("tcp", "camera", [0.1, 0, 0, 0, 0, 0, 1])
    return Rig(name="glove-1", clock_maps=ClockMaps((gripper,)), frames=frames)


@pytest.fixture
def inputs(episode_inputs, streams, rig):
    return episode_inputs(all_streams=streams, rig=rig)


@pytest.fixture
def exported(tmp_path, inputs, read_mcap):
    path = tmp_path / "episode.mcap"
    outputs = McapExporter(McapConfig(clock="camera")).export(inputs, path, silent)
    return outputs, read_mcap(path)


def test_the_hook_answers_its_own_kind_only():
    assert exporter("mcap") is McapExporter
    assert exporter("umi") is None
    assert McapExporter.ports(McapConfig()).inputs == {"streams": InputPort(many=True)}


def test_log_times_never_decrease_over_the_whole_file(exported):
    times = [log_time for _, _, log_time, _ in exported[1].messages]
    assert times == sorted(times)
    assert times[0] >= 0


def test_every_sample_of_every_stream_is_there(exported, streams):
    outputs, back = exported
    lost = {"slam.pose": 5, "gps.fix": 1}
    for name, stream in streams.items():
        if name != "camera.sound":
            assert len(back.of("/" + name.replace(".", "/"))) == len(stream) - lost.get(name, 0), name
    counted = {topic: len(back.of(topic)) for topic in back.topics}
    assert {topic: count for topic, count in outputs.attributes["messages"].items() if count} == counted


def test_every_stream_kind_has_messages(exported, streams):
    back = exported[1]
    with_messages = {stream.type.kind for name, stream in streams.items() if back.of("/" + name.replace(".", "/"))}
    assert with_messages == set(KINDS) - {"video", "clock_map"}


def test_a_clock_map_is_metadata_and_no_topic(tmp_path, episode_inputs, streams, rig, read_mcap):
    found = clock_map_stream(ClockMap(source="gripper", target="camera", offset_ns=2 * MS), {"method": "chirp"})
    path = tmp_path / "episode.mcap"
    all_streams = {name: streams[name] for name in ("camera.acceleration", "gripper.width")}
    inputs = episode_inputs(all_streams={**all_streams, "sync.gripper_to_camera": found}, rig=rig)
    config = McapConfig(clock="camera")
    McapExporter(config).export(inputs, path, silent)
    back = read_mcap(path)
    assert back.topics == ["/camera/acceleration", "/gripper/width", "/static_transforms"]
    assert json.loads(back.metadata["handloom.clock_maps"]["sync.gripper_to_camera"])["method"] == "chirp"
    types = {name: stream.type for name, stream in all_streams.items()}
    assert McapExporter.check(config, {**types, "sync.gripper_to_camera": found.type}, rig) == ()


def test_one_shift_moves_all_streams_and_maps_are_applied(exported):
    outputs, back = exported
    shift = outputs.attributes["shift_ns"]
    assert shift == 1_000_000_000
    assert back.of("/camera/acceleration")[0][0] == shift - 5 * MS
    assert back.of("/gripper/width")[0][0] == shift - 3 * MS
    assert back.of("/camera/sound")[0][0] == shift


def test_a_lost_pose_publishes_neither_pose_nor_transform(exported, streams):
    outputs, back = exported
    tracked = (streams["slam.pose"].stamps + outputs.attributes["shift_ns"])[streams["slam.pose"].tracked].tolist()
    assert [log_time for log_time, _ in back.of("/slam/pose")] == tracked
    assert [log_time for log_time, _ in back.of("/slam/pose/transform")] == tracked
    assert any("'slam.pose': 5 of 50 rows are lost" in note for note in outputs.notes)


def test_pictures_come_back_pixel_for_pixel(exported, streams):
    got = [
        np.frombuffer(image.data, np.uint8).reshape(4, 6, 3) for _, image in exported[1].of("/finger/thumbnail")
    ]
    assert (np.stack(got) == streams["finger.thumbnail"].data).all()


def test_static_transforms_are_turned_to_hang_off_the_tracked_camera(exported):
    [(_, message)] = exported[1].of("/static_transforms")
    [transform] = message.transforms
    assert (transform.parent_frame_id, transform.child_frame_id) == ("camera", "tcp")
    assert transform.translation.x == pytest.approx(-0.1)


def test_metadata_describes_the_episode_the_streams_and_the_rig(exported, streams, inputs):
    metadata = exported[1].metadata
    assert metadata["handloom"]["episode"] == "episode-001"
    assert metadata["handloom"]["clock"] == "camera"
    width = json.loads(metadata["handloom.streams"]["gripper.width"])
    assert StreamType.from_json(width["type"]) == streams["gripper.width"].type
    assert (width["samples"], width["messages"]) == (50, 50)
    rig = metadata["handloom.rig"]
    tables = {name: text if name == "name" else json.loads(text) for name, text in rig.items()}
    assert rig_from_table({"rig": tables}).to_table() == inputs.rig.to_table()
    assert tables["clocks"]
    assert any("'finger.empty' is empty" in note for note in metadata["handloom.notes"].values())


def test_what_was_asked_for_or_holds_of_foxglove_alone_is_told_in_the_file_only(
    tmp_path, episode_inputs, make_samples, read_mcap
):
    path, second = tmp_path / "episode.mcap", 1_000_000_000
    video = index_video((write_clip(tmp_path / "clip.mp4", Clip(frames=30)),)).video
    poses = np.tile([0.0, 0, 0, 0, 0, 0, 1], (9, 1))
    clock = video.type.clock
    streams = {"camera.video": video} | {
        name: make_samples(
            poses, np.arange(9) * second, kind="pose", unit="m", frame="world", body="hand", clock=clock
        )
        for name in ("mocap.pose", "slam.pose")
    }
    inputs = episode_inputs(all_streams=streams, rig=Rig())
    outputs = McapExporter(McapConfig(around_video_s=1.0)).export(inputs, path, silent)
    told = list(read_mcap(path).metadata["handloom.notes"].values())
    assert any("'slam.pose' from 'hand' to 'world' is left out of the 3D scene" in note for note in told)
    assert any("mocap.pose: 7 of 9 samples lie more than 1 s" in note for note in told)
    assert outputs.notes == ()


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
def test_the_same_episode_gives_the_same_bytes(tmp_path, inputs, compression):
    config = McapConfig(clock="camera", compression=compression)
    for name in ("a", "b"):
        McapExporter(config).export(inputs, tmp_path / name, silent)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_an_episode_of_empty_streams_is_a_readable_file(tmp_path, episode_inputs, streams, read_mcap):
    path = tmp_path / "empty.mcap"
    inputs = episode_inputs(all_streams={"finger.empty": streams["finger.empty"]})
    McapExporter(McapConfig()).export(inputs, path, silent)
    assert read_mcap(path).messages == []


@pytest.mark.parametrize("when", [0.0, 1.0])
def test_an_interrupted_export_leaves_no_file(tmp_path, inputs, when):
    class Interrupted(BaseException):
        pass

    def interrupt(share):
        if share >= when:
            raise Interrupted

    path = tmp_path / "episode.mcap"
    with pytest.raises(Interrupted):
        McapExporter(McapConfig(clock="camera")).export(inputs, path, interrupt)
    assert list(tmp_path.iterdir()) == []


def test_a_killed_export_leaves_nothing_that_a_reader_takes_for_finished(tmp_path, read_mcap):
    """The process ends without cleaning up when all messages are written, just before the file is closed."""
    path = tmp_path / "episode.mcap"
    export = (
        "import os, sys; from pathlib import Path; from handloom.testing import synthetic_episode;"
        "from handloom_exporters.mcap import McapConfig, McapExporter;"
        "episode = synthetic_episode();"
        "McapExporter(McapConfig(clock='simulation')).export("
        "    episode.inputs(streams=sorted(episode.streams)), Path(sys.argv[1]),"
        "    lambda share: os._exit(9) if share == 1.0 else None)"
    )
    assert subprocess.run([sys.executable, "-c", export, str(path)], check=False).returncode == 9
    with pytest.raises((McapError, FileNotFoundError)):
        read_mcap(path)


def test_progress_grows_to_one(tmp_path, inputs):
    shares = []
    McapExporter(McapConfig(clock="camera")).export(inputs, tmp_path / "x.mcap", shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_missing_foxglove_names_what_to_install(tmp_path, inputs, monkeypatch):
    monkeypatch.setitem(sys.modules, "foxglove", None)
    with pytest.raises(PluginError, match=r"pip install 'handloom-exporters\[foxglove\]'"):
        McapExporter(McapConfig()).export(inputs, tmp_path / "x.mcap", silent)
