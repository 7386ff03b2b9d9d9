"""Files that can't be opened: one sentence with the file, the cause and what to do."""

from __future__ import annotations

import sys

import av
import pytest

from handloom.errors import MediaError
from handloom.media import has_audio, index_video, probe, read_audio


def _refusal(path) -> str:
    with pytest.raises(MediaError) as caught:
        index_video((path,))
    message = str(caught.value)
    assert str(path) in message
    assert message.endswith(".")
    return message


def test_missing_file_is_named(tmp_path):
    assert "does not exist" in _refusal(tmp_path / "gone.mp4")


def test_directory_is_named(tmp_path):
    assert "is a directory" in _refusal(tmp_path)


def test_empty_file_is_said_to_be_empty(tmp_path):
    path = tmp_path / "empty.mp4"
    path.touch()
    assert "is empty" in _refusal(path)


def test_text_is_no_media_file(tmp_path):
    path = tmp_path / "notes.mp4"
    path.write_text("This is not a video. " * 50)
    assert "no video or audio file" in _refusal(path)


def test_file_without_moov_says_how_to_repair_it(clip, cut):
    message = _refusal(cut(clip(), share=0.5))
    assert "moov" in message
    assert "untrunc" in message


def test_sound_alone_is_no_video(tmp_path):
    path = tmp_path / "sound.wav"
    _write_wav(path, [0, 1, 2])
    assert "no video track, found: audio" in _refusal(path)


def test_recording_that_broke_off_before_its_first_picture_is_refused(clip, tmp_path):
    path = clip(fragmented=True)
    short = tmp_path / "short.mp4"
    short.write_bytes(path.read_bytes()[:800])
    assert "no frame of the video can be shown" in _refusal(short)


def test_raw_stream_without_timestamps_is_refused(clip, tmp_path):
    path = tmp_path / "camera.h264"
    with av.open(str(clip())) as source, av.open(str(path), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.size:
                packet.stream = stream
                target.mux(packet)
    assert "carry no timestamps" in _refusal(path)


def test_no_file_at_all_is_a_mistake():
    with pytest.raises(MediaError, match="No video file"):
        index_video(())
    with pytest.raises(MediaError, match="No audio file"):
        read_audio(())


def test_colon_in_a_name_is_no_protocol(clip, tmp_path):
    path = tmp_path / "take:1.mp4"
    path.write_bytes(clip().read_bytes())
    assert len(index_video((path,)).video) == 48


def test_missing_pyav_names_the_extra(clip, monkeypatch):
    path = clip()
    monkeypatch.setitem(sys.modules, "av", None)
    for reader in (probe, has_audio, lambda p: index_video((p,))):
        with pytest.raises(MediaError, match=r"pip install 'handloom\[video\]'"):
            reader(path)


def _write_wav(path, values) -> None:
    import wave

    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"".join(int(value).to_bytes(2, "little", signed=True) for value in values))
