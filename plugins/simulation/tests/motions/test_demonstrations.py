import functools

import numpy as np
import pytest

from handloom.errors import ConfigError
from handloom.geometry import quaternion
from handloom_simulation.motions import MOTIONS, TakeSettings, make_take
from handloom_simulation.motions.demonstrations import GRAVITY_M_PER_S2, MANIPULATED
from handloom_simulation.scene.fixtures import (
    BIN_CENTRE_M,
    BIN_HALF_M,
    BIN_HEIGHT_M,
    GOAL_CENTRE_M,
    SOCKET_CENTRE_M,
)
from handloom_simulation.scene.objects import THINGS

STEP_S = 0.001


@functools.cache
def take_of(motion, seed=0):
    return make_take(motion, seed=seed)


def derivative(rows):
    return np.gradient(rows, STEP_S, axis=0)[2:-2]


def largest(rows):
    return np.linalg.norm(rows, axis=1).max()


def end_of(take, body):
    return take.poses[body][-1, :3]


def upright(take, body):
    return quaternion.rotate(take.poses[body][-1, 3:], np.array([0.0, 0.0, 1.0]))[2]


@pytest.mark.parametrize("seed", [0, 1])
def test_the_cube_is_lifted_and_set_down_on_the_goal(seed):
    take = take_of("pick_and_place", seed)
    assert take.poses["cube"][:, 2].max() > 0.08
    np.testing.assert_allclose(end_of(take, "cube"), [*GOAL_CENTRE_M, 0.02], atol=0.005)


def test_a_block_stands_on_the_other():
    take = take_of("stack")
    below = end_of(take, "block_bottom")
    np.testing.assert_allclose(end_of(take, "block_top") - below, [0.0, 0.0, 0.038], atol=0.004)
    assert upright(take, "block_top") > 0.99


def test_the_peg_stands_in_the_socket():
    take = take_of("insert")
    assert take.poses["peg"][:, 2].max() > 0.1
    np.testing.assert_allclose(end_of(take, "peg"), [*SOCKET_CENTRE_M, 0.04], atol=0.003)
    assert upright(take, "peg") > 0.99


def test_the_sponge_is_wiped_along_the_table():
    take = take_of("wipe")
    sponge = take.poses["sponge"]
    assert np.ptp(sponge[:, 1]) > 0.09
    assert sponge[:, 2].max() < 0.025
    assert (take.slide_speed_m_per_s > 0.1).sum() > 500


def test_a_thrown_ball_flies_as_ballistics_say_and_stays_in_the_bin():
    take = take_of("throw")
    ball, times = take.poses["ball"], take.stamps * 1e-9
    let_go = int(np.flatnonzero(take.pad_force_n.max(axis=1) > 0.0)[-1]) + 2
    velocity = (ball[let_go + 1, :3] - ball[let_go, :3]) / STEP_S
    landing = let_go + int(np.argmax(ball[let_go:, 2] < BIN_HEIGHT_M))
    flight = times[landing] - times[let_go]
    predicted = ball[let_go, :3] + velocity * flight
    predicted[2] -= 0.5 * GRAVITY_M_PER_S2 * flight**2
    assert flight > 0.2
    np.testing.assert_allclose(ball[landing, :3], predicted, atol=0.003)
    assert np.abs(end_of(take, "ball")[:2] - BIN_CENTRE_M).max() < BIN_HALF_M


def test_a_held_thing_presses_on_both_pads_and_a_reach_on_none():
    force = take_of("pick_and_place").pad_force_n
    held = force.min(axis=1) > 5.0
    assert held.sum() > 1500
    np.testing.assert_allclose(force[held, 0].mean(), force[held, 1].mean(), rtol=0.1)
    assert take_of("reach").pad_force_n.max() == 0.0


def test_pads_carry_the_weight_of_what_they_hold():
    take = take_of("pick_and_place")
    height = take.poses["cube"][:, 2]
    aloft = np.flatnonzero(height > 0.08)
    pulls = []
    for pad, finger in enumerate(("finger_left", "finger_right")):
        shear = np.zeros((len(aloft), 3))
        shear[:, [2, 1]] = take.pad_shear_n[aloft, pad]
        pulls.append(quaternion.rotate(take.poses[finger][aloft, 3:], shear))
    weight = THINGS["cube"].mass_kg * GRAVITY_M_PER_S2
    np.testing.assert_allclose(-np.sum(pulls, axis=0)[:, 2].mean(), weight, rtol=0.15)


