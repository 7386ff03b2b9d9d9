"""Messages arrive as they were sent, nothing is copied, and every malformed one is a WireError."""

import contextlib
import random
import tracemalloc

import attrs
import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from handloom.errors import WireError
from handloom.net import DTYPES, VERSION, ArraySpec, Header, Limits, contract_hash, decode, encode

EPOCH = 1_700_000_000_123_456_789
HEADER = Header(
    kind="observation",
    sequence=7,
    clock="arm",
    stamps={"observed": EPOCH, "sent": EPOCH + 5},
    deadline_ns=EPOCH + 80_000_000,
    contract_hash=contract_hash({"a": 1}),
)
ARRAYS = {
    "camera.image": np.arange(2 * 4 * 5 * 3, dtype=np.uint8).reshape(2, 4, 5, 3),
    "pose": np.linspace(0.0, 1.0, 14).reshape(2, 7),
    "width": np.float32(0.05),
    "empty": np.empty((0, 3), np.int16),
    "seen": np.array([True, False]),
}


def fields(**changes):
    """A valid header as plain values, with changes."""
    plain = attrs.asdict(HEADER, recurse=False)
    return {**plain, "stamps": dict(HEADER.stamps), "arrays": [["x", "uint8", [3]]], **changes}


def message(**changes):
    return [msgpack.packb(fields(**changes)), b"abc"]


@settings(max_examples=60, deadline=None)
@given(
    content=st.dictionaries(
        st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=10),
        arrays_of.arrays(
            st.sampled_from([np.dtype(name) for name in DTYPES]),
            arrays_of.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4),
        ),
        max_size=5,
    ),
    sequence=st.integers(0, 2**63 - 1),
    stamp=st.integers(-(2**63), 2**63 - 1),
)
def test_messages_arrive_as_they_were_sent(content, sequence, stamp):
    header = Header(kind="chunk", sequence=sequence, stamps={"observed": stamp}, deadline_ns=stamp, text="ä € 𝄞")
    received, arrays = decode([bytes(frame) for frame in encode(header, content)])
    assert attrs.evolve(received, arrays=()) == header
    assert list(arrays) == list(content)
    for name, array in content.items():
        assert arrays[name].dtype == array.dtype
        assert arrays[name].shape == array.shape
        assert arrays[name].tobytes() == array.tobytes()


def test_the_array_table_says_what_follows():
    received, _ = decode(encode(HEADER, ARRAYS))
    assert received.arrays[0] == ArraySpec(name="camera.image", dtype="uint8", shape=(2, 4, 5, 3))
    assert received.arrays[2] == ArraySpec(name="width", dtype="float32", shape=())
    assert received.arrays[0].nbytes == 120


def test_frames_are_the_arrays_own_memory():
    image = np.zeros((4, 5, 3), np.uint8)
    frames = encode(HEADER, {"image": image})
    image[0, 0, 0] = 9
    assert frames[1][0] == 9
    _, arrays = decode(frames)
    assert np.shares_memory(arrays["image"], image)


def test_received_arrays_can_not_be_written_to():
    _, arrays = decode([bytearray(frame) for frame in encode(HEADER, ARRAYS)])
    with pytest.raises(ValueError, match="read-only"):
        arrays["pose"][0, 0] = 1.0


def test_strided_and_foreign_byte_order_arrays_keep_their_values():
    values = np.arange(12.0).reshape(3, 4)
    _, arrays = decode(encode(HEADER, {"t": values.T[::2], "big": values.astype(">f8"), "list": [1, 2]}))
    assert np.array_equal(arrays["t"], values.T[::2])
    assert np.array_equal(arrays["big"], values)
    assert arrays["list"].tolist() == [1, 2]


def test_numpy_integers_are_taken_as_stamps():
    header = Header(kind="chunk", sequence=np.int64(3), stamps={"observed": np.int64(EPOCH)})
    received, _ = decode(encode(header, {}))
    assert (received.sequence, received.stamps["observed"]) == (3, EPOCH)


@pytest.mark.parametrize(
    "array",
    [np.array(["a"]), np.array([object()]), np.zeros(2, "M8[ns]"), np.zeros(2, complex), np.zeros(1, "V4")],
)
def test_only_plain_numbers_travel(array):
    with pytest.raises(WireError, match="only bool"):
        encode(HEADER, {"x": array})


