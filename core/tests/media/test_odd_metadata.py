"""Metadata that is no UTF-8 does not keep a file from being read."""

from handloom.media import Clip, probe, write_clip


def test_bytes_that_are_no_text_in_the_metadata_are_replaced(tmp_path):
    clip = write_clip(tmp_path / "a.mp4", Clip(frames=3, creation_time="2026-01-01T12:00:00Z"))
    data = clip.read_bytes()
    assert b"VideoHandler" in data
    clip.write_bytes(data.replace(b"VideoHandler", b"Vid\xff\xfeHandler"))
    (track,) = probe(clip).tracks
    assert track.handler.startswith("Vid")
    assert track.handler.endswith("Handler")
