import attrs
import numpy as np
import pytest

from handloom_sensors.demo_recording import DemoRecording, write_demo_recording
from handloom_sensors.gopro import GoPro
from handloom_sensors.motion import GRAVITY_M_PER_S2

Rotation = pytest.importorskip("scipy.spatial.transform", reason="scipy is the oracle here").Rotation

SMALL = DemoRecording(duration_s=3, width=64, height=48, accelerometer_noise=0.0, gyroscope_noise=0.0)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return write_demo_recording(tmp_path_factory.mktemp("demo"), SMALL)


@pytest.fixture(scope="module")
def outputs(demo):
    return GoPro().read(demo.videos, lambda share: None)


@pytest.fixture(scope="module")
def path(demo):
    return np.loadtxt(demo.trajectory)


def test_the_path_has_a_pose_for_each_frame(outputs, path):
    video = outputs.streams["video"]
    assert path.shape == (len(video), 8)
    np.testing.assert_allclose(path[:, 0], (video.stamps - video.stamps[0]) * 1e-9, atol=1e-6)


def test_the_gyroscope_reads_the_turning_of_the_path(outputs, path):
    gyroscope = outputs.streams["gyroscope"]
    turned = Rotation.from_quat(path[:, 4:])
    rate = (turned[:-1].inv() * turned[1:]).as_rotvec() / np.diff(path[:, 0])[:, None]
    middle = (path[:-1, 0] + path[1:, 0]) / 2
    stamps = gyroscope.all_stamps() * 1e-9
    for axis in range(3):
        read = np.interp(middle, stamps, gyroscope.data[:, axis])
        np.testing.assert_allclose(read, rate[:, axis], atol=3e-3)


def test_the_accelerometer_reads_the_specific_force_of_the_path(outputs, path):
    times, step = path[:, 0], np.diff(path[:, 0]).mean()
    world = (path[4:, 1:4] - 2 * path[2:-2, 1:4] + path[:-4, 1:4]) / (2 * step) ** 2 + [0, 0, GRAVITY_M_PER_S2]
    force = Rotation.from_quat(path[2:-2, 4:]).inv().apply(world)
    accelerometer = outputs.streams["accelerometer"]
    for axis in range(3):
        read = np.interp(times[2:-2], accelerometer.all_stamps() * 1e-9, accelerometer.data[:, axis])
        np.testing.assert_allclose(read, force[:, axis], atol=0.03)


def test_the_camera_orientation_is_that_of_the_path_since_its_start(outputs, path):
    orientation = Rotation.from_quat(outputs.streams["camera_orientation"].data)
    truth = Rotation.from_quat(path[0, 4:]).inv() * Rotation.from_quat(path[:, 4:])
    assert (orientation.inv() * truth).magnitude().max() < 1e-4


def test_gravity_points_down_in_the_world(outputs, path):
    down = Rotation.from_quat(path[:, 4:]).apply(outputs.streams["gravity"].data)
    np.testing.assert_allclose(down, np.tile([0, 0, -1], (len(path), 1)), atol=1e-4)


def test_motion_data_lead_the_first_frame_as_on_a_hero11(outputs):
    assert outputs.attributes["imu_lead_ms"] == pytest.approx(-2.273)
    assert outputs.attributes["stmp_start_us"] == 998_443_450
    assert outputs.attributes["imu_rate_hz"] == pytest.approx(199.253, abs=1e-3)
    assert not outputs.notes


def test_there_is_sound(outputs):
    assert len(outputs.streams["audio"]) / 48_000 == pytest.approx(3, abs=0.05)


def test_the_same_settings_give_the_same_bytes(tmp_path):
    one = write_demo_recording(tmp_path / "one", SMALL)
    two = write_demo_recording(tmp_path / "two", SMALL)
    for first, second in zip((*one.videos, one.trajectory), (*two.videos, two.trajectory), strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_chapters_hold_what_one_file_would(tmp_path, outputs):
    parts = write_demo_recording(tmp_path, attrs.evolve(SMALL, chapters=2, number=7))
    assert [video.name for video in parts.videos] == ["GX010007.MP4", "GX020007.MP4"]
    joined = GoPro().read(parts.videos[::-1], lambda share: None)
    for name in ("accelerometer", "gyroscope", "camera_orientation"):
        ours, whole = joined.streams[name], outputs.streams[name]
        np.testing.assert_array_equal(ours.data, whole.data)
        np.testing.assert_allclose(ours.all_stamps(), whole.all_stamps(), atol=2000)
    np.testing.assert_allclose(joined.streams["video"].stamps, outputs.streams["video"].stamps, atol=100)


def test_an_older_camera_stamps_nothing(tmp_path):
    files = write_demo_recording(tmp_path, attrs.evolve(SMALL, stamped=False))
    read = GoPro().read(files.videos, lambda share: None)
    assert read.attributes["imu_time_from"] == "payload"
    assert any("no STMP" in note for note in read.notes)
    assert read.attributes["imu_rate_hz"] == pytest.approx(199.25, rel=5e-3)


def test_chapters_of_an_older_camera_follow_one_another(tmp_path):
    older = attrs.evolve(SMALL, stamped=False, chapters=2, duration_s=6)
    read = GoPro().read(write_demo_recording(tmp_path, older).videos, lambda share: None)
    gyroscope, video = read.streams["gyroscope"], read.streams["video"]
    assert gyroscope.rate_hz() == pytest.approx(199.25, rel=5e-3)
    assert gyroscope.all_stamps()[-1] == pytest.approx(video.stamps[-1], abs=50_000_000)
    assert gyroscope.attributes["residual_ms"] < 10
    assert not any("not used" in note or "even rate" in note for note in read.notes)