def test_strikes_are_heard_in_order_and_name_what_struck():
    take = take_of("throw")
    stamps = [impact.stamp for impact in take.impacts]
    assert stamps == sorted(stamps)
    landing = max(take.impacts, key=lambda impact: impact.energy_j)
    assert landing.bodies == ("ball", "world")
    fall_m = take.poses["ball"][:, 2].max()
    most = THINGS["ball"].mass_kg * GRAVITY_M_PER_S2 * fall_m
    assert 0.3 * most < landing.energy_j < 1.01 * most


@pytest.mark.parametrize("motion", sorted(MANIPULATED))
def test_nothing_sinks_into_the_table(motion):
    take = take_of(motion)
    for body in MANIPULATED[motion]:
        thing = THINGS[body]
        lowest = thing.half_height_m if thing.shape != "cylinder" else min(thing.size_m)
        # A ball gives way when it lands at 2.5 m/s,
        # and a sponge is pressed on the table.
        deepest = {"throw": 0.005, "wipe": 0.004}.get(motion, 0.001)
        assert take.poses[body][:, 2].min() > lowest - deepest


@pytest.mark.parametrize("motion", sorted(MOTIONS))
def test_the_hand_moves_smoothly_rests_at_both_ends_and_keeps_its_speed(motion):
    take = take_of(motion)
    gripper = take.poses["gripper"]
    velocity = derivative(gripper[:, :3])
    acceleration = derivative(velocity)
    assert 0.1 < largest(velocity) < (2.0 if motion == "throw" else 1.0)
    assert largest(acceleration) < 12.0
    assert largest(derivative(acceleration)) < 600.0
    assert largest(velocity[:900]) < 0.06
    assert largest(velocity[-900:]) < 0.06
    turns = quaternion.to_rotvec(quaternion.multiply(quaternion.conjugate(gripper[:-1, 3:]), gripper[1:, 3:]))
    assert largest(turns / STEP_S) < 4.0
    assert largest(derivative(turns / STEP_S)) < 40.0


@pytest.mark.parametrize("motion", sorted(MANIPULATED))
def test_a_demonstration_lasts_four_to_ten_seconds(motion):
    assert 4.0 < take_of(motion).duration_ns * 1e-9 < 10.0


def test_the_jaw_opens_and_closes_fully_when_it_is_calibrated():
    width_m = take_of("gripper_calibration").width_m
    closed = (width_m < 2e-4).astype(int)
    assert (np.diff(closed) == 1).sum() == 5
    assert width_m.max() > 0.0875
    assert width_m.min() >= 0.0


def test_the_same_seed_gives_the_same_bits_and_another_seed_another_take():
    again = make_take("pick_and_place", seed=0)
    take = take_of("pick_and_place")
    for body, rows in take.poses.items():
        np.testing.assert_array_equal(rows, again.poses[body], strict=True)
    np.testing.assert_array_equal(take.pad_force_n, again.pad_force_n)
    assert take.impacts == again.impacts
    assert not np.array_equal(take.poses["gripper"][0], take_of("pick_and_place", 1).poses["gripper"][0])


def test_a_take_lasts_as_long_as_it_is_told_to():
    for seconds in (4.0, 6.5, 20.0):
        take = make_take("reach", seed=0, settings=TakeSettings(duration_s=seconds, chirps_s=(0.5, seconds - 0.5)))
        assert take.duration_ns == round(seconds * 1e9)
        assert take.chirps == (500_000_000, round((seconds - 0.5) * 1e9))


def test_a_demonstration_in_a_hurry_still_reaches_its_goal():
    take = make_take("pick_and_place", seed=2, settings=TakeSettings(duration_s=5.0))
    np.testing.assert_allclose(end_of(take, "cube"), [*GOAL_CENTRE_M, 0.02], atol=0.005)
    assert largest(derivative(derivative(take.poses["gripper"][:, :3]))) < 25.0


def test_what_cannot_be_done_is_refused_with_a_sentence():
    with pytest.raises(ConfigError, match="did you mean 'reach'"):
        make_take("reech", seed=0)
    with pytest.raises(ConfigError, match=r"can't be done in 2\.0 s"):
        make_take("reach", seed=0, settings=TakeSettings(duration_s=2.0))
    with pytest.raises(ConfigError, match=r"A chirp at 60 s is outside"):
        make_take("reach", seed=0, settings=TakeSettings(chirps_s=(60,)))
