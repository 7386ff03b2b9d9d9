"""Small sessions written by hand, whole and broken; nothing here knows the simulator."""

import json
import shutil
import wave
from fractions import Fraction

import attrs
import av
import numpy as np
import pytest

from handloom_sensors.demo_recording import DemoRecording, write_demo_recording
from handloom_sensors.polyumi_session import PolyumiSession, PolyumiSessionConfig

BOOT_NS = 5_000_000_000_000
"""The Pi's clock at the first frame."""
WALL_NS = 1_767_268_800_250_000_000
"""The date at the same instant: 2026-01-01T12:00:00.25Z."""
PERIOD_NS = 100_000_000
RATE = 16_000
FRAMES = 20


def make_jpeg(number, *, width=64, height=48):
    """Return one picture whose grey is its number."""
    encoder = av.CodecContext.create("mjpeg", "w")
    encoder.width, encoder.height, encoder.pix_fmt = width, height, "yuvj420p"
    encoder.time_base = Fraction(1, 25)
    planes = np.full((height * 3 // 2, width), 5 * number % 256, np.uint8)
    planes[height:] = 128
    frame = av.VideoFrame.from_ndarray(planes, format="yuvj420p")
    frame.pts = 0
    return b"".join(bytes(packet) for packet in [*encoder.encode(frame), *encoder.encode(None)])


PICTURES = [make_jpeg(number) for number in range(FRAMES)]


@attrs.define
class Session:
    """A session directory that can be written and then spoilt."""

    path: object

    @property
    def video(self):
        return self.path / "video"

    def metadata(self, **changes):
        """Write metadata.json: the usual values with some changed, or left out where None."""
        values = {
            "session_id": "one",
            "scene_id": "two",
            "created_at": "2026-01-01T12:00:00+00:00",
            "duration_s": FRAMES * PERIOD_NS * 1e-9,
            "camera_fps": 10,
            "camera_resolution": [64, 48],
            "audio_start_time_ns": WALL_NS + 7_000_000,
            "audio_sample_rate": RATE,
            "audio_channels": 2,
            "audio_chunk_ms": 20,
            "n_video_frames": FRAMES,
            "n_audio_chunks": 100,
            "gopro_sync_time": "2026-01-01T12:00:00.500000+00:00",
            "first_frame_metadata": {"SensorTimestamp": BOOT_NS, "FrameWallClock": WALL_NS},
            "sync_chirp_play_time_ns": WALL_NS + 300_000_000,
            "session_type": "EPISODE",
            "polyumi_version": "0123abc",
            "scene_started_at": "2026-01-01T11:00:00+00:00",
            "file_version": 1,
            **changes,
        }
        kept = {key: value for key, value in values.items() if value is not None}
        (self.path / "metadata.json").write_text(json.dumps(kept, indent=2))

    def stamps(self, rows):
        """Write the CSV from (number, stamp) rows."""
        text = "".join(f"{number},{stamp}\n" for number, stamp in rows)
        (self.video / "video_timestamps.csv").write_text(text)

    def frame(self, number, data):
        """Write one picture's bytes."""
        (self.video / f"frame_{number:06d}.jpg").write_bytes(data)

    def sound(self, values=None, *, channels=2):
        """Write audio.wav, int16 values (N, channels); noise on both tracks unless given."""
        if values is None:
            values = np.random.default_rng(0).integers(-999, 999, (2 * RATE, channels))
        with wave.open(str(self.path / "audio.wav"), "wb") as file:
            file.setnchannels(values.shape[1])
            file.setsampwidth(2)
            file.setframerate(RATE)
            file.writeframes(values.astype("<i2").tobytes())

    def rows(self):
        """Return the usual numbers and stamps."""
        return [(number, BOOT_NS + number * PERIOD_NS) for number in range(FRAMES)]


@pytest.fixture
def jpeg():
    return make_jpeg


@pytest.fixture(scope="session")
def gopro_file(tmp_path_factory):
    """A GoPro's file of 2 s, begun when the session says."""
    demo = DemoRecording(duration_s=2.0, width=64, height=48, creation_time="2026-01-01T12:00:01Z")
    return write_demo_recording(tmp_path_factory.mktemp("gopro"), demo).videos[0]


@pytest.fixture
def new_session(gopro_file):
    """Return what writes a whole session into a directory."""

    def write(path, *, gopro=True):
        session = Session(path)
        session.video.mkdir(parents=True)
        session.metadata()
        session.stamps(session.rows())
        for number, picture in enumerate(PICTURES):
            session.frame(number, picture)
        session.sound()
        if gopro:
            shutil.copy(gopro_file, path / "gopro.mp4")
        return session

    return write


@pytest.fixture
def session(new_session, tmp_path):
    """A whole session without its GoPro, which most tests do not need and which takes longest to read."""
    return new_session(tmp_path / "session_2026-01-01_12-00-00_abcd", gopro=False)


@pytest.fixture
def read(tmp_path):
    """Return what reads a session as the runner does."""

    def reader(session, *more, **config):
        scratch = tmp_path / "scratch"
        scratch.mkdir(exist_ok=True)
        sensor = PolyumiSession(PolyumiSessionConfig(**config))
        told = []
        outputs = sensor.read(sensor.prepare((session.path, *more), scratch), told.append)
        assert told[-1] == 1.0
        return outputs

    return reader
