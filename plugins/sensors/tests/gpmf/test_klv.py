import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from handloom.errors import RecordingError
from handloom_sensors.gpmf import klv
from handloom_sensors.gpmf.klv import Item

few = settings(max_examples=60, deadline=None)

keys = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=4, max_size=4)


@st.composite
def leaves(draw):
    letter = draw(st.sampled_from(sorted(klv.DTYPES)))
    size = np.dtype(klv.DTYPES[letter]).itemsize * draw(st.integers(1, 3))
    repeat = draw(st.integers(0, 5))
    data = draw(st.binary(min_size=size * repeat, max_size=size * repeat))
    return Item(key=draw(keys), type=letter, size=size, repeat=repeat, data=data)


items = st.recursive(leaves(), lambda inner: st.builds(klv.nest, keys, st.lists(inner, max_size=3)), max_leaves=8)


@few
@given(st.lists(items, max_size=4))
def test_parsing_what_was_encoded_gives_the_items_back(written):
    assert klv.parse(klv.encode(written)) == tuple(written)


@few
@given(st.binary(max_size=200))
@example(b"DEVC\0\x01\xff\xff" + b"STRM\0\x01\xff\xff" * 5)
@example(b"A\0\0\0")
def test_any_bytes_parse_or_raise_a_sentence_with_the_offset(garbage):
    refusal = ""
    try:
        klv.parse(garbage)
    except RecordingError as error:
        refusal = str(error)
    assert not refusal or "at byte" in refusal


@few
@given(st.data())
def test_a_damaged_real_payload_is_salvaged_or_refused(shared_data, data):
    payload = bytearray((shared_data / "gpmf" / "hero5.raw").read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(payload)))
    items, problems = klv.salvage(bytes(payload[:cut]))
    try:
        strict = klv.parse(bytes(payload[:cut]))
    except RecordingError:
        assert problems
    else:
        assert strict == items
        assert not problems


def test_nothing_outside_the_buffer_is_read():
    whole = klv.encode([Item(key="ABCD", type="L", size=4, repeat=3, data=bytes(12))])
    with pytest.raises(RecordingError, match=r"at byte 0: item ABCD claims 12 bytes \(4 x 3\) but 8 are left"):
        klv.parse(whole[:-4])


def test_a_length_inside_a_nest_may_not_reach_beyond_the_nest():
    inner = klv.encode([Item(key="ABCD", type="L", size=4, repeat=1, data=bytes(4))])
    nest = b"DEVC\0\x01\0\x08" + inner
    with pytest.raises(RecordingError, match="at byte 8: item ABCD claims 4 bytes"):
        klv.parse(nest)


def test_nests_without_end_are_refused_instead_of_recursing():
    deep = b""
    for _ in range(200):
        deep = (
            klv.encode([Item(key="DEVC", type="\0", size=1, repeat=0)])[:6] + len(deep).to_bytes(2, "big") + deep
        )
    with pytest.raises(RecordingError, match="nested deeper than 8 levels"):
        klv.parse(deep)


def test_zeros_at_the_end_are_padding():
    item = Item(key="ABCD", type="B", size=1, repeat=1, data=b"\7")
    assert klv.parse(klv.encode([item]) + bytes(13)) == (item,)


def test_values_are_padded_to_four_bytes():
    one, two = (Item(key=key, type="B", size=1, repeat=5, data=b"12345") for key in ("ONE_", "TWO_"))
    encoded = klv.encode([one, two])
    assert len(encoded) == 2 * (8 + 8)
    assert klv.parse(encoded) == (one, two)


def test_a_cut_payload_keeps_the_streams_that_are_whole():
    strm = klv.nest("STRM", [Item(key="ACCL", type="s", size=2, repeat=2, data=b"1234")])
    payload = klv.encode([klv.nest("DEVC", [strm, strm, strm])])
    items, problems = klv.salvage(payload[:-10])
    assert [child.key for child in items[0].children] == ["STRM", "STRM", "STRM"]
    assert [len(child.children) for child in items[0].children] == [1, 1, 0]
    assert "at byte" in problems[0]


def test_units_are_iso_8859_1():
    assert Item(key="SIUN", type="c", size=4, repeat=1, data=b"m/s\xb2").text() == "m/s²"


def test_an_item_that_does_not_fit_its_header_is_refused():
    with pytest.raises(RecordingError, match="at most 255 bytes and an item at most 65535 samples"):
        klv.encode([Item(key="ABCD", type="B", size=1, repeat=2, data=b"123")])
