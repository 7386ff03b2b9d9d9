"""A stream's type is a value: bound to a device, kept as JSON, refused when it is none."""

import attrs
import pytest

from handloom.errors import StreamError
from handloom.streams import AUDIO, KINDS, POSE, VIDEO, StreamType


def test_binding_puts_the_device_for_every_own_name():
    type_ = attrs.evolve(POSE, frame="@_world", body="@", clock="@")
    bound = type_.bind("tracker")
    assert (bound.frame, bound.body, bound.clock) == ("tracker_world", "tracker", "tracker")
    assert bound.bind("another") == bound


@pytest.mark.parametrize(
    "type_", [POSE, VIDEO, AUDIO, *(StreamType(kind=kind, dtype="float64") for kind in KINDS)]
)
def test_a_type_comes_back_from_json(type_):
    assert StreamType.from_json(type_.to_json()) == type_


def test_an_unknown_kind_is_refused_with_the_nearest_one():
    with pytest.raises(StreamError, match="did you mean 'pose'"):
        StreamType(kind="poses", dtype="float64")


def test_values_that_are_no_type_are_refused():
    with pytest.raises(StreamError, match="is not a stream type"):
        StreamType.from_json({"kind": "pose", "colour": "red"})


def test_a_type_reads_as_a_person_would_say_it():
    assert str(attrs.evolve(POSE, frame="map", body="tool", clock="cam")) == (
        "pose of tool [float64 7, m] in map on clock cam"
    )
    assert "[uint8 nxnx3, 1]" in str(VIDEO)
