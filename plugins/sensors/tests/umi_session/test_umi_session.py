"""The sensor `umi_session`, and which recording is what."""

import shutil
import tomllib
from fractions import Fraction

import pytest

from handloom.errors import RecordingError
from handloom.media import Clip, write_clip
from handloom.testing import SensorContract
from handloom_sensors.demo_recording import DemoRecording, write_demo_recording
from handloom_sensors.gopro import GoProConfig
from handloom_sensors.gopro.writing import CameraSettings, write_gopro_file
from handloom_sensors.timecode import began_ns, timecode_s
from handloom_sensors.umi_session import UmiSession, select_recordings, sensor
from handloom_sensors.umi_session.episodes_command import command, umi_episodes
from handloom_sensors.umi_session.naming import named

DEMO = "demo_C0000000000000_2026.01.01_12.00.00.000000"


@pytest.fixture(scope="session")
def recording(tmp_path_factory):
    demo = DemoRecording(duration_s=1.0, width=64, height=48)
    return write_demo_recording(tmp_path_factory.mktemp("umi"), demo).videos[0]


@pytest.fixture
def demo(recording, tmp_path):
    """Return what lays the recording into a folder of demos."""

    def lay(name=DEMO):
        folder = tmp_path / "demos" / name
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(recording, folder / "raw_video.mp4")
        return folder

    return lay


@pytest.fixture
def raw_videos(tmp_path):
    """Return what writes a small GoPro file with a serial and a time, large by many frames."""
    folder = tmp_path / "raw videos ü"
    folder.mkdir()

    def write(name, *, serial, time, frames=4):
        plain = write_clip(
            tmp_path / "plain.mp4", Clip(width=64, height=48, frames=frames, rate=Fraction(30), noise=40)
        )
        settings = CameraSettings(serial=serial, creation_time=time)
        write_gopro_file(plain, (), folder / name, settings)
        return folder

    return write


def read(*files, **config):
    return UmiSession(GoProConfig(**config)).read(files, lambda _: None)


class TestUmiSession(SensorContract):
    component = UmiSession

    @pytest.fixture(autouse=True)
    def _recording(self, recording):
        self.recording = recording

    def files(self, tmp_path):
        return (self.recording,)


def test_hook_answers_the_class():
    assert sensor("umi_session") is UmiSession
    assert sensor("gopro") is None
    assert command("umi-episodes") is umi_episodes
    assert command("simulate") is None


def test_a_folder_of_demos_and_its_file_are_the_same_recording(demo):
    folder = demo()
    by_folder, by_file = read(folder), read(folder / "raw_video.mp4")
    assert {"video", "audio", "accelerometer", "gyroscope"} <= by_folder.streams.keys()
    assert by_folder.attributes == by_file.attributes
    assert by_folder.attributes["role"] == "demonstration"
    assert by_folder.attributes["camera_serial"] == "C0000000000000"
    assert by_folder.attributes["camera_serial_from"] == "file"
    assert by_folder.notes == ()


@pytest.mark.parametrize(
    ("name", "role", "serial"),
    [
        ("mapping", "mapping", ""),
        ("gripper_calibration_C123_2026.01.31_08.15.00.500000", "gripper_calibration", "C123"),
        ("demo_C123_2026.01.31_08.15.00.500000", "demonstration", "C123"),
        ("demo_C123", "", ""),
        ("anything", "", ""),
    ],
)
def test_the_name_of_a_folder_says_what_it_is(tmp_path, name, role, serial):
    for path in (tmp_path / name, tmp_path / name / "raw_video.mp4"):
        assert (named(path).role, named(path).serial) == (role, serial)


def test_a_folder_named_after_another_camera_is_told(demo):
    outputs = read(demo("demo_C999_2026.01.01_12.00.00.000000"))
    assert outputs.attributes["camera_serial"] == "C0000000000000"
    assert any("named after camera C999" in note for note in outputs.notes)


def test_a_file_without_telemetry_is_still_read(tmp_path, shared_data):
    outputs = read(shared_data / "misc" / "phone-no-telemetry.mp4")
    assert "video" in outputs.streams
    assert outputs.attributes["role"] == ""
    assert any("without motion data" in note for note in outputs.notes)
    assert any("serial number" in note for note in outputs.notes)


