import attrs
import numpy as np
import pytest

from handloom.api import InputPort, Sensor
from handloom.errors import NoTelemetryError, RecordingError
from handloom.media import probe
from handloom.streams import Samples
from handloom_sensors import gopro
from handloom_sensors.gopro import GoPro, GoProConfig
from handloom_sensors.gopro.names import TYPES
from handloom_sensors.gopro.settings import read_settings
from handloom_sensors.gopro.writing import CameraSettings


@pytest.fixture(scope="module")
def karma(shared_data):
    return GoPro().read((shared_data / "gopro" / "karma.mp4",), lambda share: None)


def test_the_hook_answers_only_its_own_kind():
    assert issubclass(gopro.sensor("gopro"), Sensor)
    assert gopro.sensor("video") is None


def test_ports_are_declared_without_a_file():
    ports = GoPro.ports(GoProConfig(extra_streams=("wrgb",)))
    assert not ports.outputs["video"].optional
    assert all(port.optional for name, port in ports.outputs.items() if name != "video")
    assert ports.outputs["wrgb"].type.unit == "mixed"
    assert "audio" not in GoPro.ports(GoProConfig(audio=False)).outputs


@pytest.mark.parametrize("name", ["gyroscope", "video", "WRGB", "a.b"])
def test_an_extra_stream_needs_a_name_of_its_own(name):
    with pytest.raises(ValueError, match="no name of a further stream"):
        GoProConfig(extra_streams=(name,))


def test_an_orientation_must_name_three_axes():
    with pytest.raises(ValueError, match="X, Y and Z once each"):
        GoProConfig(orientation="ZX")


def test_karma_holds_the_known_counts(karma):
    assert len(karma.streams["video"]) == 362
    assert len(karma.streams["accelerometer_raw"]) == 2397
    assert len(karma.streams["gyroscope_raw"]) == 4795
    assert len(karma.streams["exposure_time"]) == 361


def test_karma_is_timed_by_its_payloads_and_its_short_last_one_by_rate(karma):
    accelerometer, gyroscope = karma.streams["accelerometer_raw"], karma.streams["gyroscope_raw"]
    assert accelerometer.rate_hz() == pytest.approx(198.6, abs=0.2)
    assert gyroscope.rate_hz() == pytest.approx(397.4, abs=0.3)
    assert karma.streams["exposure_time"].rate_hz() == pytest.approx(30 / 1.001, rel=1e-6)
    assert np.ptp(np.diff(gyroscope.all_stamps())) <= 2
    assert gyroscope.all_stamps()[-1] <= 12_079_000_000
    assert any("claims 13.013 s, the video 12.079 s" in note for note in karma.notes)


def test_a_camera_without_orin_keeps_its_raw_axes_under_names_of_their_own_and_says_so(karma):
    assert not {"accelerometer", "gyroscope"} & set(karma.streams)
    assert karma.streams["accelerometer_raw"].type == TYPES["accelerometer_raw"]
    assert karma.streams["accelerometer_raw"].type.frame == "@/raw"
    assert karma.streams["accelerometer_raw"].attributes["matrix_optical_raw"] is None
    assert sum("_raw' along its own axes" in note for note in karma.notes) == 2
    assert not [note for note in karma.notes if "no motion data" in note]


def test_raw_axes_never_fit_where_accelerations_are_wanted():
    outputs = GoPro.ports(GoProConfig()).outputs
    for kind, name in (("acceleration", "accelerometer"), ("angular_velocity", "gyroscope")):
        port = InputPort(kinds=kind)
        assert [other for other, output in outputs.items() if port.fits(output.type)] == [name]


def test_with_an_orientation_in_the_config_no_raw_stream_is_promised():
    assert not [name for name in GoPro.ports(GoProConfig(orientation="ZXY")).outputs if name.endswith("_raw")]


def test_the_config_may_say_what_the_camera_does_not(shared_data, karma, read):
    told = read(shared_data / "gopro" / "karma.mp4", orientation="ZXY")
    raw, optical = karma.streams["accelerometer_raw"], told.streams["accelerometer"]
    assert "accelerometer_raw" not in told.streams
    assert optical.type.frame == "@/optical"
    np.testing.assert_allclose(optical.data, -raw.data[:, [1, 0, 2]])
    assert sum("'ZXY' of the config is used" in note for note in told.notes) == 2


def test_the_grip_has_streams_of_its_own_name_with_a_unit_for_each_column(karma):
    attitude = karma.streams["gopro_karma_v1_0_attd"]
    assert attitude.data.shape == (47, 8)
    assert attitude.attributes["units"][1:4] == ["rad"] * 3
    assert attitude.type.unit == "mixed"
    assert karma.attributes["texts"]["gopro_karma_v1_0_fwvs"].startswith("1.1.11.0")
    assert karma.attributes["devices"] == ["Camera", "GoPro Karma v1.0"]


