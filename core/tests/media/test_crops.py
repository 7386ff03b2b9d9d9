"""Views of a part of the picture: the right pixels, upright, averaged like OpenCV does it."""

from __future__ import annotations

import av
import numpy as np
import pytest

from handloom.errors import MediaError
from handloom.media import Clip, View, decode, index_video, read_frames, write_clip
from handloom.media.crops import upright_box
from handloom.media.pictures import PictureMaker


def _frame(format_: str = "yuvj420p", colorspace: int = 2, width: int = 128, height: int = 96) -> av.VideoFrame:
    rows, columns = np.mgrid[:height, :width]
    red, green = 40 + columns * 160 // width, 40 + rows * 160 // height
    blue = 200 - columns * 160 // width + (rows + columns) % 16
    rgb = np.stack([red, green, blue], axis=-1).astype(np.uint8)
    frame = av.VideoFrame.from_ndarray(rgb, format="rgb24").reformat(format=format_, dst_colorspace=colorspace)
    frame.color_range = 2 if format_.startswith("yuvj") else 1
    frame.colorspace = colorspace
    return frame


def _pictures(frame, view: View, *, rotation_deg: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return the view, and the same without its crop and size."""
    wanted = {"it": view, "whole": View(format=view.format)}
    views = PictureMaker(wanted, rotation_deg=rotation_deg).make(0, frame)
    return views.it.astype(int), views.whole.astype(int)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("kind", ["rgb", "gray", "luma"])
def test_a_crop_shows_those_pixels_of_the_upright_picture(kind, turn):
    part, whole = _pictures(_frame(), View(format=kind, crop=(10, 6, 40, 20)), rotation_deg=turn)
    expected = whole[6:26, 10:50]
    assert part.shape == expected.shape
    assert np.abs(part - expected).mean() <= (1.5 if kind == "rgb" else 0.5)


@pytest.mark.parametrize("colorspace", [1, 5])
@pytest.mark.parametrize("format_", ["yuvj420p", "yuv420p", "yuv422p"])
def test_a_crop_has_the_colours_of_the_whole(format_, colorspace):
    part, whole = _pictures(_frame(format_, colorspace), View(format="rgb", crop=(10, 6, 40, 20)))
    assert np.abs(part.mean(axis=(0, 1)) - whole[6:26, 10:50].mean(axis=(0, 1))).max() <= 2.0


@pytest.mark.parametrize(
    ("ratio", "box"),
    [("1:1", (16, 0, 96, 96)), ("4:3", (0, 0, 128, 96)), ("2:1", (0, 16, 128, 64)), ("", (0, 0, 128, 96))],
)
def test_a_ratio_is_the_largest_centred_box(ratio, box):
    assert upright_box(ratio, 128, 96) == box


def test_an_odd_corner_is_exact():
    part, whole = _pictures(_frame(), View(format="gray", crop=(11, 7, 41, 21)))
    assert np.abs(part - whole[7:28, 11:52]).max() <= 1


@pytest.mark.parametrize("size", [(24, 24), (32, 24)])
def test_shrinking_a_crop_is_opencvs_area_average(size):
    cv2 = pytest.importorskip("cv2", reason="needs opencv-python-headless")
    view = View(format="rgb", crop="1:1", width=size[0], height=size[1])
    part, whole = _pictures(_frame(width=640, height=480), view)
    square = np.ascontiguousarray(whole[:, 80:560].astype(np.uint8))
    expected = cv2.resize(square, size, interpolation=cv2.INTER_AREA).astype(int)
    assert np.abs(part - expected).mean() <= 1.0
    assert np.abs(part - expected).max() <= 4


def test_a_side_left_out_follows_from_the_crop():
    part, _ = _pictures(_frame(), View(format="gray", crop=(0, 0, 60, 30), width=20))
    assert part.shape == (10, 20)


def test_luma_of_a_crop_is_not_copied():
    frame = _frame()
    luma = PictureMaker({"it": View(format="luma", crop="1:1")}, rotation_deg=0).make(0, frame).it
    assert luma.shape == (96, 96)
    assert np.shares_memory(luma, np.frombuffer(frame.planes[0], dtype=np.uint8))


def test_reading_and_decoding_give_the_same_crop(tmp_path):
    video = index_video((write_clip(tmp_path / "a.mp4", Clip(frames=4)),)).video
    view = View(format="rgb", crop="1:1", width=20)
    decoded = {index: views.it.copy() for index, _, views in decode(video, {"it": view})}
    for index, picture in read_frames(video, range(4), view):
        assert np.array_equal(picture, decoded[index])


def test_a_crop_past_the_picture_is_refused_with_its_size():
    with pytest.raises(MediaError, match=r"40x20 pixels from \(100, 6\) on, but the picture is 128x96"):
        _pictures(_frame(), View(format="gray", crop=(100, 6, 40, 20)))


@pytest.mark.parametrize("crop", ["square", "0:1", (1, 2, 3), (-1, 0, 4, 4), (0, 0, 0, 4)])
def test_what_is_no_crop_is_refused(crop):
    with pytest.raises(MediaError, match="A crop is"):
        View(format="gray", crop=crop)
