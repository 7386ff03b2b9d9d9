"""The controller `cartesian_follower` keeps the contract, and stays finite whatever comes."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.api import CartesianState, Chunk
from handloom.errors import HandloomError
from handloom.testing import ControllerContract
from handloom.testing.controller_scenario import START, distance
from handloom_controllers import cartesian_follower
from handloom_controllers.cartesian_follower import CartesianFollower, CartesianFollowerConfig

pytest_plugins = ("handloom.testing.fixtures",)


class TestCartesianFollower(ControllerContract):
    component = CartesianFollower


class TestCartesianFollowerLinear(ControllerContract):
    component = CartesianFollower
    smooth = False

    def config(self):
        return CartesianFollowerConfig(interpolation="linear")


class TestCartesianFollowerSlowHand(ControllerContract):
    """Another frame, another clock, tighter caps."""

    component = CartesianFollower
    frame, body, clock = "table", "hand", "arm"
    max_speed_m_per_s, max_speed_rad_per_s = 0.25, 0.5

    def config(self):
        return CartesianFollowerConfig(
            frame="table", body="hand", clock="arm", max_speed_m_per_s=0.25, max_speed_rad_per_s=0.5
        )


contract = TestCartesianFollower()


def test_its_entry_point_answers_it(only_these_plugins):
    host = only_these_plugins(controllers={"cartesian_follower": cartesian_follower.__name__})
    assert host.load("controllers", "cartesian_follower").component is CartesianFollower


def test_a_controller_that_was_not_started_says_so():
    state = CartesianState(stamp=0, pose=np.array([0, 0, 0, 0, 0, 0, 1.0]))
    with pytest.raises(HandloomError, match="call start first"):
        CartesianFollower().step(0, state)
    with pytest.raises(HandloomError, match="can't start at the lost pose"):
        CartesianFollower().start(attrs.evolve(state, pose=np.full(7, np.nan)))


def test_another_clock_is_refused_when_the_config_names_one():
    controller = CartesianFollower(CartesianFollowerConfig(clock="arm"))
    controller.start(CartesianState(stamp=START, pose=np.array([0.4, 0, 0.3, 1, 0, 0, 0])))
    fault = controller.accept(contract.line(0.1, 0.5), START)
    assert fault.kind == "invalid_chunk"
    assert "on clock 'robot'; expected clock 'arm'" in fault.message


def test_a_fault_is_told_once():
    controller = contract.started()
    controller.accept(contract.line(0.1, 0.2), START)
    faults = [fault.kind for _, fault in contract.steps(controller, 0, 0.5) if fault]
    assert faults == ["no_reference"]


def test_caps_reached_are_told_and_the_tool_arrives_late():
    controller = contract.started()
    controller.accept(contract.chunk([0.1, 0.2], [(0.5, 0.0), (0.5, 0.0)]), START)
    answers = contract.steps(controller, 0, 1.0)
    assert "stretched_chunk" in [fault.kind for _, fault in answers if fault]
    assert answers[-1][0].pose[0] == pytest.approx(0.9)


def test_a_lost_measurement_is_told_and_changes_nothing():
    controller = contract.started()
    controller.accept(contract.line(0.1, 0.5), START)
    lost = CartesianState(stamp=START, pose=np.full(7, np.nan))
    command, fault = controller.step(START + 200_000_000, lost)
    assert fault.kind == "lost_state"
    assert np.isfinite(command.pose).all()


def test_a_stalled_caller_gets_no_leap():
    controller = contract.started()
    controller.accept(contract.chunk([0.5, 1.0], [(0.4, 0.0), (0.8, 0.0)]), START)
    command, _ = controller.step(START + 2_000_000_000, CartesianState(stamp=START, pose=np.zeros(7)))
    assert command.pose[0] == pytest.approx(0.4)  # it was left there, and sets out anew
    kinds = [fault.kind for _, fault in contract.steps(controller, 2.005, 3.5) if fault]
    assert kinds[0] == "missed_slots"


def test_a_fast_tool_told_to_come_back_brakes_first_and_swings_out_little():
    controller = contract.started()
    controller.accept(contract.line(0.1, 1.0, speed=0.5), START)
    moving = contract.steps(controller, 0, 0.5)[-1][0]
    speed = float(np.linalg.norm(moving.twist[:3]))
    back = contract.chunk([5.0, 5.1], [(0.25, 0.5), (0.25, 0.5)], 0.4)
    assert controller.accept(back, START + 500_000_000) is None
    # Waypoints of the old chunk are pending until its end at 1 s, 0.5 m out; from there it is a slow way back.
    reach = max(command.pose[0] for command, _ in contract.steps(controller, 0.5, 5.0))
    assert reach <= 0.4 + 0.5 + speed**2 / (2 * 9.0) + 1e-3


def test_a_chunk_far_ahead_does_not_swing_the_tool_out():
    controller = contract.started()
    controller.accept(contract.line(0.1, 0.6, speed=0.5), START)
    moving = contract.steps(controller, 0, 0.595)[-1][0]
    speed = float(np.linalg.norm(moving.twist[:3]))
    here = float(moving.pose[0])
    later = contract.chunk([30.0], [(here - 0.4, 0.6)], 0.5)
    controller.accept(later, START + 599_000_000)
    reach = max(command.pose[0] for command, _ in contract.steps(controller, 0.6, 3.0))
    assert reach <= here + speed**2 / (2 * 9.0) + 5e-3


@st.composite
def wild_chunks(draw):
    count = draw(st.integers(0, 4))
    numbers = st.one_of(st.floats(-2, 2), st.floats(allow_nan=True, allow_infinity=True))
    poses = np.array(draw(st.lists(st.lists(numbers, min_size=7, max_size=7), min_size=count, max_size=count)))
    poses = poses.reshape(count, 7)
    if draw(st.booleans()):  # most noise is refused at once; make some of it followable
        with np.errstate(all="ignore"):
            poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
    nearby = st.integers(-300_000_000, 2_000_000_000).map(lambda ns: START + ns)
    stamps = draw(st.lists(st.one_of(nearby, st.integers(-(2**63), 2**63 - 1)), min_size=count, max_size=count))
    if draw(st.booleans()):
        stamps = sorted(stamps)
    return Chunk(
        stamps=np.array(stamps, dtype=np.int64), clock="robot", poses=poses,
        widths_m=np.array(draw(st.lists(numbers, min_size=count, max_size=count)), dtype=np.float64),
        frame="base", body="tcp", observed=START + draw(st.integers(0, 10)),
    )  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(
    chunks=st.lists(wild_chunks(), min_size=1, max_size=4),
    ticks=st.lists(st.integers(-1, 300_000_000), min_size=8, max_size=8),
    interpolation=st.sampled_from(["cubic", "linear"]),
)
def test_the_output_is_finite_and_within_the_caps_whatever_comes(chunks, ticks, interpolation):
    config = CartesianFollowerConfig(interpolation=interpolation)
    controller = CartesianFollower(config)
    before = np.array([0.4, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0])
    controller.start(CartesianState(stamp=START, pose=before))
    now = START
    for index, tick in enumerate(ticks):
        if index % 2 == 0:
            controller.accept(chunks[index // 2 % len(chunks)], now)
        now += tick
        command, _ = controller.step(now, CartesianState(stamp=now, pose=np.full(7, np.nan)))
        assert np.isfinite(command.pose).all()
        assert np.isfinite(command.twist).all()
        assert abs(np.linalg.norm(command.pose[3:]) - 1) < 1e-9
        assert distance(before, command.pose) <= max(tick, 0) * 1e-9 + 1e-8
        before = command.pose
