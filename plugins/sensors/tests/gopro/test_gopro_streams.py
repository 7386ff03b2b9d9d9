"""What becomes of GPS, scene classes, magnetometers and strangers' streams."""

import attrs
import numpy as np
import pytest

from handloom_sensors.gpmf import klv
from handloom_sensors.gpmf.klv import Item
from handloom_sensors.gpmf.telemetry import Device
from handloom_sensors.gpmf.writer import Signal, number_item, text_item


def gps5(count, *, start_us, more=()):
    rows = np.tile(np.array([47.0 * 1e7, 8.5 * 1e7, 500_000, 1000, 110]), (count, 1))
    stamps = start_us + np.arange(count) * 100_000
    return Signal(
        key="GPS5",
        types="lllll",
        values=rows,
        stamps_us=stamps,
        unit=("deg", "deg", "m", "m/s", "m/s"),
        scale=(1e7, 1e7, 1000.0, 1000.0, 100.0),
        more=tuple(more),
    )


def utc(text):
    return Item(key="GPSU", type="U", size=16, repeat=1, data=text.encode())


def quality(*, fix, dop, time):
    return [number_item("GPSF", "L", [fix]), number_item("GPSP", "S", [dop]), utc(time)]


@pytest.fixture
def recorded(make, read):
    def record(*signals, devices=None, seconds=3):
        usual = [make.motion(seconds), make.shutter(seconds)]
        payloads = make.payloads([*usual, *signals], seconds=seconds, devices=devices)
        return read(make.file(payloads, seconds=seconds))

    return record


def test_gps5_becomes_position_speed_and_trust(make, recorded):
    known = quality(fix=3, dop=150, time="260101120000.500")
    outputs = recorded(gps5(30, start_us=make.start_us, more=known))
    np.testing.assert_allclose(outputs.streams["gps"].data[0], [47, 8.5, 500])
    np.testing.assert_allclose(outputs.streams["gps_speed"].data[0], [1.0, 1.1])
    assert outputs.streams["gps_fix"].data.tolist() == [3, 3, 3]
    assert outputs.streams["gps_dop"].data[0] == 1.5
    assert outputs.streams["gps_time"].data[0] == 1767268800.5
    assert outputs.streams["gps"].attributes["locked_share"] == 1.0
    assert len(outputs.streams["gps"]) == 30


def test_positions_without_a_lock_are_nan_and_counted(make, recorded):
    outputs = recorded(gps5(30, start_us=make.start_us, more=quality(fix=0, dop=9999, time="260101120000.000")))
    assert np.isnan(outputs.streams["gps"].data).all()
    assert any("no lock for 30 of 30 positions" in note for note in outputs.notes)


@pytest.mark.parametrize("time", ["2225525525425525", "260231250000.000", "                "])
def test_an_unreadable_gps_time_costs_only_the_time(make, recorded, time):
    outputs = recorded(gps5(30, start_us=make.start_us, more=quality(fix=3, dop=150, time=time)))
    assert np.isnan(outputs.streams["gps_time"].data).all()
    assert np.isfinite(outputs.streams["gps"].data).all()
    assert any("no readable time (GPSU) in 3 of 3 payloads" in note for note in outputs.notes)


def test_gps9_is_taken_before_gps5_which_is_kept_too(make, recorded):
    row = [47.1 * 1e7, 8.5 * 1e7, 500_000, 1000, 110, 9497, 43_200_500, 150, 3]
    stamps = make.start_us + np.arange(30) * 100_000
    gps9 = Signal(
        key="GPS9",
        types="lllllllSS",
        values=np.tile(np.array(row), (30, 1)),
        stamps_us=stamps,
        scale=(1e7, 1e7, 1000.0, 1000.0, 100.0, 1.0, 1000.0, 100.0, 1.0),
    )
    outputs = recorded(gps5(30, start_us=make.start_us), gps9)
    np.testing.assert_allclose(outputs.streams["gps"].data[0], [47.1, 8.5, 500])
    assert outputs.streams["gps_time"].data[0] == 946684800 + 9497 * 86400 + 43200.5
    assert outputs.streams["gps_dop"].data[0] == 1.5
    assert outputs.streams["gps5"].data.shape == (30, 5)


def scenes(count, labels=b"SNOWWATR"):
    """Return one STRM's items: a list of two named numbers for each of `count` samples."""
    entry = [labels[:4] + b"\x3f\0\0\0", labels[4:] + b"\x3e\x80\0\0"]
    sample = Item(key="SCEN", type="?", size=8, repeat=2, data=b"".join(entry))
    return [text_item("TYPE", "Ff"), *[sample] * count]


