"""All streams lie on one clock, mapped by known maps only."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.api import Rig
from handloom.errors import ClockError, StepError
from handloom.streams import Samples, StreamType, Video
from handloom.time import ClockMap, ClockMaps
from handloom_exporters.mcap.axis import choose_clock, make_axis, span
from handloom_exporters.mcap.exporter import McapConfig, McapExporter

SECOND = 1_000_000_000


def scalar(stamps, clock="camera"):
    type_ = StreamType(kind="scalar", dtype="float64", clock=clock)
    return Samples(type=type_, data=np.zeros(len(stamps)), stamps=np.array(stamps, dtype=np.int64))


def video(stamps, clock="camera", **attributes):
    stamps = np.array(stamps, dtype=np.int64)
    type_ = StreamType(kind="video", dtype="uint8", shape=(2, 2, 3), clock=clock)
    return Video(
        type=type_, files=(), pts=stamps, stamps=stamps, keyframes=stamps >= 0, codec="h264", attributes=attributes
    )


def axis_of(streams, *, clock="", start="recording", maps=()):
    return make_axis(streams, clock=clock, start=start, maps=ClockMaps(maps))


def test_stamps_at_or_past_zero_stay_as_they_are():
    streams = {"a.x": scalar([0, 7])}
    axis = axis_of(streams)
    assert axis.shift_ns == 0
    assert axis.of_stream("a.x", streams["a.x"]).tolist() == [0, 7]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-(10**18), 10**18), min_size=1, max_size=5).map(sorted))
def test_an_axis_below_zero_is_shifted_as_a_whole_by_whole_seconds(stamps):
    streams = {"a.x": scalar(stamps), "a.y": scalar([stamps[0] + 5])}
    axis = axis_of(streams)
    log_times = axis.of_stream("a.x", streams["a.x"])
    assert (log_times >= 0).all()
    assert (log_times - stamps == axis.shift_ns).all()
    assert axis.shift_ns % SECOND == 0
    assert axis.shift_ns == 0 or log_times[0] < SECOND


def test_the_first_videos_clock_is_followed():
    streams = {"a.x": scalar([0], "other"), "b.video": video([0]), "c.video": video([0], "third")}
    assert choose_clock(streams, "") == "camera"


def test_several_clocks_without_a_video_are_not_chosen_from():
    with pytest.raises(ClockError, match=r"left, right.*set `clock`"):
        choose_clock({"a.x": scalar([0], "left"), "b.x": scalar([0], "right")}, "")


def test_a_clock_without_a_map_is_refused_by_name():
    streams = {"b.video": video([0]), "glove.width": scalar([0], "glove")}
    with pytest.raises(ClockError, match=r"'glove.width' is on clock 'glove'.*'camera'.*\[rig.clocks.glove\]"):
        axis_of(streams)


def test_the_key_to_add_is_one_that_toml_takes():
    streams = {"b.video": video([0]), "glove.width": scalar([0], "session/glove")}
    with pytest.raises(ClockError, match=r'add \[rig\.clocks\."session/glove"\]'):
        axis_of(streams)


def test_a_map_to_another_clock_is_told():
    misspelt = ClockMap(source="glove", target="camra", offset_ns=0)
    streams = {"b.video": video([0]), "glove.width": scalar([0], "glove")}
    with pytest.raises(ClockError, match=r"\(a map to 'camra' exists, none to 'camera'\)"):
        axis_of(streams, maps=[misspelt])
    other_way = ClockMap(source="camera", target="golve", offset_ns=0)
    with pytest.raises(ClockError, match=r"\(a map from 'camera' to 'golve' exists, none to 'glove'\)"):
        axis_of(streams, maps=[other_way])


def test_what_has_no_map_is_known_from_types_alone_once_a_clock():
    streams = {"b.video": video([0]), "glove.width": scalar([0], "glove"), "glove.x": scalar([0], "glove")}
    types = {name: stream.type for name, stream in streams.items()}
    with pytest.raises(ClockError) as caught:
        axis_of(streams)
    assert McapExporter.check(McapConfig(), types, Rig()) == (str(caught.value),)
    known = ClockMaps([ClockMap(source="glove", target="camera", offset_ns=0)])
    assert McapExporter.check(McapConfig(), types, Rig(clock_maps=known)) == ()
    assert len(McapExporter.check(McapConfig(clock="room"), types, Rig(clock_maps=known))) == 2
    assert McapExporter.check(McapConfig(), {}, Rig()) == ()


def test_a_known_map_is_used_with_offset_and_drift():
    known = ClockMap(source="glove", target="camera", offset_ns=500, origin_ns=0, drift_ppm=100.0)
    streams = {"b.video": video([0]), "glove.width": scalar([0, SECOND], "glove")}
    axis = axis_of(streams, maps=[known])
    assert axis.of_stream("glove.width", streams["glove.width"]).tolist() == [500, SECOND + 500 + 100_000]


def test_creation_moves_zero_to_the_date_of_the_video():
    streams = {"b.video": video([0, SECOND], creation_time="2024-05-01T10:00:00.000000Z")}
    axis = axis_of(streams, start="creation")
    assert span(streams, axis) == (1_714_557_600 * SECOND, 1_714_557_601 * SECOND)


def test_an_unknown_creation_time_is_refused():
    with pytest.raises(StepError, match="creation_time"):
        axis_of({"b.video": video([0], creation_time="")}, start="creation")


def test_an_axis_past_what_foxglove_can_hold_is_refused():
    with pytest.raises(StepError, match="2\\^32"):
        axis_of({"a.x": scalar([(1 << 32) * SECOND])})


def test_an_episode_without_samples_has_an_axis():
    streams = {"a.x": scalar([])}
    assert span(streams, axis_of(streams)) == (0, 0)
