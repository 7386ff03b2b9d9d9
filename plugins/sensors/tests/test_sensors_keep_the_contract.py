"""Every sensor and frame step of this distribution passes the suite that strangers inherit."""

from __future__ import annotations

import wave

import attrs
import numpy as np
import pytest

from handloom.media import Clip, index_video, write_clip
from handloom.testing import FrameStepContract, MemoryInputs, SensorContract
from handloom_sensors.audio import AudioSensor
from handloom_sensors.exposure import Exposure
from handloom_sensors.gopro import GoPro, GoProConfig
from handloom_sensors.sharpness import Sharpness
from handloom_sensors.thumbnails import Thumbnails, ThumbnailsConfig
from handloom_sensors.video import VideoSensor

SMALL = Clip(width=160, height=120, frames=12, audio_s=0.5)


class TestAudioSensor(SensorContract):
    component = AudioSensor

    def files(self, tmp_path):
        path = tmp_path / "sound.wav"
        if not path.exists():
            with wave.open(str(path), "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(16_000)
                file.writeframes(np.arange(3200, dtype="<i2").tobytes())
        return (path,)


class TestVideoSensor(SensorContract):
    component = VideoSensor

    def files(self, tmp_path):
        path = tmp_path / "clip.mp4"
        return (path if path.exists() else write_clip(path, SMALL),)


class TestGoPro(SensorContract):
    component = GoPro

    @pytest.fixture(autouse=True)
    def _recording(self, shared_data):
        self.recording = shared_data / "gopro" / "karma.mp4"

    def config(self):
        return GoProConfig(extra_streams=("gopro_karma_v1_0_attd",))

    def files(self, tmp_path):
        return (self.recording,)


class _OnAVideo(FrameStepContract):
    def inputs(self, tmp_path):
        path = tmp_path / "clip.mp4"
        video = index_video((path if path.exists() else write_clip(path, SMALL),)).video
        return MemoryInputs(wired={"video": attrs.evolve(video, type=video.type.bind("camera"))})


class TestSharpness(_OnAVideo):
    component = Sharpness


class TestExposure(_OnAVideo):
    component = Exposure


class TestThumbnails(_OnAVideo):
    component = Thumbnails

    def config(self):
        return ThumbnailsConfig(width=16, height=12, every=5)
