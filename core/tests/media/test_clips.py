"""Synthetic clips: the same bytes each time, and what was asked for."""

from __future__ import annotations

from fractions import Fraction

import pytest

from handloom.errors import MediaError
from handloom.media import Clip, index_video, probe, write_clip
from handloom.media.boxes import set_rotation, video_boxes

SMALL = {"width": 160, "height": 120, "frames": 12}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"b_frames": 2, "preset": "veryfast", "noise": 20, "bitrate": 500_000},
        {"fragmented": True, "audio_s": 0.3},
        {"codec": "libx265"},
        {"rotation_deg": 90, "edit": (Fraction(1, 10), Fraction(1, 5))},
    ],
)
def test_same_clip_is_the_same_bytes(tmp_path, changes):
    first, second = (write_clip(tmp_path / name, Clip(**SMALL, **changes)) for name in ("a.mp4", "b.mp4"))
    assert first.read_bytes() == second.read_bytes()


def test_noise_makes_bits(tmp_path):
    sizes = [
        write_clip(tmp_path / f"{noise}.mp4", Clip(**SMALL, noise=noise)).stat().st_size for noise in (0, 10, 40)
    ]
    assert sizes[0] * 3 < sizes[1] < sizes[2]


def test_bitrate_is_near_the_one_asked_for(tmp_path):
    clip = Clip(width=320, height=240, frames=90, noise=40, bitrate=2_000_000, preset="veryfast")
    path = write_clip(tmp_path / "a.mp4", clip)
    assert path.stat().st_size * 8 / 3 == pytest.approx(2e6, rel=0.3)


def test_unknown_encoder_is_named(tmp_path):
    with pytest.raises(MediaError, match="no encoder 'libx999'"):
        write_clip(tmp_path / "a.mp4", Clip(codec="libx999"))


def test_index_before_or_after_the_pictures(tmp_path):
    front = write_clip(tmp_path / "a.mp4", Clip(**SMALL, faststart=True)).read_bytes()
    back = write_clip(tmp_path / "b.mp4", Clip(**SMALL)).read_bytes()
    assert front.index(b"moov") < front.index(b"mdat")
    assert back.index(b"moov") > back.index(b"mdat")


def test_default_clip_lasts_two_seconds(tmp_path):
    assert index_video((write_clip(tmp_path / "a.mp4"),)).video.stamps[-1] == round(Fraction(59, 30) * 10**9)


def test_probe_tells_the_turn(tmp_path):
    assert probe(write_clip(tmp_path / "a.mp4", Clip(**SMALL, rotation_deg=270))).rotation_deg == 270


def test_bytes_that_are_no_mp4_have_no_boxes_to_write():
    with pytest.raises(MediaError, match="no MP4 with a video track"):
        video_boxes(b"\0\0\0\x08free")
    with pytest.raises(MediaError, match="no MP4"):
        set_rotation(bytearray(b"nothing at all"), 90)


def test_turn_by_an_odd_angle_is_refused(tmp_path):
    with pytest.raises(MediaError, match="A turn of 45 degrees"):
        write_clip(tmp_path / "a.mp4", Clip(**SMALL, rotation_deg=45))
