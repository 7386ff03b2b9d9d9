"""Recordings made by cameras that nobody here wrote the files of."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from handloom.media import (
    DecodeReport,
    View,
    decode,
    encoded_frames,
    index_video,
    probe,
    read_audio,
    read_data_packets,
    read_frames,
)

SMALL = View(format="gray", width=64, height=36)


def test_karma_has_its_known_tracks(shared_data):
    info = probe(shared_data / "gopro" / "karma.mp4")
    assert [track.type for track in info.tracks] == ["video", "audio", "data", "data", "data"]
    assert info.tracks[3].handler == "GoPro MET"
    assert info.creation_time == "2017-04-17T19:27:57.000000Z"
    assert info.timecode == "19:26:48:04"
    assert info.of_type("video")[0].duration_s == Fraction(1087086, 90000)
    assert info.of_type("data")[1].duration_s == Fraction(13013, 1000)
    assert info.rotation_deg == 0


def test_karma_has_362_frames_at_its_broadcast_rate(shared_data):
    indexed = index_video((shared_data / "gopro" / "karma.mp4",))
    assert len(indexed.video) == 362
    assert indexed.notes == ()
    assert indexed.video.type.shape == (480, 854, 3)
    assert indexed.video.attributes["full_range"] is True
    assert indexed.video.stamps[-1] == round(Fraction(361 * 3003 * 10**9, 90_000))


@pytest.mark.parametrize(("name", "count"), [("gopro/karma.mp4", 362), ("misc/phone-no-telemetry.mp4", 171)])
def test_every_frame_decodes_and_random_reads_agree(shared_data, name, count):
    video = index_video((shared_data / name,)).video
    report = DecodeReport()
    first = {index: views.small.copy() for index, _, views in decode(video, {"small": SMALL}, report=report)}
    assert len(first) == count
    assert report.lost == []
    assert report.strays == 0
    for index, picture in read_frames(video, [0, 50, 51, count - 1], SMALL):
        assert np.array_equal(picture, first[index])
    assert sorted(frame.index for frame in encoded_frames(video)) == list(range(count))


def test_karma_sound_is_whole(shared_data):
    audio = read_audio((shared_data / "gopro" / "karma.mp4",))
    assert audio.samples.data.shape == (579584, 2)
    assert audio.samples.knots[0].tolist() == [0, 0]
    assert audio.samples.rate_hz() == pytest.approx(48000)
    assert np.abs(audio.samples.data).max() <= 1.0


def test_karma_telemetry_is_found_by_handler_and_by_tag(shared_data):
    path = shared_data / "gopro" / "karma.mp4"
    by_handler = read_data_packets(path, handler="GoPro MET", tag="gpmd")
    assert len(by_handler) == 13
    assert by_handler[0].payload[:4] == b"DEVC"
    assert by_handler[1].pts_ns == 1_001_000_000
    assert read_data_packets(path, handler="no such handler", tag="gpmd") == by_handler


def test_phone_video_has_no_telemetry(shared_data):
    assert (
        read_data_packets(shared_data / "misc" / "phone-no-telemetry.mp4", handler="GoPro MET", tag="gpmd") == []
    )
