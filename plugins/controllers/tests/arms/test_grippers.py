"""Grippers as measured: what a move costs, and who says so."""

import pytest

from handloom.errors import HandloomError
from handloom_controllers.arms import load_gripper
from handloom_controllers.arms.data_files import data_folder
from handloom_controllers.arms.grippers import gripper_names


def test_a_move_of_the_stock_hand_blocks_363_ms_even_when_nothing_moves():
    hand = load_gripper("franka_hand")
    assert hand.blocked_s(0.0) == pytest.approx(0.363)
    assert hand.command_rate_hz == pytest.approx(1 / 0.363, abs=0.01)


def test_a_short_stroke_never_reaches_the_speed():
    hand = load_gripper("franka_hand")
    crossover = hand.speed_m_per_s**2 / hand.acceleration_m_per_s2
    assert crossover == pytest.approx(0.037, abs=1e-3)
    assert hand.moving_s(0.5 * crossover, 1.0) == hand.moving_s(0.5 * crossover)
    before, after = hand.moving_s(crossover * (1 - 1e-9)), hand.moving_s(crossover * (1 + 1e-9))
    assert before == pytest.approx(after, rel=1e-6)
    assert hand.moving_s(0.08) == pytest.approx(0.08 / 0.1153 + 0.1153 / 0.36)


def test_a_hand_that_follows_a_stream_never_blocks():
    hand = load_gripper("fast_hand")
    assert not hand.blocking
    assert hand.blocked_s(hand.stroke_m) == 0
    assert hand.moving_s(0.08) < 0.5 * load_gripper("franka_hand").blocked_s(0.08)


def test_every_gripper_names_its_source():
    assert gripper_names() == ("fast_hand", "franka_hand")
    assert all(load_gripper(name).source for name in gripper_names())


def test_a_gripper_nobody_knows_is_refused_with_the_nearest_name():
    with pytest.raises(HandloomError, match="did you mean 'franka_hand'"):
        load_gripper("franka_hands")


@pytest.mark.parametrize(
    ("found", "written", "said"),
    [
        ("stroke = 0.08", "stroke = 0", "`stroke` is 0; expected a number, more than 0"),
        ("latency = 0.208", "latency = nan", "`latency` is nan"),
        ("blocking = true", 'blocking = "yes"', "`blocking` is 'yes'; expected a bool"),
    ],
)
def test_a_mistake_in_a_file_is_said_in_a_sentence(tmp_path, found, written, said):
    text = (data_folder() / "grippers" / "franka_hand.toml").read_text()
    (tmp_path / "mine.toml").write_text(text.replace(found, written))
    with pytest.raises(HandloomError, match=said):
        load_gripper(tmp_path / "mine.toml")
