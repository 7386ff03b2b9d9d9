import json
import re
import wave

import attrs
import numpy as np
import pytest

from handloom.api import clock_map_of
from handloom.errors import NoTelemetryError
from handloom.geometry import interpolate_poses, pose
from handloom.media import IndexedAudio, probe, read_audio
from handloom.streams import layout_named, read_trajectory
from handloom_sensors.gopro import GoPro
from handloom_simulation.devices import SlamSettings, SoundSettings
from handloom_simulation.gripper import MOUNTED
from handloom_simulation.recordings import (
    Demonstration,
    PatternPainter,
    Quirks,
    SceneSettings,
    write_polyumi_scene,
)
from handloom_simulation.truth import read_truth

KEYS = """
session_id scene_id created_at duration_s pi_hostname camera_fps camera_resolution audio_start_time_ns
audio_sample_rate audio_channels audio_chunk_ms n_video_frames n_audio_chunks video_dropped_frames
audio_dropped_chunks led_brightness gopro_sync_time first_frame_metadata sync_chirp_play_time_ns
optitrack_start_time notes task robot session_type polyumi_version file_version
"""
SMALL = {"wrist": PatternPainter(width=64, height=48), "finger": PatternPainter(width=64, height=36)}
QUIET = attrs.evolve(SoundSettings().quiet(), rt60_s=0.0)


@pytest.fixture(scope="module")
def short(make_take):
    return make_take(seconds=1.6, chirps=(300_000_000,))


def write(folder, take, *quirks, **settings):
    demonstrations = tuple(Demonstration(take=take, quirks=each, **SMALL) for each in quirks or (Quirks(),))
    return write_polyumi_scene(folder, demonstrations, SceneSettings(**settings))


@pytest.fixture(scope="module")
def recorded(short, tmp_path_factory):
    return write(tmp_path_factory.mktemp("recordings"), short, Quirks(), sound=QUIET, seed=3)


def metadata_of(session):
    return json.loads((session / "metadata.json").read_text(encoding="utf-8"))


def truth_of(recorded, index=0):
    return read_truth(recorded.truth)[recorded.sessions[index].name]


def stamps_of(session):
    return np.loadtxt(session / "video" / "video_timestamps.csv", delimiter=",", dtype=np.int64, ndmin=2)


def test_a_session_has_the_names_and_files_of_polyumi(recorded):
    (session,) = recorded.sessions
    assert re.fullmatch(r"scene_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_[0-9a-f]{4}", recorded.scene.name)
    assert re.fullmatch(r"session_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_[0-9a-f]{4}", session.name)
    assert {"metadata.json", "audio.wav", "gopro.mp4", "video", "jaw_ticks.csv"} <= {
        p.name for p in session.iterdir()
    }
    frames = sorted(path.name for path in (session / "video").glob("*.jpg"))
    assert frames[0] == "frame_000000.jpg"
    assert len(frames) == len(stamps_of(session)) == metadata_of(session)["n_video_frames"]
    assert (recorded.scene / "scene.json").is_file()


def test_metadata_have_every_key_of_the_firmware(recorded):
    found = metadata_of(recorded.sessions[0])
    assert list(found) == KEYS.split()
    assert found["file_version"] == 1
    with wave.open(str(recorded.sessions[0] / "audio.wav")) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (2, 2, 16_000)
        assert file.getnframes() == 320 * found["n_audio_chunks"]


def test_no_file_of_a_session_tells_simulation_time_or_truth(recorded):
    """A sensor's stamps lie far from the take's 0 to 1.6 s, and the truth lies outside the scene."""
    (session,) = recorded.sessions
    assert recorded.scene not in recorded.truth.parents
    assert not list(recorded.scene.rglob("*.npz"))
    assert stamps_of(session)[:, 1].min() > 100_000_000_000
    jaw = np.loadtxt(session / "jaw_ticks.csv", delimiter=",", skiprows=1, dtype=np.int64)
    assert jaw[:, 0].min() > 100_000_000_000
    assert "sim" not in {key for key in metadata_of(session) if "time" in key}


