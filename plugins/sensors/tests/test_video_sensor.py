"""The sensor `video`: pictures and sound on one axis, refusals in a sentence."""

from __future__ import annotations

import attrs
import pytest

from handloom.api import Outputs
from handloom.errors import RecordingError
from handloom.media import Clip, write_clip
from handloom.streams import Samples, Video
from handloom_sensors.video import VideoConfig, VideoSensor, sensor

SMALL = Clip(width=160, height=120, frames=30)


def _read(*files, config=None) -> tuple[Outputs, list[float]]:
    told: list[float] = []
    return VideoSensor(config).read(files, told.append), told


@pytest.fixture
def silent(tmp_path):
    return write_clip(tmp_path / "silent.mp4", SMALL)


@pytest.fixture
def sounding(tmp_path):
    return write_clip(tmp_path / "sounding.mp4", attrs.evolve(SMALL, audio_s=1.0))


def test_hook_answers_the_class():
    assert sensor("video") is VideoSensor


def test_silent_video_has_no_audio_stream(silent):
    outputs, told = _read(silent)
    assert list(outputs.streams) == ["video"]
    assert outputs.attributes["coded_size"] == [160, 120]
    assert outputs.notes == ()
    assert told[0] == 0.0
    assert told[-1] == 1.0


def test_streams_are_those_of_the_ports(sounding):
    outputs, _ = _read(sounding)
    ports = VideoSensor.ports(VideoConfig()).outputs
    assert set(outputs.streams) == set(ports)
    video, audio = outputs.streams["video"], outputs.streams["audio"]
    assert isinstance(video, Video)
    assert isinstance(audio, Samples)
    for name, stream in outputs.streams.items():
        assert (stream.type.kind, stream.type.dtype) == (ports[name].type.kind, ports[name].type.dtype)
        assert stream.type.clock == "@"


def test_chapter_without_sound_leaves_a_gap_and_a_note(silent, sounding):
    outputs, _ = _read(sounding, silent, sounding)
    audio = outputs.streams["audio"]
    assert len(audio.attributes["gaps_ns"]) == 1
    assert audio.attributes["gaps_ns"][0][1] == pytest.approx(1e9, rel=0.05)
    assert outputs.notes[0] == "silent.mp4 has no sound although other chapters of its recording do."


def test_truncated_video_is_kept_or_refused_as_configured(tmp_path):
    whole = write_clip(tmp_path / "whole.mp4", attrs.evolve(SMALL, faststart=True))
    short = tmp_path / "short.mp4"
    short.write_bytes(whole.read_bytes()[: whole.stat().st_size * 2 // 3])
    outputs, _ = _read(short)
    assert "breaks off" in outputs.notes[0]
    with pytest.raises(RecordingError, match="breaks off"):
        _read(short, config=VideoConfig(allow_truncated=False))


def test_unreadable_file_is_a_recording_error(tmp_path):
    with pytest.raises(RecordingError, match="does not exist"):
        _read(tmp_path / "gone.mp4")


def test_phone_video_is_plain_video(shared_data):
    outputs, _ = _read(shared_data / "misc" / "phone-no-telemetry.mp4")
    assert len(outputs.streams["video"]) == 171
    assert outputs.streams["audio"].data.shape == (253952, 2)
