import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import RecordingError
from handloom_sensors.gpmf import klv
from handloom_sensors.gpmf.klv import Item
from handloom_sensors.gpmf.reading import read_telemetry
from handloom_sensors.gpmf.telemetry import Device, Payload
from handloom_sensors.gpmf.writer import device_item, number_item, samples_item, text_item

CAMERA = Device("1", "Camera")


def payload(*streams, device=CAMERA):
    return Payload(data=klv.encode([device_item(device, [klv.nest("STRM", children) for children in streams])]))


def accl(rows, *before):
    return [*before, samples_item("ACCL", "sss", np.array(rows, np.int16).reshape(-1, 3))]


def only_stream(*payloads):
    telemetry = read_telemetry(payloads)
    assert not telemetry.notes
    (stream,) = telemetry.streams
    return stream


def test_samples_are_divided_by_their_scale():
    stream = only_stream(payload(accl([[418, 0, -418]], number_item("SCAL", "s", [418]))))
    np.testing.assert_array_equal(stream.scaled(), [[1, 0, -1]])
    assert stream.raw().dtype == np.int16


def test_every_field_has_its_own_scale():
    stream = only_stream(payload(accl([[10, 10, 10]], number_item("SCAL", "s", [1, 10, 100]))))
    np.testing.assert_allclose(stream.scaled(), [[10, 1, 0.1]])


def test_a_scale_that_changes_holds_from_its_payload_on():
    first = payload(accl([[10, 10, 10]], number_item("SCAL", "s", [1])))
    second = payload(accl([[10, 10, 10]], number_item("SCAL", "s", [10])))
    np.testing.assert_allclose(only_stream(first, second).scaled()[:, 0], [10, 1])


def test_two_devices_are_kept_apart_even_with_one_key():
    grip = Device("16835857", "GoPro Karma v1.0")
    both = Payload(data=payload(accl([[1, 2, 3]])).data + payload(accl([[4, 5, 6]]), device=grip).data)
    telemetry = read_telemetry([both, both])
    assert telemetry.devices == (CAMERA, grip)
    assert [len(stream) for stream in telemetry.streams] == [2, 2]
    assert telemetry.find("ACCL", grip).raw()[0].tolist() == [4, 5, 6]


def test_two_streams_of_one_key_in_one_device_are_kept_apart():
    telemetry = read_telemetry([payload(accl([[1, 1, 1]]), accl([[2, 2, 2], [3, 3, 3]]))] * 2)
    assert [len(stream) for stream in telemetry.streams] == [2, 4]


def test_payloads_without_samples_count_none():
    stream = only_stream(payload(accl([])), payload(accl([[1, 2, 3]])), payload(accl([])))
    assert len(stream) == 1
    assert stream.scaled().shape == (1, 3)


def faces(*counts):
    structure = text_item("TYPE", "BS")
    rows = [np.arange(2 * count).reshape(-1, 2) for count in counts]
    return [structure, *(samples_item("FACE", "BS", row) for row in rows)]


def test_lists_have_as_many_entries_as_they_were_long():
    stream = only_stream(payload(faces(2, 0, 3)))
    assert stream.listed
    assert len(stream) == 3
    assert stream.entries().tolist() == [2, 0, 3]
    assert stream.scaled().shape == (5, 2)


def test_a_list_of_one_sample_in_the_last_payload_is_still_one_sample():
    stream = only_stream(payload(faces(2, 2)), payload(faces(2)))
    assert stream.entries().tolist() == [2, 2, 2]


def test_letters_stand_beside_numbers():
    data = b"SNOW\0\0\0\1" + b"WATR\0\0\0\2"
    item = Item(key="SCEN", type="?", size=8, repeat=2, data=data)
    stream = only_stream(payload([text_item("TYPE", "FL"), item]))
    assert stream.numeric == (1,)
    assert stream.raw().tolist() == [[1], [2]]
    assert stream.texts(0) == ("SNOW", "WATR")


def test_units_are_one_for_all_or_one_a_field():
    one = only_stream(payload(accl([[1, 2, 3]], text_item("SIUN", "m/s²"))))
    each = Item(key="UNIT", type="c", size=3, repeat=3, data=b"degdegm\0\0")
    assert one.units == ("m/s²",)
    assert only_stream(payload(accl([[1, 2, 3]], each))).units == ("deg", "deg", "m")


def test_a_stream_cut_off_before_its_samples_is_no_stream_of_properties():
    telemetry = read_telemetry([payload(accl([[1, 2, 3]]), [number_item("TSMP", "L", [7])])])
    assert [stream.key for stream in telemetry.streams] == ["ACCL"]


def test_fields_that_change_are_left_out_with_a_note():
    other = payload([samples_item("ACCL", "ss", np.ones((4, 2)))])
    telemetry = read_telemetry([payload(accl([[1, 2, 3]])), other, payload(accl([[4, 5, 6]]))])
    assert len(telemetry.streams[0]) == 2
    assert "payload 1, is damaged and left out: its fields are 'ss' but were 'sss' before" in telemetry.notes[0]


@pytest.mark.parametrize("scale", [[0], [1, 2]])
def test_a_scale_that_cannot_be_is_left_out_with_a_note(scale):
    bad = payload(accl([[1, 2, 3]], number_item("SCAL", "s", scale)))
    telemetry = read_telemetry([bad, payload(accl([[4, 5, 6]]))])
    assert len(telemetry.streams[0]) == 1
    assert "SCAL" in telemetry.notes[0]


def test_nested_samples_are_named_in_a_note():
    telemetry = read_telemetry([payload(accl([[1, 2, 3]]), [klv.nest("FACE", faces(1))])])
    assert "FACE of Camera holds nested items" in telemetry.notes[0]


def test_a_cut_payload_keeps_its_whole_streams():
    whole = payload(accl([[1, 2, 3]]), accl([[4, 5, 6]]))
    telemetry = read_telemetry([Payload(data=whole.data[:-6])])
    assert len(telemetry.streams) == 1
    assert "payload 0 is damaged and kept in part" in telemetry.notes[0]


@pytest.mark.parametrize("data", [b"", b"garbage that is not GPMF", bytes(64)])
def test_garbage_is_refused_with_a_sentence(data):
    with pytest.raises(RecordingError, match="None of the 1 telemetry payloads holds a stream"):
        read_telemetry([Payload(data=data)])


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_no_damage_to_real_payloads_ends_in_anything_but_notes_or_a_recording_error(shared_data, data):
    whole = (shared_data / "gpmf" / "hero11.raw").read_bytes()
    payloads = []
    for item in klv.parse(whole)[:3]:
        damaged = bytearray(klv.encode([item]))
        for _ in range(data.draw(st.integers(0, 6))):
            damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
        payloads.append(Payload(data=bytes(damaged)))
    try:
        telemetry = read_telemetry(payloads)
    except RecordingError:
        return
    for stream in telemetry.streams:
        assert len(stream.scaled()) == stream.entries().sum()
