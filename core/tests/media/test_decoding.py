"""The pass: broken frames leave gaps, nothing is shifted, nothing is piled up."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction

import attrs
import numpy as np
import pytest

from handloom.errors import MediaError
from handloom.media import DecodeReport, View, decode, index_video, read_frames, read_number
from handloom.media.decoding import position_of

GRAY = View(format="gray")


def _with_frame_destroyed(path, target, row: int):
    """Overwrite one frame's packet, its length kept, so that the decoder refuses it."""
    import av

    data = bytearray(path.read_bytes())
    with av.open(str(path)) as container:
        entry = container.streams.video[0].index_entries[row]
        start, size = entry.pos, entry.size
    data[start : start + size] = b"\xff" * size
    target.write_bytes(data)
    return target


def test_broken_frame_is_lost_and_the_others_keep_their_index(clip, tmp_path):
    path = _with_frame_destroyed(clip(keyframe_every=1), tmp_path / "broken.mp4", row=20)
    video = index_video((path,)).video
    report = DecodeReport()
    numbers = {index: read_number(views.gray) for index, _, views in decode(video, {"gray": GRAY}, report=report)}
    assert report.lost == [20]
    assert numbers == {index: index for index in range(48) if index != 20}
    assert report.notes() == ("1 frames did not decode and were skipped: 20.",)


def test_reading_a_broken_frame_alone_is_an_error(clip, tmp_path):
    path = _with_frame_destroyed(clip(keyframe_every=1), tmp_path / "broken.mp4", row=20)
    with pytest.raises(MediaError, match=r"frame 20 \(tick \d+\) does not decode"):
        list(read_frames(index_video((path,)).video, [20], GRAY))


def test_frame_outside_the_video_is_refused(clip):
    video = index_video((clip(),)).video
    for outside in (-1, 48):
        with pytest.raises(MediaError, match=f"Frame {outside} was asked of a video that has frames 0 to 47"):
            list(read_frames(video, [outside], GRAY))


def test_indexed_frame_that_the_file_lacks_is_reported(clip):
    video = index_video((clip(),)).video
    invented = np.insert(video.pts, 10, video.pts[10] - 1)
    longer = attrs.evolve(
        video,
        pts=invented,
        stamps=np.insert(video.stamps, 10, video.stamps[10] - 1),
        keyframes=np.insert(video.keyframes, 10, False),
    )
    report = DecodeReport()
    seen = [index for index, _, _ in decode(longer, {}, report=report)]
    assert report.lost == [10]
    assert seen == [*range(10), *range(11, 49)]


def test_only_the_chosen_frames_are_yielded_and_nothing_after_them_is_read(clip, tmp_path):
    path = _with_frame_destroyed(clip(keyframe_every=1), tmp_path / "broken.mp4", row=40)
    video = index_video((path,)).video
    report = DecodeReport()
    passes = decode(video, {"gray": GRAY}, only=np.array([3, 30, 7]), report=report)
    assert [(index, read_number(views.gray)) for index, _, views in passes] == [(3, 3), (7, 7), (30, 30)]
    assert report.lost == []
    assert list(decode(video, {"gray": GRAY}, only=())) == []


def test_frames_missing_at_the_end_are_reported(clip):
    video = index_video((clip(),)).video
    longer = attrs.evolve(
        video,
        pts=np.append(video.pts, video.pts[-1] + [512, 1024]),
        stamps=np.append(video.stamps, video.stamps[-1] + [1, 2]),
        keyframes=np.append(video.keyframes, [False, False]),
    )
    report = DecodeReport()
    assert [index for index, _, _ in decode(longer, {}, report=report)] == list(range(48))
    assert report.lost == [48, 49]


def test_decoded_frame_that_the_index_lacks_is_left_out(clip):
    video = index_video((clip(),)).video
    shorter = attrs.evolve(
        video,
        pts=np.delete(video.pts, 10),
        stamps=np.delete(video.stamps, 10),
        keyframes=np.delete(video.keyframes, 10),
    )
    report = DecodeReport()
    numbers = [read_number(views.gray) for _, _, views in decode(shorter, {"gray": GRAY}, report=report)]
    assert numbers == [*range(10), *range(11, 48)]
    assert report.strays == 1
    assert "1 decoded pictures" in report.notes()[0]


def test_more_threads_give_the_same_pictures(clip):
    video = index_video((clip(b_frames=3, preset="veryfast"),)).video
    one, two = (
        [(index, views.gray.sum()) for index, _, views in decode(video, {"gray": GRAY}, threads=threads)]
        for threads in (1, 2)
    )
    assert one == two


def test_memory_does_not_grow_with_the_video(clip):
    video = index_video((clip(frames=300, width=320, height=240, rate=Fraction(30)),)).video
    passing = decode(video, {"rgb": View(format="rgb")})
    tracemalloc.start()
    peaks = []
    for index, _, _ in passing:
        if index in (60, 299):
            peaks.append(tracemalloc.get_traced_memory()[1])
    tracemalloc.stop()
    assert peaks[1] < peaks[0] + 100_000


def test_video_whose_file_is_gone_says_so(clip, tmp_path):
    path = tmp_path / "moved.mp4"
    path.write_bytes(clip().read_bytes())
    video = index_video((path,)).video
    path.unlink()
    with pytest.raises(MediaError, match=r"moved\.mp4: the file does not exist"):
        next(decode(video, {}))


def test_position_is_never_before_the_expected_one():
    pts = np.array([0, 10, 20, 30])
    assert position_of(pts, 20, 2) == 2
    assert position_of(pts, 30, 2) == 3
    assert position_of(pts, 10, 2) is None
    assert position_of(pts, 15, 0) is None
    assert position_of(pts, None, 0) is None
    assert position_of(pts, 40, 4) is None
