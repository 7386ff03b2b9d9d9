"""What was recorded long before or after the videos can be left out, and is told of."""

import numpy as np
import pytest

from handloom.errors import HandloomError
from handloom.streams import Samples, StreamType, Video
from handloom.time import ClockMap, ClockMaps
from handloom_exporters.mcap.axis import make_axis
from handloom_exporters.mcap.cropping import near_videos
from handloom_exporters.mcap.exporter import McapConfig

SECOND = 1_000_000_000


def take(seconds, clock="camera"):
    """Return poses each second, the last of them lost."""
    data = np.tile([0.0, 0, 0, 0, 0, 0, 1], (len(seconds), 1))
    data[-1] = np.nan
    type_ = StreamType(kind="pose", dtype="float64", shape=(7,), clock=clock, frame="world", body="hand")
    return Samples(type=type_, data=data, stamps=np.array(seconds) * SECOND, tracked=~np.isnan(data[:, 0]))


def video(seconds):
    stamps = np.array(seconds, dtype=np.int64) * SECOND
    type_ = StreamType(kind="video", dtype="uint8", shape=(2, 2, 3), clock="camera")
    return Video(type=type_, files=(), pts=stamps, stamps=stamps, keyframes=stamps >= 0, codec="h264")


def near(streams, around_s, maps=()):
    return near_videos(streams, make_axis(streams, clock="", start="recording", maps=ClockMaps(maps)), around_s)


def test_samples_further_from_the_videos_than_is_said_are_left_out():
    streams = {"a.video": video(range(10, 13)), "b.video": video(range(12, 16)), "t.pose": take(range(40))}
    kept, notes = near(streams, 1.0)
    assert (kept["t.pose"].stamps // SECOND).tolist() == list(range(9, 17))
    assert len(kept["a.video"]) == 3
    assert notes == ("t.pose: 32 of 40 samples lie more than 1 s from every video.",)


def test_the_time_is_that_of_the_file_whatever_clock_a_stream_is_on():
    apart = ClockMap(source="tracker", target="camera", offset_ns=-20 * SECOND, uncertainty_ns=1)
    streams = {"a.video": video(range(10, 13)), "t.pose": take(range(40), "tracker")}
    kept, _ = near(streams, 0.0, [apart])
    assert (kept["t.pose"].stamps // SECOND).tolist() == [30, 31, 32]


def test_a_lost_pose_stays_lost():
    kept, _ = near({"a.video": video([5]), "t.pose": take(range(6))}, 2.0)
    assert kept["t.pose"].tracked.tolist() == [True, True, False]


def test_without_a_video_everything_stays():
    kept, notes = near({"t.pose": take(range(6))}, 0.0)
    assert (len(kept["t.pose"]), notes) == (6, ())


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_a_margin_that_is_none_is_refused(value):
    with pytest.raises(HandloomError, match="`around_video_s`"):
        McapConfig(around_video_s=value)