def test_karma_keeps_what_the_container_says(karma):
    assert karma.attributes["firmware"] == "HD5.02.02.00.00"
    assert karma.attributes["creation_time"] == "2017-04-17T19:27:57.000000Z"
    assert karma.attributes["timecode"] == "19:26:48:04"


def test_a_phone_has_no_telemetry(shared_data, read):
    with pytest.raises(
        NoTelemetryError, match=r'has no GoPro telemetry track \(found tracks: .*use kind = "video"'
    ):
        read(shared_data / "misc" / "phone-no-telemetry.mp4")


def test_every_stream_is_of_its_declared_type(karma):
    for name, type_ in TYPES.items():
        if isinstance(stream := karma.streams.get(name), Samples):
            assert (stream.type.kind, stream.type.dtype, stream.type.unit) == (type_.kind, type_.dtype, type_.unit)


def test_motion_leads_the_first_frame_by_what_the_counter_says(make, read):
    signals = [make.motion(3, start_us=998_445_723, lead_us=2273), make.shutter(3, start_us=998_445_723)]
    path = make.file(make.payloads(signals, seconds=3, start_us=998_445_723), seconds=3)
    outputs = read(path)
    assert outputs.streams["accelerometer"].knots[0].tolist() == [0, -2_273_000]
    assert outputs.streams["exposure_time"].knots[0].tolist() == [0, int(outputs.streams["video"].stamps[0])]
    assert outputs.attributes["imu_lead_ms"] == pytest.approx(-2.273)
    assert outputs.attributes["stmp_start_us"] == 998_443_450
    assert len(outputs.streams["accelerometer"]) == 600


def test_sound_can_be_left_out(make, read):
    path = make.file(make.payloads([make.motion(1), make.shutter(1)], seconds=1), seconds=1)
    assert "audio" in read(path).streams
    assert "audio" not in read(path, audio=False).streams


def test_camera_settings_come_from_the_header(make, read):
    settings = CameraSettings(serial="C3461324500001", creation_time="2026-01-01T00:00:00Z")
    path = make.file(make.payloads([make.motion(1), make.shutter(1)], seconds=1), seconds=1, settings=settings)
    outputs = read(path)
    assert outputs.attributes["camera_serial"] == "C3461324500001"
    assert outputs.attributes["camera_model"] == "HERO11 Black"
    assert outputs.attributes["creation_time"].startswith("2026-01-01T00:00:00")
    assert read_settings(path)["MINF"] == "HERO11 Black"


def test_stabilized_pictures_are_a_note(make, read):
    payloads = make.payloads([make.motion(1), make.shutter(1)], seconds=1)
    settings = CameraSettings(more={"EISE": "Y", "EISA": "HS High"})
    notes = read(make.file(payloads, seconds=1, settings=settings)).notes
    assert any("stabilization was on (HS High)" in note for note in notes)


def test_an_unknown_unit_keeps_the_stream_as_it_is(make, read):
    signals = [make.motion(2, unit="furlong"), make.shutter(2)]
    outputs = read(make.file(make.payloads(signals, seconds=2), seconds=2))
    assert "accelerometer" not in outputs.streams
    assert outputs.streams["accl"].attributes["units"] == ["furlong"]
    assert any("its unit 'furlong' is unknown" in note for note in outputs.notes)


def test_degrees_become_radians(make, read):
    signals = [make.motion(2, key="GYRO", unit="deg/s"), make.shutter(2)]
    outputs = read(make.file(make.payloads(signals, seconds=2), seconds=2))
    np.testing.assert_allclose(outputs.streams["gyroscope"].data[:, 0], np.radians(-2.0))


@pytest.mark.parametrize("restart", [False, True])
def test_chapters_are_one_recording_whether_the_counter_goes_on_or_not(make, read, restart):
    whole = [make.motion(4), make.shutter(4)]
    middle = make.start_us + 2_000_000
    first = make.payloads([signal.between(None, middle) for signal in whole], seconds=2)
    start, later = middle, [signal.between(middle, None) for signal in whole]
    if restart:
        start, later = 77_000, [make.motion(2, start_us=77_000, lead_us=-3000), make.shutter(2, start_us=77_000)]
    second = make.payloads(later, seconds=2, start_us=start)
    one = make.file(first, seconds=2, name="GX010001.MP4")
    two = make.file(second, seconds=2, name="GX020001.MP4")
    outputs = read(two, one)
    accelerometer = outputs.streams["accelerometer"]
    assert len(accelerometer) == (801 if restart else 800)
    assert outputs.attributes["chapters"] == ["GX010001.MP4", "GX020001.MP4"]
    steps = np.diff(accelerometer.all_stamps())
    assert steps.min() > 4_900_000
    assert steps.max() < 5_100_000
    assert accelerometer.attributes["lost_samples"] == 0
    assert outputs.streams["exposure_time"].all_stamps()[60] == pytest.approx(
        outputs.streams["video"].stamps[60], abs=2000
    )
    assert not [note for note in outputs.notes if "sound" not in note and "samples (" not in note]


