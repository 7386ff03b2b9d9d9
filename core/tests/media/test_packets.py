"""Payloads and encoded frames, handed out as they were recorded."""

from __future__ import annotations

from fractions import Fraction

import av
import pytest

from handloom.errors import MediaError
from handloom.media import encoded_frames, index_video, read_data_packets

PAYLOADS = [b"DEVC" + bytes([number]) * 40 for number in range(3)]


@pytest.fixture
def with_telemetry(tmp_path):
    path = tmp_path / "telemetry.mp4"
    with av.open(str(path), "w") as container:
        video = container.add_stream("mpeg4", rate=30)
        video.width = video.height = 32
        data = container.add_data_stream("bin_data")
        data.time_base = Fraction(1, 1000)
        for packet in video.encode(av.VideoFrame(32, 32, "yuv420p")):
            container.mux(packet)
        for number, payload in enumerate(PAYLOADS):
            packet = av.Packet(payload)
            packet.stream, packet.time_base = data, Fraction(1, 1000)
            packet.pts = packet.dts = number * 1001
            packet.duration = 1001
            container.mux(packet)
        for packet in video.encode(None):
            container.mux(packet)
    return path


def test_payloads_are_found_by_their_tag(with_telemetry):
    packets = read_data_packets(with_telemetry, handler="GoPro MET", tag="gpmd")
    assert [packet.payload for packet in packets] == PAYLOADS
    assert [packet.pts_ns for packet in packets] == [0, 1_001_000_000, 2_002_000_000]
    assert packets[0].duration_ns == 1_001_000_000


def test_file_without_the_track_gives_no_payloads(clip):
    assert read_data_packets(clip(), handler="GoPro MET", tag="gpmd") == []


def test_frames_come_in_order_of_decoding_with_the_stamps_of_the_index(clip):
    video = index_video((clip(b_frames=3, preset="veryfast"),)).video
    frames = [(frame.index, frame.stamp, frame.keyframe) for frame in encoded_frames(video)]
    indices = [index for index, _, _ in frames]
    assert sorted(indices) == list(range(48))
    assert indices != sorted(indices)
    assert all(stamp == video.stamps[index] for index, stamp, _ in frames)
    assert all(keyframe == video.keyframes[index] for index, _, keyframe in frames)


def test_keyframes_carry_the_parameter_sets(clip):
    video = index_video((clip(),)).video
    for frame in encoded_frames(video):
        start = bytes(frame.payload[:4])
        assert start == b"\x00\x00\x00\x01"
        if frame.keyframe:
            units = {
                unit[0] & 31 for unit in bytes(frame.payload).replace(b"\0\0\0\1", b"\0\0\1").split(b"\0\0\1")[1:]
            }
            assert {7, 8} <= units  # sequence and picture parameter sets; ITU-T H.264, table 7-1


def test_hidden_frames_that_others_refer_to_have_no_index(clip):
    video = index_video((clip(edit=(Fraction(17, 30), Fraction(20, 30))),)).video
    frames = list(encoded_frames(video))
    hidden = [frame for frame in frames if frame.index < 0]
    assert len(frames) - len(hidden) == len(video)
    assert frames[0].keyframe
    assert frames[0].index == -1
    assert all(frame.stamp < 0 for frame in hidden if frame.stamp < video.stamps[0])


def test_a_video_of_jpegs_gives_them_whole(clip):
    path = clip(codec="mjpeg", full_range=True, frames=5)
    with av.open(str(path)) as container:
        packets = [bytes(packet) for packet in container.demux(video=0) if packet.size]
    frames = [(frame.index, bytes(frame.payload)) for frame in encoded_frames(index_video((path,)).video)]
    assert frames == list(enumerate(packets))
    assert all(picture.startswith(b"\xff\xd8") for picture in packets)


def test_codec_that_needs_its_container_is_refused(clip):
    video = index_video((clip(codec="mpeg4"),)).video
    with pytest.raises(
        MediaError, match="'mpeg4' has no form outside its container; expected one of h264, hevc, mjpeg"
    ):
        next(encoded_frames(video))
