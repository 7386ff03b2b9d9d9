"""Streams and steps that the tests of the store write."""

from pathlib import Path

import attrs
import numpy as np
import pytest

from handloom.store import Provenance, Scene, StepKey, stage
from handloom.streams import POSE, Samples, StreamType, Video, VideoFile

ACCELERATION = StreamType(kind="acceleration", dtype="float64", shape=(3,), unit="m/s^2", clock="camera")
AUDIO = StreamType(kind="audio", dtype="int16", shape=(2,), clock="microphone")
CAMERA = StepKey("camera", "épisode 1", "sensor")
TRACK = StepKey("track", "épisode 1")
MAP = StepKey("map")


def acceleration(seed=0, count=200):
    data = np.random.default_rng(seed).normal(size=(count, 3))
    return Samples(type=ACCELERATION, data=data, stamps=np.arange(count) * 5_000_000 + 7)


def audio(seed=0, count=4000):
    data = np.random.default_rng(seed).integers(-3000, 3000, (count, 2)).astype(np.int16)
    knots = np.array([[0, 10], [count, 10 + count * 62_500]])
    return Samples(type=AUDIO, data=data, knots=knots, attributes={"channels": ["left", "right"]})


def pose(count=50):
    data = np.zeros((count, 7))
    data[:, 6] = 1
    tracked = np.arange(count) % 7 != 3
    data[~tracked] = np.nan
    type_ = attrs.evolve(POSE, frame="map", body="camera", clock="camera")
    return Samples(type=type_, data=data, stamps=np.arange(count) * 16_683_333, tracked=tracked)


def video(path, count=30):
    type_ = StreamType(kind="video", dtype="uint8", shape=(48, 64, 3), clock="camera")
    file = VideoFile(path=path, first_frame=0, time_base=(1, 30000), start_ns=-5)
    pts = np.arange(count) * 1001
    return Video(
        type=type_,
        files=(file,),
        pts=pts,
        stamps=pts * 33_333,
        keyframes=pts % 2002 == 0,
        rotation_deg=90,
        codec="h264",
    )


@attrs.define
class Bench:
    """A scene directory and short ways to write into it."""

    path: Path

    def scene(self, mode="w", **more):
        return Scene.open(self.path, mode, create=mode == "w", **more)

    def provenance(self, **more):
        return Provenance(**{"kind": "gopro", "distribution": "handloom-sensors", "version": "0.1.0", **more})

    def finish(self, key, streams, *, notes=(), attributes=None, disk=None, **more):
        with stage(self.path, key, provenance=self.provenance(**more), disk=disk) as staged:
            for name in sorted(streams):
                staged.write(name, streams[name])
            staged.notes, staged.attributes = notes, attributes or {}
            return staged.finish()

    def commit(self, key, streams, **more):
        with self.scene() as scene:
            return scene.commit(self.finish(key, streams, **more))


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path / "scène mit Leerzeichen")
    made.scene().close()
    return made


@pytest.fixture
def film(tmp_path):
    path = tmp_path / "Aufnahme 1.MP4"
    path.write_bytes(bytes(range(256)) * 40)
    return path


@pytest.fixture
def made():
    """The makers of streams, by name, and the keys."""
    return {
        "acceleration": acceleration,
        "audio": audio,
        "pose": pose,
        "video": video,
        "camera": CAMERA,
        "track": TRACK,
        "map": MAP,
    }
