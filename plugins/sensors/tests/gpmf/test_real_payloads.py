"""Counts, rates and offsets of real cameras, as measured by several readers."""

import numpy as np
import pytest

from handloom.streams import rate_hz, stamps_at
from handloom_sensors.gpmf import axes, klv
from handloom_sensors.gpmf.counting import shares_of
from handloom_sensors.gpmf.reading import read_telemetry
from handloom_sensors.gpmf.telemetry import Payload
from handloom_sensors.gpmf.timing import place, zeros_of


@pytest.fixture
def hero11(shared_data):
    items = klv.parse((shared_data / "gpmf" / "hero11.raw").read_bytes())
    return [Payload(data=klv.encode([item]), pts_ns=index * 1_001_000_000) for index, item in enumerate(items)]


def placed(payloads, telemetry, key):
    zeros = zeros_of(shares_of(telemetry.find("CORI"), payloads), [0])
    return place(shares_of(telemetry.find(key), payloads), zeros)


def test_a_hero11_holds_the_known_counts(hero11):
    telemetry = read_telemetry(hero11)
    assert len(hero11) == 11
    assert not telemetry.notes
    assert telemetry.devices[0].name == "HERO11 Black"
    counts = {stream.key: len(stream) for stream in telemetry.streams}
    known = {"ACCL": 2192, "GYRO": 2192, "GPS5": 110, "GPS9": 110, "CORI": 274, "IORI": 274, "GRAV": 274}
    assert {key: counts[key] for key in known} == known
    assert [len(part) for part in telemetry.find("ACCL").parts][:2] == [208, 207]
    assert telemetry.find("ACCL").text("ORIN") == "ZXY"
    assert telemetry.find("ACCL").parts[0].stamp_us == 998_443_450


@pytest.mark.parametrize("key", ["ACCL", "GYRO"])
def test_a_hero11_samples_motion_at_199_253_hz_and_leads_the_frame_by_2_27_ms(hero11, key):
    timing = placed(hero11, read_telemetry(hero11), key)
    assert timing.source == "STMP"
    assert rate_hz(timing.knots) == pytest.approx(199.253, abs=5e-4)
    assert timing.knots[0].tolist() == [0, -2_273_000]
    assert timing.residual_ns < 30_000
    assert timing.lost == 0


def test_a_hero11_at_rest_feels_gravity_where_its_own_filter_has_it(hero11):
    telemetry = read_telemetry(hero11)
    force = telemetry.find("ACCL").scaled() @ axes.optical_from_channels("ZXY").T
    gravity = axes.gravity_direction(telemetry.find("GRAV").scaled())
    felt = -force / np.linalg.norm(force, axis=1, keepdims=True)
    angle = np.degrees(np.arccos(np.median(felt, axis=0) @ np.median(gravity, axis=0)))
    assert angle < 1.5
    assert np.median(np.linalg.norm(force, axis=1)) == pytest.approx(9.81, abs=0.1)


def test_a_hero11_orientation_turns_as_its_gyroscope_says(hero11):
    """The filter's orientation is that of the middle of a frame, 15 ms after the frame's stamp."""
    telemetry = read_telemetry(hero11)
    cori = axes.orientation_from_cori(telemetry.find("CORI").scaled())[:260]
    frames_s = stamps_at(placed(hero11, telemetry, "CORI").knots, np.arange(260)) * 1e-9 + 0.015
    motion = placed(hero11, telemetry, "GYRO")
    rates = telemetry.find("GYRO").scaled() @ axes.optical_from_channels("ZXY").T
    angles = np.concatenate([np.zeros((1, 3)), np.cumsum(rates[:-1], axis=0) / rate_hz(motion.knots)])
    times_s = stamps_at(motion.knots, np.arange(motion.count)) * 1e-9
    turned = np.stack([np.interp(frames_s, times_s, angles[:, axis]) for axis in range(3)], axis=1)
    by_gyroscope = turned[5:] - turned[:-5]
    by_filter = 2 * _vector_of(cori[:-5], cori[5:])
    assert np.sqrt(np.mean((by_filter - by_gyroscope) ** 2)) < 0.1 * np.sqrt(np.mean(by_gyroscope**2))


def _vector_of(first, second):
    """Vector part of conj(first) * second, quaternions x y z w."""
    v, w = first[:, :3], first[:, 3:]
    vector = w * second[:, :3] - second[:, 3:] * v - np.cross(v, second[:, :3])
    scalar = w[:, 0] * second[:, 3] + (v * second[:, :3]).sum(axis=1)
    return vector * np.sign(scalar)[:, None]


def test_scene_classes_are_lists_of_six_named_numbers(hero11):
    scenes = read_telemetry(hero11).find("SCEN")
    assert set(scenes.entries().tolist()) == {6}
    assert set(scenes.texts(0)) == {"SNOW", "URBA", "INDO", "WATR", "VEGE", "BEAC"}


def test_a_hero5_payload_holds_199_and_399_samples_and_no_axes(shared_data):
    payloads = [Payload(data=(shared_data / "gpmf" / "hero5.raw").read_bytes(), duration_ns=1_001_000_000)]
    telemetry = read_telemetry(payloads)
    assert (len(telemetry.find("ACCL")), len(telemetry.find("GYRO"))) == (199, 399)
    assert telemetry.find("ACCL").text("ORIN") == ""
    assert place(shares_of(telemetry.find("GYRO"), payloads), (None,)).source == "payload"


def test_a_fusion_payload_holds_float_accelerations_and_3300_turning_rates(shared_data):
    telemetry = read_telemetry([Payload(data=(shared_data / "gpmf" / "fusion.raw").read_bytes())])
    assert telemetry.find("ACCL").types == "fff"
    assert len(telemetry.find("GYRO")) == 3300
    assert telemetry.find("MAGN").units == ("µT",)


@pytest.mark.parametrize("name", ["hero5.raw", "hero11.raw", "fusion.raw"])
def test_real_payloads_are_written_as_they_were_read(shared_data, name):
    data = (shared_data / "gpmf" / name).read_bytes()
    assert klv.encode(klv.parse(data)) == data
