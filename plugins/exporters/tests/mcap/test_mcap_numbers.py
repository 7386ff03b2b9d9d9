"""Numbers read back exactly, whatever they are."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from handloom.streams import Samples, StreamType
from handloom_exporters.mcap.numbers import NUMBER_KINDS, number_schema, number_topic


def messages_of(data, stamps, **type_values):
    type_ = StreamType(dtype=str(data.dtype), shape=data.shape[1:], **type_values)
    stamps = np.asarray(stamps, dtype=np.int64)
    topic = number_topic("glove.numbers", Samples(type=type_, data=data, stamps=stamps), stamps)
    return [(log_time, json.loads(payload)) for log_time, payload in topic.messages]


@settings(max_examples=50, deadline=None)
@given(arrays(np.float64, (3, 3), elements=st.floats(allow_nan=True, allow_infinity=True)))
def test_numbers_survive_to_the_last_bit_and_gaps_are_null(data):
    got = messages_of(data, [1, 2, 3], kind="angular_velocity", unit="rad/s", frame="imu")
    for row, (_, message) in zip(data, got, strict=True):
        for want, field in zip(row.tolist(), "xyz", strict=True):
            assert repr(message[field]) == repr(want if np.isfinite(want) else None)


@pytest.mark.parametrize(
    "data", [np.array([1, 2], np.int64), np.array([True, False]), np.array([0.5, 2.0], np.float32)]
)
def test_scalars_of_every_type_are_values(data):
    got = messages_of(data, [1, 2], kind="scalar", unit="m")
    assert [message["value"] for _, message in got] == data.tolist()


def test_a_vector_keeps_its_length():
    got = messages_of(np.arange(8.0).reshape(2, 4), [1, 2], kind="vector", unit="N")
    assert [message["values"] for _, message in got] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_a_message_says_its_unit_frame_and_time():
    [(log_time, message)] = messages_of(
        np.zeros((1, 3)), [12_000_000_034], kind="acceleration", unit="100%", frame='a"b'
    )
    assert log_time == 12_000_000_034
    assert message["timestamp"] == {"sec": 12, "nsec": 34}
    assert (message["unit"], message["frame_id"]) == ("100%", 'a"b')


def test_more_samples_than_a_block_keep_their_order():
    data = np.arange(10_000.0)
    assert [
        message["value"] for _, message in messages_of(data, data.astype(np.int64), kind="scalar")
    ] == data.tolist()


@pytest.mark.parametrize("kind", sorted(NUMBER_KINDS))
def test_a_message_has_the_fields_of_its_schema(kind):
    width = {"scalar": (), "orientation": (4,), "vector": (5,)}.get(kind, (3,))
    [(_, message)] = messages_of(np.ones((1, *width)), [1], kind=kind)
    assert set(message) == set(number_schema(kind)["properties"])