def with_stream(make, items, seconds=3):
    """Return payloads whose camera has one more stream, the same in each."""
    payloads = make.payloads([make.motion(seconds), make.shutter(seconds)], seconds=seconds)
    found = []
    for payload in payloads:
        (device,) = klv.parse(payload.data)
        fuller = klv.nest("DEVC", [*device.children, klv.nest("STRM", items)])
        found.append(attrs.evolve(payload, data=klv.encode([fuller])))
    return found


def test_named_numbers_become_columns_with_labels(make, read):
    outputs = read(make.file(with_stream(make, scenes(5)), seconds=3))
    assert outputs.streams["scen"].data.shape == (15, 2)
    assert outputs.streams["scen"].attributes["labels"] == ["SNOW", "WATR"]
    assert outputs.streams["scen"].data[0].tolist() == [0.5, 0.25]


def test_lists_of_changing_length_become_rows_with_their_samples_stamp(make, read):
    faces = [
        text_item("TYPE", "BB"),
        *(Item(key="FACE", type="?", size=2, repeat=count, data=bytes(2 * count)) for count in (2, 0, 1)),
    ]
    outputs = read(make.file(with_stream(make, faces), seconds=3))
    stream = outputs.streams["face"]
    assert stream.data.shape == (9, 2)
    assert stream.stamps[0] == stream.stamps[1] < stream.stamps[2]
    assert any("'face' lists 9 entries over 9 samples" in note for note in outputs.notes)


def test_lists_that_are_always_empty_are_an_empty_stream(make, read):
    faces = [text_item("TYPE", "BB"), *(Item(key="FACE", type="?", size=2, repeat=0),) * 3]
    assert read(make.file(with_stream(make, faces), seconds=3)).streams["face"].data.shape == (0, 2)


def test_a_magnetometer_is_in_tesla_and_its_fourth_column_is_not_lost(make, recorded):
    stamps = make.start_us + np.arange(60) * 50_000
    values = np.tile(np.array([20, -30, 40, 7]), (60, 1))
    outputs = recorded(Signal(key="MAGN", types="ssss", values=values, stamps_us=stamps, unit="µT", scale=(1.0,)))
    np.testing.assert_allclose(outputs.streams["magnetometer"].data[0], [20e-6, -30e-6, 40e-6])
    assert outputs.streams["magnetometer"].type.frame == "@/raw"
    assert outputs.streams["magn"].data[0, 3] == 7


def test_a_second_device_of_the_same_name_keeps_its_streams_apart(make, recorded):
    stamps = make.start_us + np.arange(30) * 100_000
    heart = Signal(key="HRAT", types="B", values=np.full((30, 1), 70), stamps_us=stamps)
    camera = [make.motion(3), make.shutter(3)]
    devices = {Device("1", "Camera"): camera, Device("9", "Strap"): [heart], Device("10", "Strap"): [heart]}
    outputs = recorded(devices=devices)
    assert {"strap_hrat", "strap_10_hrat"} <= set(outputs.streams)


def test_gravity_and_orientation_are_unit_vectors_in_the_optical_frame(make, recorded):
    stamps = make.start_us + np.rint(np.arange(90) * 1e6 / 30).astype(np.int64)
    gravity = Signal(
        key="GRAV", types="sss", values=np.tile([0, 32000, 0], (90, 1)), stamps_us=stamps, scale=(32767.0,)
    )
    cori = Signal(
        key="CORI", types="ssss", values=np.tile([32767, 0, 0, 0], (90, 1)), stamps_us=stamps, scale=(32767.0,)
    )
    outputs = recorded(gravity, cori)
    np.testing.assert_allclose(outputs.streams["gravity"].data[0], [0, 1, 0])
    np.testing.assert_allclose(outputs.streams["camera_orientation"].data[0], [0, 0, 0, 1])
    assert outputs.streams["camera_orientation"].type.frame == "@/start"


def test_a_sensor_of_too_few_columns_is_kept_as_it_is(make, recorded):
    stamps = make.start_us + np.arange(60) * 50_000
    outputs = recorded(Signal(key="GYRO", types="ss", values=np.ones((60, 2)), stamps_us=stamps, unit="rad/s"))
    assert "gyroscope" not in outputs.streams
    assert outputs.streams["gyro"].data.shape == (60, 2)


def test_temperature_is_one_number_a_payload(make, read):
    signals = [make.motion(3, temperature_c=41.5), make.shutter(3)]
    outputs = read(make.file(make.payloads(signals, seconds=3), seconds=3))
    assert outputs.streams["temperature"].data.tolist() == [41.5] * 3
    assert outputs.streams["temperature"].type.unit == "degC"