@pytest.mark.parametrize(
    "wrong", [{"sequence": 0.5}, {"stamps": {"observed": 1.5}}, {"deadline_ns": 2**70}, {"text": object()}]
)
def test_a_header_that_can_not_travel_is_refused_by_the_sender(wrong):
    with pytest.raises(WireError):
        encode(attrs.evolve(HEADER, **wrong), {})


def test_the_plain_header_used_below_is_valid():
    header, arrays = decode(message())
    assert header.kind == "observation"
    assert arrays["x"].tobytes() == b"abc"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"version": 2}, "of version 2; this side speaks 1"),
        ({"version": True}, "of version True"),
        ({"extra": 1}, "has 'extra' that it should not"),
        ({"kind": ""}, "kind must be a printable word"),
        ({"kind": "a\nb"}, "kind must be a printable word"),
        ({"kind": "k" * 129}, "at most 128 characters"),
        ({"sequence": "7"}, "sequence must be an integer"),
        ({"sequence": True}, "sequence must be an integer"),
        ({"sequence": 2**63}, "fits in int64"),
        ({"deadline_ns": 1.5}, "deadline_ns must be an integer"),
        ({"stamps": [1]}, "stamps must be a map"),
        ({"stamps": {"observed": None}}, "stamp 'observed' must be an integer"),
        ({"stamps": {str(index): 0 for index in range(65)}}, "not msgpack of the kind"),
        ({"contract_hash": 5}, "contract_hash must be a text"),
        ({"text": "t" * 70_000}, "text must be a text of at most 65536"),
        ({"arrays": {}}, "array table must be a list"),
        ({"arrays": [["x", "uint8"]]}, r"must be \[name, dtype, shape\]"),
        ({"arrays": [["x", "object", [3]]]}, "has dtype 'object'"),
        ({"arrays": [["x", "O", [3]]]}, "has dtype 'O'"),
        ({"arrays": [["x", [], [3]]]}, "has dtype"),
        ({"arrays": [["x", "uint8", 3]]}, "at most 8 axes; found 3"),
        ({"arrays": [["x", "uint8", [1] * 9]]}, "at most 8 axes"),
        ({"arrays": [["x", "uint8", [-3]]]}, "not negative"),
        ({"arrays": [["x", "uint8", [True]]]}, "whole lengths"),
        ({"arrays": [["x", "uint8", [2**40]]]}, "larger than 67108864 bytes"),
        ({"arrays": [["x", "uint8", [0, 2**63]]]}, "larger than"),
        ({"arrays": [["x", "uint8", [2]]]}, "announced as uint8 .* 2 bytes; its frame has 3"),
        ({"arrays": [["x", "uint8", [3]], ["y", "uint8", [0]]]}, "announces 2 arrays; 1 frames"),
        ({"arrays": []}, "announces 0 arrays; 1 frames"),
        ({"arrays": [["x", "bool", [3]]]}, "bytes other than 0 and 1"),
        ({"arrays": [["", "uint8", [3]]]}, "name of an array must be a printable word"),
        ({"arrays": [["n" * 200, "uint8", [3]]]}, "at most 128 characters"),
        ({"arrays": [["x", "float64", [2**22]], ["y", "float64", [2**22 + 1]]]}, "67108872 bytes together"),
        ({"arrays": [["x", "uint8", [3]], ["x", "uint8", [3]]]}, "one name"),
    ],
)
def test_what_a_message_may_not_say_is_refused_with_a_sentence(changes, sentence):
    with pytest.raises(WireError, match=sentence):
        decode(message(**changes))


def test_a_missing_field_is_named():
    plain = fields()
    del plain["clock"]
    with pytest.raises(WireError, match="lacks 'clock'"):
        decode([msgpack.packb(plain), b"abc"])


