"""The settings file of `handloom simulate`, and paths that are replayed."""

import attrs
import av
import numpy as np
import pytest

from handloom.errors import ConfigError, HandloomError, RecordingError
from handloom.geometry import pose
from handloom_simulation import simulate
from handloom_simulation.devices import optitrack_settings
from handloom_simulation.lab_file import LabFile, Replay, read_lab_file
from handloom_simulation.motions import Occlusion
from handloom_simulation.simulating import Order, write
from handloom_simulation.truth import read_truth


@pytest.fixture
def file_of(tmp_path):
    """Return a function that writes a settings file."""

    def write_file(text):
        path = tmp_path / "settings.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


def test_what_the_file_leaves_out_stays_as_it_is(file_of):
    assert read_lab_file(file_of("")) == LabFile()
    read = read_lab_file(
        file_of(
            "[wrist]\nexposure_s = 0.01\n"
            "[lab]\ntag_layout = 4\n"
            "[[take.occlusions]]\ncovers = 'finger_left'\nstart_s = 1\nend_s = 2.5\n"
            "[recording]\npause_s = 3\n"
            "[recording.sound]\nsnr_db = 3.0\n"
            "[recording.encoding]\ncrf = 30\n"
            "[recording.optitrack]\nlost_spans_s = [[1.0, 1.5]]\n"
        )
    )
    standard = LabFile()
    assert read.wrist == attrs.evolve(standard.wrist, exposure_s=0.01)
    assert read.lab == attrs.evolve(standard.lab, tag_layout=4)
    assert read.take.occlusions == (Occlusion(covers="finger_left", start_s=1.0, end_s=2.5),)
    assert read.recording == attrs.evolve(
        standard.recording,
        pause_s=3.0,
        sound=attrs.evolve(standard.recording.sound, snr_db=3.0),
        encoding=attrs.evolve(standard.recording.encoding, crf=30),
        optitrack=attrs.evolve(optitrack_settings(), lost_spans_s=((1.0, 1.5),)),
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[wirst]\n", "wirst: unknown table; did you mean 'wrist'"),
        ("[wrist]\nexposure = 1\n", "wrist.exposure: unknown key; did you mean 'exposure_s'"),
        ("[wrist]\nexposure_s = -1\n", "wrist.exposure_s: -1.0; expected >= 0"),
        ("[recording.sound]\nsnr_db = 'loud'\n", "recording.sound.snr_db: 'loud'; expected a number"),
        ("[recording.optitrack]\nnoise = 1\n", "recording.optitrack.noise: unknown key"),
        ("[recording]\nseed = 4\n", "recording.seed: leave it out; --seed says it"),
        ("[recording.encoding]\nrate = 30\n", "recording.encoding.rate: leave it out; --rate says it"),
        (
            "[[take.occlusions]]\ncovers = 'cup'\nstart_s = 1\nend_s = 2\n",
            "take.occlusions.0.covers: 'cup'; expected",
        ),
        ("[[take.occlusions]]\ncovers = 'finger_left'\nstart_s = 2\nend_s = 1\n", "must end after it starts"),
        ("wrist = 3\n", "wrist: 3; expected a table"),
        ("[replay]\n", "replay.file: is missing"),
        ("[replay]\nfile = 'a.txt'\nwidth_m = 3.0\n", "replay.width_m: 3.0; expected"),
    ],
)
def test_a_mistake_is_told_by_file_and_key(file_of, text, told):
    path = file_of(text)
    with pytest.raises(ConfigError) as raised:
        read_lab_file(path)
    assert raised.value.problems[0].startswith(f"{path}: {told}") or told in raised.value.problems[0]


def test_all_mistakes_are_told_at_once(file_of):
    with pytest.raises(ConfigError) as raised:
        read_lab_file(file_of("[lap]\n[wrist]\ngain = -1\n[recording]\nsped = 1\n"))
    assert len(raised.value.problems) == 3


def tum(path, seconds=3.0, hz=50):
    """Write a path that goes up 6 cm and turns by 20 degrees on the way."""
    times = np.arange(0.0, seconds, 1 / hz)
    share = 0.5 - 0.5 * np.cos(np.pi * times / seconds)
    rows = np.zeros((len(times), 7))
    rows[:, 2] = 0.06 * share
    half = np.deg2rad(10.0) * share
    rows[:, 5], rows[:, 6] = np.sin(half), np.cos(half)
    path.write_text(
        "".join(f"{time:.6f} {' '.join(map(repr, row.tolist()))}\n" for time, row in zip(times, rows, strict=True))
    )
    return rows


def test_a_replayed_path_is_what_the_gripper_does(tmp_path):
    rows = tum(tmp_path / "up.txt")
    file = LabFile(replay=Replay(file=tmp_path / "up.txt"))
    order = Order(kind="umi", width=64, file=file, episodes=2, without=("finger",), workers=1)
    recorded = write(tmp_path / "lab", order)
    assert len(recorded.sessions) == 2
    truths = list(read_truth(recorded.truth).values())
    for truth in truths:
        T_start_end = pose.compose(pose.inverse(truth.T_world_gripper[0]), truth.T_world_gripper[-1])
        expected = pose.compose(pose.inverse(rows[0]), rows[-1])
        assert np.abs(T_start_end[:3] - expected[:3]).max() < 1e-3
    assert not np.array_equal(truths[0].T_world_gripper, truths[1].T_world_gripper)  # things lie elsewhere


def test_a_path_that_can_not_be_replayed_is_refused_before_a_folder_is_made(tmp_path):
    tum(tmp_path / "short.txt", seconds=0.4)
    for words, error, told in (
        (["--replay", "none.txt"], RecordingError, "none.txt"),
        (["--replay", "short.txt"], HandloomError, "must last a second or more"),
        (["--replay", "short.txt", "--replay-format", "tmu"], HandloomError, "did you mean 'tum'"),
        (["--replay-format", "tum"], ConfigError, "without --replay"),
        (["--replay", "short.txt", "--motion", "wipe"], ConfigError, "expected one of both"),
    ):
        words = [str(tmp_path / word) if word.endswith(".txt") else word for word in words]
        with pytest.raises(error, match=told):
            simulate.simulate(["polyumi", str(tmp_path / "lab"), *words])
    with pytest.raises(ConfigError, match="the demo has motions of its own"):
        simulate.simulate(["demo", str(tmp_path / "lab"), "--replay", str(tmp_path / "short.txt")])
    assert not (tmp_path / "lab").exists()


def test_settings_reach_the_pictures(tmp_path, file_of):
    tum(tmp_path / "up.txt", seconds=1.2)
    dark = "[wrist]\ngain = 0.0\nread_noise_grey = 0.0\nshot_noise_grey = 0.0\n"
    path = file_of(dark + "[replay]\nfile = 'up.txt'\n")
    words = ["--width", "64", "--settings", str(path), "--without", "finger", "--workers", "1"]
    assert simulate.simulate(["umi", str(tmp_path / "lab"), *words]) == 0
    (file,) = (tmp_path / "lab" / "raw_videos").iterdir()
    with av.open(str(file)) as container:
        assert next(container.decode(video=0)).to_ndarray(format="gray").max() <= 2
