"""The index: starts, chapters, attributes, and what is said about frames that are left out."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from handloom.errors import MediaError
from handloom.media import index_video


def test_stamps_of_a_broadcast_rate_do_not_drift(clip):
    video = index_video((clip(rate=Fraction(60000, 1001)),)).video
    exact = [round(Fraction(1001 * i, 60000) * 10**9) for i in range(48)]
    assert video.stamps.tolist() == exact


def test_start_offset_is_kept(clip):
    video = index_video((clip(start_ticks=15, b_frames=2, preset="veryfast"),)).video
    assert video.stamps[0] == 500_000_000
    assert video.files[0].start_ns == 0


def test_variable_rate_keeps_each_stamp(clip):
    ticks = [1440 + 3000 * i + i * i % 7 * 300 for i in range(48)]
    video = index_video((clip(time_base=Fraction(1, 90_000), pts=ticks, b_frames=2, preset="veryfast"),)).video
    assert video.stamps.tolist() == [round(Fraction(tick * 10**9, 90_000)) for tick in ticks]


def test_chapters_follow_without_a_step(clip):
    first, second = clip(), clip(first_number=48, start_ticks=15)
    video = index_video((first, second)).video
    assert len(video) == 96
    assert [file.first_frame for file in video.files] == [0, 48]
    assert np.ptp(np.diff(video.stamps)) <= 1  # rounding to ns
    assert video.files[1].start_ns == 1_600_000_000 - 500_000_000


def test_stamp_is_tick_plus_the_start_of_the_file(clip):
    video = index_video((clip(), clip(first_number=48))).video
    for row in (3, 60):
        file = video.files[row >= 48]
        numerator, denominator = file.time_base
        exact = Fraction(int(video.pts[row]) * numerator * 10**9, denominator)
        assert video.stamps[row] == round(exact) + file.start_ns


def test_chapters_of_two_recordings_are_refused(clip):
    with pytest.raises(MediaError, match="only chapters of one recording"):
        index_video((clip(), clip(rotation_deg=180)))


def test_edited_file_is_counted_by_what_is_shown(clip):
    indexed = index_video((clip(edit=(Fraction(17, 30), Fraction(20, 30))),))
    assert len(indexed.video) == 20
    assert indexed.video.stamps[0] == 0
    assert indexed.notes[0].endswith(": its edit list hides 28 frames, which are left out.")


@pytest.mark.parametrize(("turn", "shape"), [(0, (120, 160, 3)), (90, (120, 160, 3)), (270, (120, 160, 3))])
def test_shape_is_that_of_the_upright_picture(clip, turn, shape):
    video = index_video((clip(rotation_deg=turn),)).video
    assert video.rotation_deg == turn
    assert video.type.shape == shape
    assert video.attributes["coded_size"] == ([120, 160] if turn else [160, 120])


def test_attributes_say_what_the_file_says(clip):
    path = clip(full_range=True, b_frames=2, preset="veryfast", creation_time="2026-01-02T03:04:05.000000Z")
    attributes = index_video((path,)).video.attributes
    assert attributes["full_range"] is True
    assert attributes["has_b_frames"] is True
    assert attributes["nominal_rate_hz"] == 30.0
    assert attributes["creation_time"] == "2026-01-02T03:04:05.000000Z"


def test_keyframes_are_where_the_encoder_put_them(clip):
    video = index_video((clip(keyframe_every=12),)).video
    assert np.flatnonzero(video.keyframes).tolist() == [0, 12, 24, 36]


def test_repeated_stamps_are_counted_in_a_note(clip):
    ticks = [33 * (i if i != 10 else 9) for i in range(48)]
    indexed = index_video((clip(".mkv", time_base=Fraction(1, 1000), pts=ticks),))
    assert len(indexed.video) == 47
    assert "1 of 48 frames repeat the timestamp of another frame" in indexed.notes[0]


def test_frames_that_go_back_in_time_are_counted_in_a_note(clip, tmp_path):
    twice = tmp_path / "twice.ts"
    twice.write_bytes(clip(".ts").read_bytes() * 2)
    indexed = index_video((twice,))
    assert any("of 96 frames go back in time and are left out" in note for note in indexed.notes)
    assert indexed.video.attributes["backward_frames"] >= 47


@pytest.mark.parametrize("layout", ["fragmented", "faststart"])
def test_truncated_file_keeps_what_is_whole_and_says_how_much(clip, cut, layout):
    short = cut(clip(**{layout: True}), share=0.6)
    indexed = index_video((short,))
    assert 10 < len(indexed.video) < 40
    assert f"{len(indexed.video)} frames over" in indexed.notes[0]
    assert "breaks off" in indexed.notes[0]
    if layout == "faststart":
        assert f"{48 - len(indexed.video)} frames ({(48 - len(indexed.video)) / 30:.3f} s)" in indexed.notes[0]


def test_truncated_file_can_be_refused(clip, cut):
    with pytest.raises(MediaError, match=r"breaks off.*A whole file was asked for"):
        index_video((cut(clip(faststart=True), share=0.6),), allow_truncated=False)


def test_whole_file_has_nothing_to_note(clip):
    assert index_video((clip(fragmented=True),), allow_truncated=False).notes == ()
