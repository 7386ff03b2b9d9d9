import datetime as dt

import numpy as np
import pytest

from handloom.media import probe
from handloom_sensors.gopro import GoPro
from handloom_simulation.recordings import Demonstration, PatternPainter, SceneSettings, write_umi_session
from handloom_simulation.truth import read_truth

SMALL = PatternPainter(width=64, height=48)


@pytest.fixture(scope="module")
def recorded(make_take, tmp_path_factory):
    takes = [make_take(seconds=1.2, chirps=(), seed=seed) for seed in range(2)]
    folder = tmp_path_factory.mktemp("umi") / "session"
    return write_umi_session(
        folder, tuple(Demonstration(take=take, wrist=SMALL) for take in takes), SceneSettings()
    )


def test_raw_videos_hold_nothing_but_gopro_files(recorded):
    assert recorded.scene.name == "raw_videos"
    assert sorted(path.name for path in recorded.scene.iterdir()) == ["GX010017.MP4", "GX010018.MP4"]
    assert recorded.scene not in recorded.truth.parents


def test_a_file_tells_serial_date_and_timecode(recorded):
    """Date from creation_time, time of day from the timecode: what UMI's first script goes by."""
    starts = []
    for path in recorded.sessions:
        attributes = GoPro().read((path,), lambda share: None).attributes
        assert attributes["camera_serial"] == "C3461325742281"
        info = probe(path)
        hours, minutes, seconds, frames = map(int, info.timecode.split(":"))
        day = dt.datetime.fromisoformat(attributes["creation_time"]).date()
        starts.append(dt.datetime.combine(day, dt.time(hours, minutes, seconds)).timestamp() + frames / 60)
    truth = [read_truth(recorded.truth)[path.stem] for path in recorded.sessions]
    walls = [int(each.clocks["wall"].apply(each.frames_ns[0])) * 1e-9 for each in truth]
    assert starts[1] - starts[0] == pytest.approx(walls[1] - walls[0], abs=0.02)


def test_the_truth_of_each_file_is_at_its_frames(recorded):
    truth = read_truth(recorded.truth)["GX010018"]
    video = GoPro().read((recorded.sessions[1],), lambda share: None).streams["video"]
    assert len(video) == len(truth.T_world_camera)
    np.testing.assert_array_equal(np.diff(truth.frames_ns) > 0, True)
