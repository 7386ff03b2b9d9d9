"""The hands move as the real ones were measured to: one move at a time, or after the newest command."""

import numpy as np
import pytest

STEP_S = 0.001


@pytest.fixture
def hand(open_fr3, raw_write):
    """Return a function that commands widths every millisecond and gives back what was reported."""

    class Hand:
        def __init__(self, gripper, **settings):
            self.robot = open_fr3(gripper=gripper, **settings)

        def run(self, seconds, width_m=np.nan, **how):
            widths, forces = [], []
            for _ in range(round(seconds / STEP_S)):
                raw_write(self.robot, width_m=width_m, **how)
                self.robot._table.read(self.robot._state)
                widths.append(float(self.robot._state["width_m"]))
                forces.append(float(self.robot._state["width_force"]))
            return np.array(widths), np.array(forces)

    return Hand


def test_the_stock_hand_takes_363_ms_longer_than_its_fingers_move_and_hears_nothing_meanwhile(hand):
    stock = hand("franka_hand")
    from handloom_controllers.arms import load_gripper

    blocked = load_gripper("franka_hand").blocked_s(0.02)
    stock.run(0.001, 0.06)
    widths, _ = stock.run(blocked - 0.05, 0.02)  # not heard
    assert abs(widths[-1] - 0.06) < 1e-3
    widths, _ = stock.run(1.5, 0.02)
    assert abs(widths[-1] - 0.02) < 1e-3


def test_the_stock_hand_does_not_begin_before_its_latency(hand):
    widths, _ = hand("franka_hand").run(0.2, 0.04)
    assert np.ptp(widths) == 0


def test_the_stock_hand_leaves_out_what_is_not_worth_a_move(hand):
    widths, _ = hand("franka_hand").run(1.0, 0.077)
    assert np.ptp(widths) == 0


def test_the_fast_hand_follows_a_stream_with_its_latency_and_no_faster_than_it_can(hand):
    fast = hand("fast_hand")
    widths, _ = fast.run(0.09, 0.05)
    assert np.ptp(widths) == 0
    widths, _ = fast.run(0.8, 0.05)
    assert abs(widths[-1] - 0.05) < 1e-4
    steps = np.diff(np.unique(widths))
    assert steps.max() < 0.2 * 0.034 + 1e-9  # m/s, between two reports


def test_the_fast_hand_turns_round_in_the_midst_of_a_move(hand):
    fast = hand("fast_hand")
    fast.run(0.25, 0.0)
    widths, _ = fast.run(1.0, 0.11)
    assert widths.min() > 0.05
    assert abs(widths[-1] - 0.11) < 1e-4


def test_the_force_on_a_thing_builds_up_to_what_was_commanded(hand):
    fast = hand("fast_hand", in_hand_m=0.05, in_hand_n_per_m=5000.0)
    widths, forces = fast.run(1.5, 0.0, force=20.0)
    assert abs(forces[-1] - 20.0) < 0.1
    assert abs(widths[-1] - (0.05 - 20.0 / 5000.0)) < 1e-4
    assert np.unique(forces).size > 2  # not at once
    _, forces = fast.run(0.8, 0.08)
    assert forces[-1] == 0


def test_without_a_gripper_there_is_no_width(open_fr3):
    assert np.isnan(open_fr3(gripper="").read().width_m)
    assert np.isnan(open_fr3(hand=False).read().width_m)


def test_a_thing_can_be_put_between_the_fingers(hand):
    fast = hand("fast_hand")
    fast.robot.plant.grasp(0.08, 5000.0)
    assert fast.run(1.0, 0.0, force=10.0)[1][-1] == pytest.approx(10.0, abs=0.1)


def test_fingers_grasp_a_thing_and_lift_it(open_fr3, raw_write, joint_law):
    from handloom_simulation.arm.settings import Block

    start = (0.0, 0.35, 0.0, -2.35, 0.0, 2.7, 0.785)
    bare = open_fr3(start_rad=start, fingers=True, gripper="fast_hand")
    tcp = bare.plant.model.site("tcp").id
    import mujoco

    mujoco.mj_forward(bare.plant.model, bare.plant.data)
    x, y, z = bare.plant.data.site_xpos[tcp]
    table = Block(name="table", centre_m=(x, y, z - 0.12), half_m=(0.1, 0.1, 0.1))
    cube = Block(
        name="cube", centre_m=(x, y, z), half_m=(0.02, 0.02, 0.02), mass_kg=0.05, friction=1.0, solref=(0.004, 1.0)
    )
    robot = open_fr3(start_rad=start, fingers=True, gripper="fast_hand", blocks=(table, cube))
    for _ in range(600):
        raw_write(robot, width_m=0.0, force=20.0)
    state = robot.read()
    assert abs(state.width_m - 0.04) < 2e-3
    joint_law(robot).towards(state.q - np.eye(7)[1] * 0.15, 800)
    lifted = robot.plant.data.body("cube").xpos[2] - z
    assert lifted > 0.03
    assert robot.read().reflexes == ()
