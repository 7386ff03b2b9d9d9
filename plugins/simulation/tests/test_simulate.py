from fractions import Fraction

import numpy as np
import pytest

from handloom.errors import ConfigError
from handloom_simulation import simulate
from handloom_simulation.filming import Filming, shortened
from handloom_simulation.recordings import Quirks
from handloom_simulation.render import RenderSettings
from handloom_simulation.simulating import Order, quirks_of, write
from handloom_simulation.truth import read_truth


def test_the_hook_answers_only_its_own_kind():
    assert simulate.command("simulate") is simulate.simulate
    assert simulate.command("run") is None


def test_quirks_are_told_by_session_and_name():
    first, second, third = quirks_of(
        ["0:no_audio", "2:clock_jump_s=1.7", "2:missing_frames=[4,3]", "2:silent=air"], 3
    )
    assert first == Quirks(no_audio=True)
    assert second == Quirks()
    assert third == Quirks(clock_jump_s=1.7, missing_frames=(4, 3), silent="air")


def test_every_mistake_of_an_order_is_told_at_once(tmp_path):
    with pytest.raises(ConfigError) as told:
        quirks_of(["7:no_audio", "0:no_audoi", "0:silent=loud", "0:odd_jpeg=many"], 2)
    assert [sentence.partition(": ")[2][:18] for sentence in told.value.problems] == [
        "there is no sessio",
        "there is no quirk ",
        "this value does no",
        "this value does no",
    ]
    with pytest.raises(ConfigError, match="did you mean 'stack'"):
        write(tmp_path, Order(motions=("stakc",)))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("--seconds -3", "--seconds"),
        ("--seconds nan", "--seconds"),
        ("--seconds 1e9", "--seconds"),
        ("--seconds 0", "--seconds"),
        ("--width 3", "--width"),
        ("--width 100000", "--width"),
        ("--finger-width 3", "--finger-width"),
        ("--rate 0", "--rate"),
        ("--rate -5", "--rate"),
        ("--rate abc", "--rate"),
        ("--rate 1/0", "--rate"),
        ("--rate nan", "--rate"),
        ("--episodes 0", "--episodes"),
        ("--episodes -2", "--episodes"),
        ("--seed -1", "--seed"),
        ("--workers 0", "--workers"),
        ("--quirk 0:gopro_of=7", "--quirk"),
        ("--quirk 0:gopro_of=0", "--quirk"),
        ("--quirk 0:clock_jump_s=NaN", "--quirk"),
    ],
)
@pytest.mark.parametrize("kind", ["polyumi", "demo"])
def test_numbers_that_nobody_can_film_are_refused_by_name_before_a_folder_is_made(tmp_path, kind, words, named):
    with pytest.raises(ConfigError, match=f"^{named}"):
        simulate.simulate([kind, str(tmp_path / "lab"), *words.split()])
    assert not list(tmp_path.iterdir())


def test_a_lens_shows_nothing_beyond_its_image_circle(make_take):
    wide = Filming(lens="fisheye_200", width=96)
    picture = wide.demonstration("reach", seed=1).wrist.paint(500_000_000)
    rays, _ = wide.camera().unproject(np.argwhere(np.ones(picture.shape[:2]))[:, ::-1].astype(float))
    angle_deg = np.rad2deg(np.arccos(rays[:, 2])).reshape(picture.shape[:2])
    assert picture[angle_deg > 102.0].max() < 12  # noise
    assert picture[angle_deg < 98.0].mean() > 40
    assert Filming(lens="umi_gopro").optics().circle_deg is None
    chosen = Filming(lens="fisheye_200", render=RenderSettings(circle_deg=60.0))
    assert chosen.optics().circle_deg == 60.0


def test_filming_may_stop_before_the_motion_does(make_take):
    take = make_take(seconds=2.0, chirps=(400_000_000, 1_800_000_000))
    first = shortened(take, 1.5)
    assert first.stamps[-1] == 1_500_000_000
    assert first.chirps == (400_000_000,)
    assert len(first.impacts) == 1
    lengths = {len(array) for array in (first.stamps, first.width_m, first.pad_shear_n, *first.poses.values())}
    assert lengths == {1501}


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("59.94", Fraction(60000, 1001)),
        ("29.97", Fraction(30000, 1001)),
        ("50", Fraction(50)),
        ("12.5", Fraction(25, 2)),
    ],
)
def test_the_rates_of_television_are_meant_exactly(text, rate):
    assert simulate._rate(text) == rate


def test_the_command_films_the_lab_and_says_where(tmp_path, capsys):
    arguments = (
        "--motion reach --width 96 --rate 10 --finger-width 96 --seconds 4 --seed 5 --workers 1 "
        "--without vr --chirp 0.4 --chirp 3"
    )
    assert simulate.simulate(["polyumi", str(tmp_path / "Wörk shop"), *arguments.split()]) == 0
    said = capsys.readouterr().out
    assert "Wrote 1 session to" in said
    (truth_file,) = tmp_path.rglob("*.npz")
    ((name, truth),) = read_truth(truth_file).items()
    assert name in said
    assert len(truth.frames_ns) == pytest.approx(39, abs=2)
    assert truth.chirps_ns.tolist() == [400_000_000, 3_000_000_000]
    session = truth_file.parent.parent / truth_file.stem / name
    assert (session / "gopro.mp4").stat().st_size > 10_000
    assert not (session / "vr_tracker.csv").exists()
