"""Other people's readers on the same files: where they agree with ours, and where and why they do not."""

import numpy as np
import pytest

from handloom_sensors.demo_recording import DemoRecording, write_demo_recording
from handloom_sensors.gopro import GoPro


def streams(path):
    return GoPro().read((path,), lambda share: None).streams


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    return write_demo_recording(folder, DemoRecording(duration_s=4, width=64, height=48, seed=3)).videos[0]


def parser_of(path):
    telemetry_parser = pytest.importorskip(
        "telemetry_parser", reason="telemetry-parser has no wheel for this Python; pip install telemetry-parser"
    )
    return telemetry_parser.Parser(str(path))


def extractor_of(path):
    library = pytest.importorskip(
        "py_gpmf_parser.gopro_telemetry_extractor", reason="py-gpmf-parser has no wheel for this Python"
    )
    return library.GoProTelemetryExtractor(str(path))


def extracted(path, key):
    extractor = extractor_of(path)
    extractor.open_source()
    try:
        return extractor.extract_data(key)
    finally:
        extractor.close_source()


def test_telemetry_parser_reads_what_we_wrote_but_begins_at_zero(demo):
    """It moves the first sample to 0 and so loses the 2.27 ms by which the sensor leads the first frame."""
    theirs = parser_of(demo).normalized_imu()
    ours = streams(demo)["gyroscope"]
    assert len(theirs) == len(ours)
    assert theirs[0]["timestamp_ms"] == 0.0
    times = np.array([row["timestamp_ms"] for row in theirs])
    stamps = ours.all_stamps() * 1e-6
    assert stamps[0] == pytest.approx(-2.273)
    np.testing.assert_allclose(times, stamps - stamps[0], atol=0.5)


def test_telemetry_parser_sees_the_same_turning(demo):
    """Its axes are the camera's labels X, Y, Z and its unit degrees, so only the norm is comparable as it is."""
    theirs = np.array([row["gyro"] for row in parser_of(demo).normalized_imu()])
    ours = streams(demo)["gyroscope"].data
    np.testing.assert_allclose(np.radians(np.linalg.norm(theirs, axis=1)), np.linalg.norm(ours, axis=1), rtol=1e-6)


def test_telemetry_parser_repeats_accelerations_to_match_the_gyroscope(shared_data):
    """On karma.mp4 it has 4795 accelerations, where 2397 were recorded."""
    theirs = parser_of(shared_data / "gopro" / "karma.mp4").normalized_imu()
    ours = streams(shared_data / "gopro" / "karma.mp4")
    assert len(theirs) == len(ours["gyroscope_raw"]) == 4795
    assert len(ours["accelerometer_raw"]) == 2397
    rate = (len(theirs) - 1) / (theirs[-1]["timestamp_ms"] - theirs[0]["timestamp_ms"]) * 1000
    assert rate == pytest.approx(ours["gyroscope_raw"].rate_hz(), rel=2e-3)


def test_py_gpmf_parser_has_our_values_and_our_lead(demo):
    theirs, times = extracted(demo, "ACCL")
    ours = streams(demo)["accelerometer"]
    assert len(theirs) == len(ours)
    np.testing.assert_allclose(np.linalg.norm(theirs, axis=1), np.linalg.norm(ours.data, axis=1), rtol=1e-5)
    assert np.median(np.abs(times - ours.all_stamps() * 1e-9)) < 0.01


def test_py_gpmf_parser_stretches_the_short_last_payload(shared_data):
    """The container claims 1.001 s for the last 14 samples of karma.mp4, which it believes: gaps of 70 ms."""
    theirs, times = extracted(shared_data / "gopro" / "karma.mp4", "ACCL")
    ours = streams(shared_data / "gopro" / "karma.mp4")["accelerometer_raw"]
    assert len(theirs) == len(ours) == 2397
    assert np.diff(times).max() > 0.05
    assert np.diff(ours.all_stamps()).max() < 6_000_000


def test_py_gpmf_parser_says_nothing_of_a_file_without_telemetry(shared_data):
    """It answers empty arrays where ours raises NoTelemetryError."""
    theirs, _ = extracted(shared_data / "misc" / "phone-no-telemetry.mp4", "ACCL")
    assert len(theirs) == 0