def test_clocks_of_a_camera_that_disagree_are_told(shared_data):
    outputs = read(shared_data / "gopro" / "karma.mp4")
    assert abs(outputs.attributes["timecode_minus_creation_time_s"]) == pytest.approx(69, abs=2)
    assert any("differ by" in note for note in outputs.notes)


def test_a_folder_of_several_recordings_is_refused_with_the_command_that_helps(demo):
    folder = demo()
    shutil.copy(folder / "raw_video.mp4", folder / "a.mp4")
    (folder / "raw_video.mp4").rename(folder / "b.mp4")
    with pytest.raises(RecordingError, match=r"holds 2 MP4 files.*umi-episodes"):
        read(folder)


def test_the_largest_is_the_mapping_and_the_earliest_of_each_camera_its_calibration(raw_videos):
    raw_videos("GX010004.MP4", serial="C1", time="2026-01-01T10:03:00Z")
    raw_videos("GX010003.MP4", serial="C1", time="2026-01-01T10:02:00Z")
    raw_videos("GX010009.MP4", serial="C2", time="2026-01-01T10:01:00Z")
    raw_videos("GX010002.MP4", serial="C2", time="2026-01-01T10:05:00Z")
    folder = raw_videos("GX010001.MP4", serial="C1", time="2026-01-01T10:00:00Z", frames=40)
    chosen = {one.path.name: one for one in select_recordings(folder).recordings}
    assert {name: one.role for name, one in chosen.items()} == {
        "GX010001.MP4": "mapping",
        "GX010003.MP4": "gripper_calibration",
        "GX010009.MP4": "gripper_calibration",
        "GX010004.MP4": "demonstration",
        "GX010002.MP4": "demonstration",
    }
    assert chosen["GX010002.MP4"].name == "demo_C2_2026.01.01_10.05.00.000000"
    assert "largest of 5" in chosen["GX010001.MP4"].why
    assert "earliest of camera C2" in chosen["GX010009.MP4"].why


def test_the_command_prints_tables_that_a_pipeline_takes(raw_videos, capsys):
    raw_videos("GX010003.MP4", serial="C1", time="2026-01-01T10:02:00Z")
    folder = raw_videos("GX010001.MP4", serial="C1", time="2026-01-01T10:00:00Z", frames=40)
    (folder / "GX010002.MP4").write_bytes(b"no video")
    assert umi_episodes([str(folder)]) == 0
    told = capsys.readouterr().out
    tables = tomllib.loads(told)["episodes"]
    assert tables["mapping"] == {"camera": (folder / "GX010001.MP4").as_posix()}
    assert list(tables) == ["mapping", "gripper_calibration_C1_2026.01.01_10.02.00.000000"]
    assert "# left out: " in told


def test_no_folder_and_no_recording_are_sentences(tmp_path):
    with pytest.raises(RecordingError, match="no such folder"):
        select_recordings(tmp_path / "not there")
    with pytest.raises(RecordingError, match="holds no MP4"):
        select_recordings(tmp_path)


def test_a_timecode_counts_frames_at_the_rounded_rate_and_drops_none():
    assert timecode_s("01:02:03:30", 59.94) == pytest.approx(3723.5)
    assert timecode_s("", 30.0) is None
    assert timecode_s("01:02:03:30", float("nan")) is None


@pytest.mark.parametrize(
    ("created", "timecode", "seconds"),
    [
        ("2026-01-01T12:00:00Z", "12:00:00:30", 0.5),
        ("2026-01-01T12:00:00Z", "11:59:58:00", -2),
        ("2026-01-01T00:00:01Z", "23:59:59:00", -2),
        ("2025-12-31T23:59:59Z", "00:00:01:00", 2),
        ("2026-01-01T12:00:00Z", "", 0),
    ],
)
def test_the_timecode_stands_on_the_date_that_brings_it_nearest(created, timecode, seconds):
    assert began_ns(created, timecode, 59.94) == began_ns(created, "", 59.94) + round(seconds * 1e9)
