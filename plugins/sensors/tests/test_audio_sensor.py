"""The sensor `audio`: every value of a sound file."""

from __future__ import annotations

import wave

import numpy as np
import pytest

from handloom.api import NoConfig
from handloom.errors import RecordingError
from handloom_sensors.audio import AudioSensor, sensor


def _wav(path, values: np.ndarray):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(values.astype("<i2").tobytes())
    return path


def test_hook_answers_the_class():
    assert sensor("audio") is AudioSensor


def test_every_sixteen_bit_value_comes_back(tmp_path):
    values = np.arange(-(2**15), 2**15)
    outputs = AudioSensor().read((_wav(tmp_path / "a.wav", values),), lambda _: None)
    audio = outputs.streams["audio"]
    assert np.array_equal(audio.data[:, 0] * 2**15, values)
    assert audio.rate_hz() == 16_000
    assert audio.type.dtype == AudioSensor.ports(NoConfig()).outputs["audio"].type.dtype


def test_files_follow_one_another(tmp_path):
    files = tuple(_wav(tmp_path / f"{name}.wav", np.zeros(1600)) for name in "ab")
    outputs = AudioSensor().read(files, lambda _: None)
    assert outputs.streams["audio"].knots.tolist() == [[0, 0], [3200, 200_000_000]]


def test_no_sound_is_a_recording_error(tmp_path):
    path = tmp_path / "a.wav"
    path.write_text("no sound")
    with pytest.raises(RecordingError, match="no video or audio file"):
        AudioSensor().read((path,), lambda _: None)