@pytest.mark.parametrize(
    "frames",
    [
        [],
        b"bytes",
        "text",
        [None],
        ["text"],
        [b""],
        [b"\xc1"],
        [b"\x93\x01\x02\x03"],
        [b"\x80" * 2],
        [b"\x91" * 100_000],
        [b"\xdd\xff\xff\xff\xff"],
        [b"\xdf\xff\xff\xff\xff"],
        [b"\xdb\xff\xff\xff\xff"],
        [b"\xd6\xff\x00\x00\x00\x00"],
        [b"\x81\x01\x02"],
        [b"\x82\xa1a\x01\xa1a\x02"],
        [b"\xa1\xff"],
        [b"x" * 300_000],
        [np.zeros((4, 4))[:, ::2]],
        [b"\x80", *[b""] * 65],
    ],
    ids=lambda frames: repr(frames)[:30],
)
def test_bytes_that_are_no_message_are_refused(frames):
    with pytest.raises(WireError):
        decode(frames)


def test_a_key_given_twice_is_refused():
    packed = msgpack.packb(fields())
    assert packed[0] == 0x80 | 9  # a map of nine; one more is put at its end
    twice = bytes([packed[0] + 1]) + packed[1:] + msgpack.packb("kind") + msgpack.packb("chunk")
    with pytest.raises(WireError, match="a key twice"):
        decode([twice, b"abc"])


def test_deeply_nested_headers_are_refused_not_followed():
    nested = 0
    for _ in range(500):
        nested = [nested]
    with pytest.raises(WireError, match="whole lengths"):
        decode(message(arrays=[["x", "uint8", nested]]))
    with pytest.raises(WireError, match="version") as caught:
        decode(message(version=nested))
    assert len(str(caught.value)) < 300


def test_limits_are_the_receivers_own():
    frames = encode(HEADER, {"a": np.zeros(4), "b": np.zeros(4)})
    assert decode(frames, Limits(arrays=2, total_bytes=64))
    for tight in (
        Limits(arrays=1),
        Limits(total_bytes=63),
        Limits(dimensions=0),
        Limits(dtypes=("uint8",)),
        Limits(header_bytes=10),
        Limits(name_length=5),
        Limits(stamps=1),
    ):
        with pytest.raises(WireError):
            decode(frames, tight)


def test_a_claim_of_gigabytes_allocates_nothing():
    frames = message(arrays=[["x", "float64", [2**40]]])
    tracemalloc.start()
    try:
        with pytest.raises(WireError):
            decode(frames)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def only_wire_errors(frames):
    with contextlib.suppress(WireError):
        decode(frames)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.binary(max_size=80), max_size=4))
def test_random_bytes_give_wire_errors_only(frames):
    only_wire_errors(frames)


@settings(max_examples=300, deadline=None)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**64 - 1)
        | st.floats()
        | st.text(max_size=5)
        | st.binary(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
        max_leaves=10,
    ),
    st.sampled_from([*sorted(fields()), None]),
)
def test_any_value_anywhere_in_the_header_gives_wire_errors_only(value, field):
    only_wire_errors([msgpack.packb(value if field is None else fields(**{field: value})), b"abc"])


@settings(max_examples=300, deadline=None)
@given(flips=st.lists(st.integers(0, 10**6), min_size=1, max_size=4), seed=st.integers(0, 100))
def test_flipped_bits_give_wire_errors_only(flips, seed):
    frames = [bytearray(frame) for frame in encode(HEADER, ARRAYS)]
    which = random.Random(seed)
    for flip in flips:
        frame = which.choice([frame for frame in frames if frame])
        frame[flip // 8 % len(frame)] ^= 1 << flip % 8
    only_wire_errors(frames)


@settings(max_examples=200, deadline=None)
@given(cut=st.integers(0, 400), which=st.integers(0, 5))
def test_truncated_frames_are_refused(cut, which):
    frames = [bytes(frame) for frame in encode(HEADER, ARRAYS)]
    if len(frames[which]) == 0:
        return
    frames[which] = frames[which][: cut % len(frames[which])]
    with pytest.raises(WireError):
        decode(frames)


@settings(max_examples=50, deadline=None)
@given(dropped=st.integers(0, 5))
def test_lost_frames_are_noticed(dropped):
    frames = encode(HEADER, ARRAYS)
    del frames[dropped]
    with pytest.raises(WireError):
        decode(frames)


def test_the_version_is_pinned():
    assert VERSION == 1
