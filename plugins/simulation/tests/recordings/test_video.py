from fractions import Fraction

import numpy as np
import pytest

from handloom.media import View, index_video, probe, read_audio, read_frames
from handloom_simulation.recordings import Encoding, PatternPainter, write_video

PAINTER = PatternPainter(width=96, height=64)


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    path = tmp_path_factory.mktemp("clip") / "clip.mp4"
    sound = np.stack([0.5 * np.sin(2 * np.pi * 440 * np.arange(24_000) / 48_000), np.zeros(24_000)], axis=1)
    painted = [PAINTER.paint(index * 33_366_667) for index in range(15)]
    return write_video(path, painted, Encoding(rate=Fraction(30000, 1001), crf=10), sound), painted


def test_pictures_come_back_in_their_colours(clip):
    path, painted = clip
    video = index_video((path,)).video
    decoded = dict(read_frames(video, [0, 7, 14], View(format="rgb")))
    for index, picture in decoded.items():
        assert np.abs(picture.astype(int) - painted[index]).mean() < 4.0


def test_pictures_and_sound_begin_together(clip):
    path, _ = clip
    video, audio = index_video((path,)).video, read_audio((path,)).samples
    np.testing.assert_allclose(video.stamps, np.arange(15) * (1001 / 30000 * 1e9), atol=20_000)
    assert audio.all_stamps()[0] == 0
    assert audio.type.shape == (2,)
    assert probe(path).tracks[0].rate == Fraction(30000, 1001)