def test_the_anchors_map_sensor_time_to_wall_time(recorded):
    first = metadata_of(recorded.sessions[0])["first_frame_metadata"]
    mapped = truth_of(recorded).clock_map("pi", "wall").apply(first["SensorTimestamp"])
    assert abs(int(mapped) - first["FrameWallClock"]) <= 2


def test_stamps_are_what_the_pi_s_clock_shows_at_the_true_instants(recorded):
    truth = truth_of(recorded)
    np.testing.assert_allclose(
        stamps_of(recorded.sessions[0])[:, 1], truth.clocks["pi"].apply(truth.finger_ns), atol=2
    )


def arrival_s(samples, rate_hz, after_s):
    """Return when a matched filter sees the chirp begin, s after the first sample by the file's own count."""
    from scipy.signal import correlate, hilbert

    t = np.arange(rate_hz // 2) / rate_hz
    template = np.sin(2 * np.pi * (440 * t + 0.5 * 13_120 * t**2))
    envelope = np.abs(hilbert(correlate(samples, template, mode="valid", method="fft")))
    envelope[: int(after_s * rate_hz)] = 0
    peak = int(envelope.argmax())
    before, at, after = envelope[peak - 1 : peak + 2]
    return (peak + 0.5 * (before - after) / (before - 2 * at + after)) / rate_hz


def test_the_chirp_stands_in_both_files_where_the_truth_says(recorded):
    """Within what a drift of 50 ppm does to a matched filter (0.53 us a ppm) and AAC."""
    truth, (session,) = truth_of(recorded), recorded.sessions
    camera: IndexedAudio = read_audio((session / "gopro.mp4",))
    found = arrival_s(camera.samples.data[:, 0].astype(np.float64), 48_000, 0.1)
    drift_us = 0.53 * truth.clocks["gopro"].drift_ppm
    assert found == pytest.approx(truth.chirp_arrivals_ns("camera")[0] * 1e-9, abs=(3 + abs(drift_us)) * 1e-6)
    pi: IndexedAudio = read_audio((session / "audio.wav",))
    start = metadata_of(session)["audio_start_time_ns"]
    wall_to_pi = truth.clock_map("wall", "pi")
    for column, microphone in enumerate(("piezo", "air")):
        found = arrival_s(pi.samples.data[:, column].astype(np.float64), 16_000, 0.1)
        on_pi = int(wall_to_pi.apply(start)) + found * 1e9
        drift_us = 0.53 * truth.clocks["pi"].drift_ppm
        assert on_pi == pytest.approx(truth.chirp_arrivals_ns(microphone)[0], abs=(5 + abs(drift_us)) * 1e3)


def test_our_reader_takes_the_gopro_file(recorded):
    outputs = GoPro().read((recorded.sessions[0] / "gopro.mp4",), lambda share: None)
    truth = truth_of(recorded)
    assert {"video", "audio", "accelerometer", "gyroscope", "gravity", "camera_orientation"} <= set(
        outputs.streams
    )
    np.testing.assert_allclose(outputs.streams["video"].stamps, truth.frame_stamps, atol=17_000)
    assert outputs.attributes["imu_lead_ms"] == pytest.approx(-2.273, abs=0.001)
    assert outputs.attributes["imu_rate_hz"] == pytest.approx(199.253, abs=0.01)
    assert re.fullmatch(r"20:30:\d\d:\d\d", outputs.attributes["timecode"])
    force = np.linalg.norm(outputs.streams["accelerometer"].data, axis=1)
    assert np.median(force) == pytest.approx(9.8, abs=0.5)
    down = outputs.streams["accelerometer"].data.mean(axis=0)
    assert np.dot(-down / np.linalg.norm(down), outputs.streams["gravity"].data[0]) > 0.95


def test_telemetry_parser_takes_the_gopro_file(recorded):
    telemetry_parser = pytest.importorskip("telemetry_parser", reason="it has no wheel for this Python")
    theirs = telemetry_parser.Parser(str(recorded.sessions[0] / "gopro.mp4")).normalized_imu()
    ours = GoPro().read((recorded.sessions[0] / "gopro.mp4",), lambda share: None).streams["gyroscope"]
    assert len(theirs) == len(ours)
    turning = np.radians(np.linalg.norm([row["gyro"] for row in theirs], axis=1))
    np.testing.assert_allclose(turning, np.linalg.norm(ours.data, axis=1), rtol=1e-6)


def test_the_slam_file_is_read_with_the_forks_layout(recorded):
    path = recorded.sessions[0] / "camera_trajectory.csv"
    read = read_trajectory(path, layout_named("orb_slam3"), by="frame_index")
    assert len(read) == len(truth_of(recorded).frames_ns)
    assert read.tracked.all()


def test_the_same_settings_give_the_same_bytes(recorded, short, tmp_path):
    again = write(tmp_path, short, Quirks(), sound=QUIET, seed=3)
    files = sorted(path.relative_to(recorded.scene) for path in recorded.scene.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(again.scene) for path in again.scene.rglob("*") if path.is_file())
    for file in files:
        assert (recorded.scene / file).read_bytes() == (again.scene / file).read_bytes(), file
    assert recorded.truth.read_bytes() == again.truth.read_bytes()


@pytest.fixture(scope="module")
def broken(short, tmp_path_factory):
    """A scene of one session for each quirk, in this order."""
    folder = tmp_path_factory.mktemp("Aufnahmen von gestern – größer")
    quirks = (
        Quirks(monotonic_stamps=True, late_audio_s=0.02, told_size=(620, 480), odd_jpeg=3),
        Quirks(lost_metadata=True, missing_frames=(4, 3), no_gopro=True),
        Quirks(dropped_frames=(4, 3), clock_jump_s=1.7, no_audio=True, gopro_of=0),
        Quirks(cut_chirp="camera", silent="air", black="wrist", no_telemetry=True),
        Quirks(cut_chirp="pi", silent="camera", black="finger"),
    )
    task = "Würfel auf den Teller"
    return write(folder, short, *quirks, task=task, slam=SlamSettings(repeated_rows=(20, 12)), finger_rate_hz=15.0)


def test_monotonic_and_late_stamps_and_wrong_sizes_come_when_asked(broken):
    found, truth = metadata_of(broken.sessions[0]), truth_of(broken)
    start = truth.clock_map("wall", "pi").apply(int(truth.clocks["wall"].apply(60_000_000)))
    assert found["audio_start_time_ns"] - int(start) == pytest.approx(20_000_000, abs=2)
    assert found["camera_resolution"] == [620, 480]
    sizes = [probe(path).tracks[0].size for path in sorted((broken.sessions[0] / "video").glob("*.jpg"))[:5]]
    assert sizes == [(64, 36)] * 3 + [(32, 18), (64, 36)]
    assert found["task"] == "Würfel auf den Teller"


def test_a_power_cut_loses_the_anchors_and_a_bad_card_frames(broken):
    found, session = metadata_of(broken.sessions[1]), broken.sessions[1]
    lost = ("duration_s", "audio_start_time_ns", "first_frame_metadata", "sync_chirp_play_time_ns")
    assert [found[key] for key in lost] == [None] * 4
    assert found["n_video_frames"] == 0
    numbers = {int(path.stem[-6:]) for path in (session / "video").glob("*.jpg")}
    assert set(range(len(stamps_of(session)))) - numbers == {4, 5, 6}
    assert not (session / "gopro.mp4").exists()


def test_dropped_frames_and_a_jump_of_the_clock_show_in_the_stamps(broken):
    session = broken.sessions[2]
    steps = np.diff(stamps_of(session)[:, 1]) * 1e-9
    assert steps[3] == pytest.approx(4 / 15, abs=1e-6)
    assert steps.max() == pytest.approx(1.7 + 1 / 15, abs=1e-6)
    assert metadata_of(session)["video_dropped_frames"] == 3
    assert not (session / "audio.wav").exists()
    assert (session / "gopro.mp4").read_bytes() == (broken.sessions[0] / "gopro.mp4").read_bytes()


def test_a_re_encoded_file_has_no_telemetry(broken):
    with pytest.raises(NoTelemetryError):
        GoPro().read((broken.sessions[3] / "gopro.mp4",), lambda share: None)


def test_a_recorder_that_starts_late_has_half_a_chirp(broken):
    for index, start in ((3, "gopro"), (4, "pi")):
        truth = truth_of(broken, index)
        began = truth.frames_ns[0] if start == "gopro" else truth.finger_ns[0]
        assert truth.chirps_ns[0] < began < truth.chirps_ns[0] + 500_000_000


def test_silence_and_darkness_come_when_asked(broken):
    with wave.open(str(broken.sessions[3] / "audio.wav")) as file:
        sound = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2)
    assert sound[:, 0].any()
    assert not sound[:, 1].any()
    assert np.abs(read_audio((broken.sessions[4] / "gopro.mp4",)).samples.data).max() < 1e-4


