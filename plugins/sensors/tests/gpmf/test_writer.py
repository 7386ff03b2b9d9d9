import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from handloom.errors import RecordingError
from handloom_sensors.gpmf.reading import read_telemetry
from handloom_sensors.gpmf.telemetry import Device
from handloom_sensors.gpmf.writer import Signal, cut_payloads, stored

SECOND_US = 1_000_000
NUMBER_TYPES = {
    "b": np.int8,
    "B": np.uint8,
    "s": np.int16,
    "S": np.uint16,
    "l": np.int32,
    "L": np.uint32,
    "f": np.float32,
}


@st.composite
def signals(draw):
    letter = draw(st.sampled_from(sorted(NUMBER_TYPES)))
    fields = draw(st.integers(1, 4))
    count = draw(st.integers(1, 40))
    elements = {"allow_nan": False} if letter == "f" else {}
    values = draw(arrays.arrays(NUMBER_TYPES[letter], (count, fields), elements=elements or None))
    stamps = np.cumsum(draw(st.lists(st.integers(1, 200_000), min_size=count, max_size=count)))
    scale = tuple(draw(st.lists(st.integers(1, 40_000), min_size=fields, max_size=fields)))
    return Signal(
        key=draw(st.sampled_from(["ACCL", "GYRO", "XyZ1"])),
        types=letter * fields,
        values=values,
        stamps_us=stamps.astype(np.int64),
        title=draw(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20)),
        unit="m/s²",
        scale=scale,
        orientation=draw(st.sampled_from(["", "ZXY", "zxY"])),
        counted=draw(st.integers(0, 10_000)),
    )


@settings(max_examples=60, deadline=None)
@given(signals(), st.integers(1, 4))
def test_the_parser_reads_what_was_written(signal, payload_count):
    device = Device("1", "HERO11 Black")
    starts = [index * SECOND_US for index in range(payload_count)]
    payloads = cut_payloads({device: [signal]}, starts_us=starts, end_us=payload_count * SECOND_US)
    telemetry = read_telemetry(payloads)
    (stream,) = telemetry.streams
    assert not telemetry.notes
    assert stream.device == device
    assert (stream.key, stream.types, stream.title, stream.units) == (
        signal.key,
        signal.types,
        signal.title,
        ("m/s²",),
    )
    np.testing.assert_array_equal(stream.raw(), signal.values)
    np.testing.assert_array_equal(stream.scaled(), signal.values.astype(np.float64) / signal.scale)
    assert stream.text("ORIN") == signal.orientation
    counted = signal.counted
    for part in stream.parts:
        if len(part):
            assert part.stamp_us == signal.stamps_us[counted - signal.counted]
        counted += len(part)
        assert part.total == counted


def test_structures_of_several_types_come_back():
    values = np.array([[473577369, -100, 3, 1], [473577370, -101, 2, 2]], np.float64)
    signal = Signal(
        key="GPS9",
        types="lqSB",
        values=values,
        stamps_us=np.array([0, 1]),
        unit=("deg", "m", "", ""),
        scale=(10_000_000.0, 1.0, 1.0, 1.0),
    )
    (stream,) = read_telemetry(cut_payloads({Device("1", "C"): [signal]}, starts_us=[0], end_us=9)).streams
    assert stream.types == "lqSB"
    assert stream.units == ("deg", "m", "", "")
    np.testing.assert_allclose(stream.scaled(), values / signal.scale)


def test_samples_before_the_first_payload_and_after_the_last_are_kept():
    signal = Signal(
        key="ACCL", types="s", values=np.arange(4)[:, None], stamps_us=np.array([-5, 10, 2_000_000, 9_000_000])
    )
    payloads = cut_payloads({Device("1", "C"): [signal]}, starts_us=[0, SECOND_US], end_us=2 * SECOND_US)
    (stream,) = read_telemetry(payloads).streams
    assert [len(part) for part in stream.parts] == [2, 2]
    assert [payload.pts_ns for payload in payloads] == [0, 1_000_000_000]


def test_a_value_too_large_for_its_type_is_refused():
    with pytest.raises(RecordingError, match="does not fit 16 bits"):
        stored(np.array([[100.0]]), 417)


def test_a_signal_can_be_cut_at_stamps_and_keeps_counting():
    signal = Signal(key="ACCL", types="s", values=np.arange(5)[:, None], stamps_us=np.arange(5) * 10)
    later = signal.between(20, None)
    assert later.values[:, 0].tolist() == [2, 3, 4]
    assert later.counted == 2
    assert signal.between(None, 20).values[:, 0].tolist() == [0, 1]
