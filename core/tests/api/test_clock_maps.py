"""Clock maps as streams: nothing of a map is lost on the way through a store's values."""

import json

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.api import (
    clock_map_of,
    clock_map_stream,
    clock_map_type,
    declared_clock_maps,
)
from handloom.errors import StreamError
from handloom.streams import Samples, StreamType
from handloom.time import ClockMap, ClockMaps


@settings(max_examples=50, deadline=None)
@given(
    st.integers(-(2**61), 2**61),
    st.integers(-(2**61), 2**61),
    st.floats(-100, 100),
    st.floats(0, 1e9),
)
def test_a_map_survives_being_a_stream_of_json_values(offset, origin, drift, uncertainty):
    known = ClockMap(
        source="a", target="b", offset_ns=offset, origin_ns=origin, drift_ppm=drift, uncertainty_ns=uncertainty
    )
    stream = clock_map_stream(known, {"method": "chirp"})
    stored = attrs.evolve(stream, attributes=json.loads(json.dumps(dict(stream.attributes))))
    assert clock_map_of(stored) == known
    assert stream.data[0] == known.apply(stream.stamps)[0]
    assert stream.type == clock_map_type("a", "b")


def test_other_streams_hold_no_clock_map():
    type_ = StreamType(kind="scalar", dtype="float64")
    other = Samples(type=type_, data=np.zeros(1), stamps=np.zeros(1, dtype=np.int64))
    with pytest.raises(StreamError, match="keeps no clock map"):
        clock_map_of(other)


def test_declared_maps_join_clocks_before_anything_ran():
    maps = declared_clock_maps(ClockMaps(), [clock_map_type("a", "b"), clock_map_type("b", "c")])
    assert maps.joined_with("a") == ("b", "c")


def test_a_map_of_a_component_s_own_clocks_has_their_names_once_the_type_has():
    known = ClockMap(source="@/pi", target="@/wall", offset_ns=5)
    stream = clock_map_stream(known)
    bound = attrs.evolve(stream, type=stream.type.bind("session"))
    assert clock_map_of(bound) == attrs.evolve(known, source="session/pi", target="session/wall")