def test_repeated_rows_stand_in_the_slam_file(broken):
    rows = (broken.sessions[0] / "camera_trajectory.csv").read_text().splitlines()[1:]
    poses = [row.split(",")[5:] for row in rows]
    assert all(pose == poses[19] for pose in poses[20:32])
    assert poses[32] != poses[31]


def test_the_optitrack_take_sees_the_gripper_at_the_true_instants(recorded):
    """Frame by frame at the export's rate, on OptiTrack's clock, in its frame."""
    truth, lines = truth_of(recorded), recorded.optitrack.read_text(encoding="utf-8").splitlines()
    rows = [line.split(",") for line in lines[7:]]
    seen = np.array([[float(cell) for cell in row] for row in rows if row[2]])
    assert len(seen) > 100
    instants = truth.clock_map("optitrack", "sim").apply(np.rint(seen[:, 0] / 120 * 1e9).astype(np.int64))
    T_world_gripper, _ = interpolate_poses(
        truth.take_ns, truth.T_world_gripper, np.ones(len(truth.take_ns), bool), instants, max_gap_ns=2_000_000
    )
    T_world_body = pose.compose(truth.transforms["T_world_optitrack"], seen[:, [6, 7, 8, 2, 3, 4, 5]])
    expected = pose.compose(T_world_gripper, _unit(MOUNTED["markers"]))
    error = np.linalg.norm(T_world_body[:, :3] - expected[:, :3], axis=1)
    assert np.sqrt(np.nanmean(error**2)) == pytest.approx(1e-4 * np.sqrt(3), rel=0.15)


def _unit(row):
    row = np.array(row)
    return np.concatenate([row[:3], row[3:] / np.linalg.norm(row[3:])])


def test_our_reader_takes_a_whole_session(recorded, tmp_path):
    kind = pytest.importorskip("handloom_sensors.polyumi_session")
    session = kind.PolyumiSession(kind.PolyumiSessionConfig())
    outputs = session.read(session.prepare((recorded.sessions[0],), tmp_path), lambda share: None)
    truth = truth_of(recorded)
    assert {"gopro_video", "gopro_audio", "finger_video", "contact_audio", "air_audio", "jaw_ticks"} <= set(
        outputs.streams
    )
    np.testing.assert_allclose(
        outputs.streams["finger_video"].stamps, truth.clocks["pi"].apply(truth.finger_ns), atol=2
    )
    found = clock_map_of(outputs.streams["pi_to_wall"])
    stamps = outputs.streams["finger_video"].stamps
    np.testing.assert_allclose(found.apply(stamps), truth.clock_map("pi", "wall").apply(stamps), atol=2)
    optitrack = clock_map_of(outputs.streams["optitrack_to_wall"])
    assert abs(int(optitrack.apply(0)) - int(truth.clock_map("optitrack", "wall").apply(0))) < 2_000
