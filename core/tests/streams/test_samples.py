"""Samples and videos keep what their types promise: shape, dtype, order, and lost poses that are plainly lost."""

from pathlib import Path

import attrs
import numpy as np
import pytest

from handloom.errors import StreamError
from handloom.streams import AUDIO, POSE, VIDEO, Samples, StreamType, Video, VideoFile, end_stamps

SPEED = StreamType(kind="vector", dtype="float64", shape=(2,), unit="m/s")
STAMPS = np.array([10, 20, 40], dtype=np.int64)
GOOD = Samples(type=SPEED, data=np.zeros((3, 2)), stamps=STAMPS)
LEVEL = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
SOUND = Samples(type=AUDIO, data=np.zeros((5, 1), np.float32), knots=np.array([[0, 100], [10, 1100]]))


def film(stamps):
    count = len(stamps)
    return Video(
        type=VIDEO,
        files=(VideoFile(path=Path("a.mp4"), first_frame=0, time_base=(1, 30), start_ns=0),),
        pts=np.arange(count),
        stamps=np.array(stamps, dtype=np.int64),
        keyframes=np.ones(count, dtype=bool),
    )


def poses(rows, tracked):
    stamps = np.arange(len(rows), dtype=np.int64)
    return Samples(type=POSE, data=np.array(rows), stamps=stamps, tracked=np.array(tracked))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"data": np.zeros((3, 2), np.float32)}, "declares float64 but its data are float32"),
        ({"data": np.zeros((3, 3))}, "declares shape"),
        ({"data": np.zeros(3)}, "declares shape"),
        ({"data": np.zeros(())}, "declares shape"),
        ({"stamps": None}, "either stamps or knots"),
        ({"knots": np.array([[0, 0], [1, 1]])}, "either stamps or knots"),
        ({"stamps": STAMPS[:2]}, "needs as many int64 stamps"),
        ({"stamps": STAMPS.astype(np.float64)}, "needs as many int64 stamps"),
        ({"stamps": STAMPS[::-1].copy()}, "Stamp 1 .* goes back by 20 ns"),
        ({"tracked": np.ones(3, bool)}, "Only poses"),
    ],
)
def test_what_contradicts_the_type_is_refused(change, said):
    with pytest.raises(StreamError, match=said):
        attrs.evolve(GOOD, **change)


@pytest.mark.parametrize(
    ("rows", "tracked", "said"),
    [
        ([LEVEL, LEVEL], [True, False], "Pose row 1: lost means NaN"),
        ([[np.nan] * 7], [True], "Pose row 0: lost means NaN"),
        ([LEVEL], [True, True], "as many `tracked` flags"),
        ([[*LEVEL[:6], 1.01]], [True], "norm 1.01"),
    ],
)
def test_a_pose_is_plainly_lost_or_plainly_there(rows, tracked, said):
    with pytest.raises(StreamError, match=said):
        poses(rows, tracked)


def test_an_open_length_takes_any_and_a_fixed_one_its_own():
    assert VIDEO.allows((480, 640, 3))
    assert VIDEO.allows((None, None, 3))
    assert not VIDEO.allows((480, 640, 1))
    assert not VIDEO.allows((480, 640))
    assert not POSE.allows((None,))


def test_knots_give_every_sample_its_stamp():
    assert SOUND.all_stamps().tolist() == [100, 200, 300, 400, 500]
    assert SOUND.rate_hz() == pytest.approx(1e7)


@pytest.mark.parametrize("stream", [GOOD, SOUND, film([5, 7, 11])], ids=["stamps", "knots", "video"])
def test_the_end_stamps_are_those_of_the_first_and_the_last(stream):
    stamps = stream.stamps if isinstance(stream, Video) else stream.all_stamps()
    assert end_stamps(stream) == (stamps[0], stamps[-1])


def test_an_empty_stream_has_no_end_stamps_and_no_rate():
    empty = attrs.evolve(GOOD, data=np.zeros((0, 2)), stamps=np.zeros(0, np.int64))
    assert end_stamps(empty) is end_stamps(film([])) is None
    assert np.isnan([empty.rate_hz(), film([]).rate_hz(), film([3]).rate_hz()]).all()


def test_samples_of_one_instant_have_no_rate():
    assert np.isnan(attrs.evolve(GOOD, stamps=np.array([5, 5, 5])).rate_hz())


def test_two_frames_at_one_time_are_refused():
    with pytest.raises(StreamError, match="Frame 2 of a video is not shown after frame 1"):
        film([0, 5, 5])


def test_a_video_needs_a_stamp_and_a_flag_for_every_frame():
    with pytest.raises(StreamError, match="found 3, 2 and 3"):
        attrs.evolve(film([0, 1, 2]), stamps=np.array([0, 1]))
