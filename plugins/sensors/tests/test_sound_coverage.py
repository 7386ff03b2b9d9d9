"""Sound that is shorter than the pictures is a sentence, not a silence."""

import numpy as np
import pytest

from handloom.media import Clip, index_video, write_clip
from handloom.streams import Samples, StreamType
from handloom_sensors.sound_coverage import sound_coverage

SOUND = StreamType(kind="audio", dtype="float32", shape=(1,))


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    return index_video((write_clip(tmp_path_factory.mktemp("v") / "a.mp4", Clip(width=64, height=48)),)).video


def sound(start_s, end_s):
    count = round((end_s - start_s) * 1000)
    knots = np.array([[0, start_s * 1e9], [count, end_s * 1e9]], dtype=np.int64)
    return Samples(type=SOUND, data=np.zeros((count, 1), np.float32), knots=knots)


def test_sound_as_long_as_the_pictures_needs_no_word(video):
    assert sound_coverage(video, sound(0.02, 1.95)) == []


def test_both_ends_are_told(video):
    assert sound_coverage(video, sound(0.5, 1.25)) == [
        "a.mp4: the first 0.500 s of the video have no sound.",
        "a.mp4: the last 0.750 s of the video have no sound.",
    ]


def test_sound_beyond_the_pictures_is_no_lack(video):
    assert sound_coverage(video, sound(-1.0, 3.0)) == []
