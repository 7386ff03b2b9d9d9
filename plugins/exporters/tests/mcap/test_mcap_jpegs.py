"""A video of JPEGs goes through to the byte, and clock maps are kept beside the topics."""

import json

import attrs
import av
import numpy as np
import pytest

from handloom.api import Rig, clock_map_stream, clock_map_type
from handloom.media import Clip, index_video, write_clip
from handloom.time import ClockMap, ClockMaps
from handloom_exporters.mcap import McapConfig, McapExporter

MAP = ClockMap(source="pi", target="camera", offset_ns=-4_000_000_000, uncertainty_ns=5e3)


@pytest.fixture
def fingers(tmp_path):
    path = write_clip(tmp_path / "finger.mp4", Clip(width=64, height=48, frames=6, codec="mjpeg", full_range=True))
    video = index_video((path,)).video
    stamps = 5_000_000_000 + np.arange(6) * 100_000_000
    return attrs.evolve(video, type=attrs.evolve(video.type, clock="pi"), stamps=stamps)


@pytest.mark.parametrize("transcode", [False, True])
def test_jpegs_are_the_recordings_own_bytes_at_their_own_times(
    fingers, tmp_path, episode_inputs, read_mcap, make_samples, transcode
):
    streams = {
        "session.finger_video": fingers,
        "session.width": make_samples(np.zeros(2), [0, 10**9], clock="camera", kind="scalar"),
        "sync.map": clock_map_stream(MAP, {"method": "chirp"}),
    }
    inputs = episode_inputs(all_streams=streams, rig=Rig(clock_maps=ClockMaps((MAP,))))
    config = McapConfig(clock="camera", transcode_b_frames=transcode)
    McapExporter(config).export(inputs, tmp_path / "out.mcap", lambda share: None)
    back = read_mcap(tmp_path / "out.mcap")
    messages = back.of("/session/finger_video")
    with av.open(str(fingers.files[0].path)) as container:
        packets = [bytes(packet) for packet in container.demux(video=0) if packet.size]
    assert [message.data for _, message in messages] == packets
    assert {message.format for _, message in messages} == {"jpeg"}
    assert [time for time, _ in messages] == (fingers.stamps - 4_000_000_000).tolist()
    assert back.topics == ["/session/finger_video", "/session/width"]
    assert json.loads(back.metadata["handloom.clock_maps"]["sync.map"])["method"] == "chirp"


def test_a_clock_map_is_no_stream_whose_clock_must_be_reached():
    types = {"sync.map": clock_map_type("pi", "wall"), "camera.video": clock_map_type("camera", "pi")}
    assert McapExporter.check(McapConfig(), types, Rig()) == ()
