"""Pictures of a frame: made once, upright, full range, read-only, the luma without a copy where there can be."""

from __future__ import annotations

import av
import numpy as np
import pytest

from handloom.media import View, decode, index_video
from handloom.media.pictures import PictureMaker, plane_as_array


def _frame(luma: np.ndarray, *, full_range: bool) -> av.VideoFrame:
    chroma = np.full((luma.shape[0] // 2, luma.shape[1]), 128, dtype=np.uint8)
    frame = av.VideoFrame.from_ndarray(
        np.concatenate([luma, chroma]), format="yuvj420p" if full_range else "yuv420p"
    )
    if full_range:
        frame.color_range = 2
    return frame


def _view(frame, view: View, *, rotation_deg: int = 0) -> np.ndarray:
    return PictureMaker({"it": view}, rotation_deg=rotation_deg).make(0, frame)["it"]


def test_full_range_luma_is_the_decoders_own_memory():
    frame = _frame(np.arange(64 * 64, dtype=np.uint8).reshape(64, 64), full_range=True)
    luma = _view(frame, View(format="luma"))
    plane = np.frombuffer(frame.planes[0], dtype=np.uint8)
    assert np.shares_memory(luma, plane)
    assert np.array_equal(luma, np.arange(64 * 64, dtype=np.uint8).reshape(64, 64))


def test_turned_luma_is_still_not_copied():
    frame = _frame(np.arange(64 * 32, dtype=np.uint8).reshape(32, 64), full_range=True)
    luma = _view(frame, View(format="luma"), rotation_deg=90)
    assert luma.shape == (64, 32)
    assert np.shares_memory(luma, np.frombuffer(frame.planes[0], dtype=np.uint8))


def test_line_padding_is_no_part_of_the_picture():
    frame = _frame(np.full((32, 50), 77, dtype=np.uint8), full_range=True)
    assert frame.planes[0].line_size > 50
    assert (plane_as_array(frame, channels=1) == 77).all()


@pytest.mark.parametrize(
    "view", [View(format="luma"), View(format="gray"), View(format="gray", width=16, height=16)]
)
@pytest.mark.parametrize(("coded", "shown"), [(16, 0), (235, 255)])
def test_studio_range_is_stretched_to_the_full(view, coded, shown):
    picture = _view(_frame(np.full((64, 64), coded, dtype=np.uint8), full_range=False), view)
    assert abs(picture.astype(int) - shown).max() <= 1


@pytest.mark.parametrize("level", [0, 100, 255])
@pytest.mark.parametrize("kind", ["rgb", "gray"])
def test_full_range_is_left_as_it_is(kind, level):
    picture = _view(_frame(np.full((64, 64), level, dtype=np.uint8), full_range=True), View(format=kind))
    assert abs(picture.astype(int) - level).max() <= 1


def test_shrinking_averages_the_area_of_each_pixel():
    luma = np.random.default_rng(0).integers(0, 256, (128, 128)).astype(np.uint8)
    small = _view(_frame(luma, full_range=True), View(format="gray", width=16, height=16))
    mean = luma.reshape(16, 8, 16, 8).mean(axis=(1, 3))
    assert abs(small - mean).max() <= 1.5


def test_same_rendition_is_made_once_and_shared():
    views = {name: View(format="rgb", width=32, height=32) for name in ("policy", "exposure")}
    pictures = PictureMaker(views, rotation_deg=0).make(
        0, _frame(np.zeros((64, 64), dtype=np.uint8), full_range=True)
    )
    assert pictures.policy is pictures.exposure


def test_pictures_are_read_only(clip):
    wanted = {kind: View(format=kind) for kind in ("rgb", "gray", "luma")}
    for turn in (0, 90):
        _, _, views = next(decode(index_video((clip(rotation_deg=turn),)).video, wanted))
        for kind in wanted:
            with pytest.raises(ValueError, match="read-only"):
                views[kind][0] = 0


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_size_is_that_of_the_upright_picture(clip, turn):
    video = index_video((clip(rotation_deg=turn),)).video
    wanted = {
        "rgb": View(format="rgb", width=40, height=30),
        "whole": View(format="rgb"),
        "luma": View(format="luma"),
    }
    _, _, views = next(decode(video, wanted))
    assert views.rgb.shape == (30, 40, 3)
    assert views.whole.shape == video.type.shape
    assert views.luma.shape == video.type.shape[:2]


def test_every_nth_view_is_there_on_those_frames_only(clip):
    wanted = {"thumb": View(format="rgb", width=16, height=12, every=5), "gray": View(format="gray")}
    due = [index for index, _, views in decode(index_video((clip(),)).video, wanted) if "thumb" in views]
    assert due == list(range(0, 48, 5))


def test_ten_bit_luma_is_brought_to_eight():
    frame = av.VideoFrame(64, 64, "yuv420p10le")
    for plane, level in zip(frame.planes, (940, 512, 512), strict=True):
        plane.update(np.full(plane.buffer_size // 2, level, dtype="<u2").tobytes())
    luma = _view(frame, View(format="luma"))
    assert luma.dtype == np.uint8
    assert abs(luma.astype(int) - 255).max() <= 1