def test_a_chapter_without_telemetry_is_a_note(make, read):
    one = make.file(make.payloads([make.motion(2), make.shutter(2)], seconds=2), seconds=2)
    two = make.plain(2).rename(make.folder / "GX020001.MP4")
    outputs = read(one, two)
    assert any("GX020001.MP4 has no telemetry track" in note for note in outputs.notes)
    assert any("last 1.9" in note and "no motion data" in note for note in outputs.notes)


def test_garbage_in_every_payload_is_refused(make, read):
    payloads = make.payloads([make.motion(2), make.shutter(2)], seconds=2)
    garbage = [attrs.evolve(payload, data=b"\1\2\3\4" * 8) for payload in payloads]
    with pytest.raises(RecordingError, match="None of the 2 telemetry payloads"):
        read(make.file(garbage, seconds=2))


@pytest.mark.parametrize("damage", [lambda data: b"\xff" * 16, lambda data: data[:40]])
def test_one_damaged_payload_costs_only_its_own_samples(make, read, damage):
    payloads = list(make.payloads([make.motion(5), make.shutter(5)], seconds=5))
    payloads[2] = attrs.evolve(payloads[2], data=damage(payloads[2].data))
    outputs = read(make.file(payloads, seconds=5))
    accelerometer = outputs.streams["accelerometer"]
    assert len(accelerometer) == 800
    assert accelerometer.attributes["lost_samples"] == 200
    assert np.diff(accelerometer.all_stamps()).max() == pytest.approx(1_005_000_000, rel=1e-4)
    assert any("payload 2 is damaged" in note for note in outputs.notes)
    assert any("200 samples are missing" in note for note in outputs.notes)


def test_a_payload_cut_in_its_second_stream_keeps_the_first(make, read):
    payloads = list(make.payloads([make.motion(3), make.shutter(3)], seconds=3))
    payloads[1] = attrs.evolve(payloads[1], data=payloads[1].data[:-8])
    outputs = read(make.file(payloads, seconds=3))
    assert len(outputs.streams["accelerometer"]) == 600
    assert outputs.streams["exposure_time"].attributes["lost_samples"] == 30


def test_a_missing_payload_is_a_gap(make, read):
    payloads = make.payloads([make.motion(5), make.shutter(5)], seconds=5)
    outputs = read(make.file(payloads[:2] + payloads[3:], seconds=5))
    stamps = outputs.streams["accelerometer"].all_stamps()
    assert outputs.streams["accelerometer"].attributes["lost_samples"] == 200
    assert np.flatnonzero(np.diff(stamps) > 10_000_000).tolist() == [400]
    assert stamps[401] - stamps[400] == pytest.approx(1_005_000_000, rel=1e-4)


def test_telemetry_shorter_than_the_video_is_a_note(make, read):
    outputs = read(make.file(make.payloads([make.motion(2), make.shutter(2)], seconds=2), seconds=4))
    assert any("The last 1.9" in note and "no motion data" in note for note in outputs.notes)


def test_telemetry_longer_than_the_video_is_kept_whole_with_a_note(make, read):
    outputs = read(make.file(make.payloads([make.motion(4), make.shutter(4)], seconds=4), seconds=2))
    assert len(outputs.streams["accelerometer"]) == 800
    assert any("after the last frame; all are kept" in note for note in outputs.notes)


def test_reading_twice_gives_the_same_values(make, read):
    path = make.file(make.payloads([make.motion(2), make.shutter(2)], seconds=2), seconds=2)
    first, second = read(path), read(path)
    assert first.attributes == second.attributes
    assert first.notes == second.notes
    for name, stream in first.streams.items():
        if isinstance(stream, Samples):
            np.testing.assert_array_equal(stream.data, second.streams[name].data)
            np.testing.assert_array_equal(stream.all_stamps(), second.streams[name].all_stamps())


def test_a_file_may_carry_a_timecode_and_may_lack_telemetry(make, read):
    path = make.file((), seconds=1, settings=CameraSettings(timecode="20:30:04:23"))
    assert probe(path).timecode == "20:30:04:23"
    with pytest.raises(NoTelemetryError):
        read(path)
