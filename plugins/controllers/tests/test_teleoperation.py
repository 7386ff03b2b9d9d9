"""The tool makes the motion that the hand makes, each in its own axes, whatever the tracker's world is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handloom.errors import HandloomError
from handloom.geometry import pose, quaternion
from handloom_controllers.teleoperation import Clutch, relative_motion

LOST_NS = 200_000_000
NAN = np.full(7, np.nan)


def made(twist: list[float]) -> np.ndarray:
    """Return the pose of a translation, m, and a rotation vector, rad."""
    return np.concatenate([twist[:3], quaternion.from_rotvec(np.array(twist[3:]))])


numbers = st.floats(-1.5, 1.5)
poses = st.lists(numbers, min_size=6, max_size=6).map(made)


def apart(T_a: np.ndarray, T_b: np.ndarray) -> float:
    return float(np.abs(T_a[:3] - T_b[:3]).max() + quaternion.angle_between(T_a[3:], T_b[3:]))


@given(poses, poses)
def test_a_hand_that_returns_brings_the_tool_back(tool: np.ndarray, hand: np.ndarray) -> None:
    assert apart(relative_motion(tool, hand, hand), tool) < 1e-6


@given(poses, poses, poses, poses)
def test_where_the_trackers_world_lies_makes_no_difference(
    tool: np.ndarray, hand0: np.ndarray, hand: np.ndarray, T_other_world: np.ndarray
) -> None:
    moved = pose.compose(T_other_world, hand0), pose.compose(T_other_world, hand)
    assert apart(relative_motion(tool, *moved), relative_motion(tool, hand0, hand)) < 1e-6


@given(poses, poses, poses, poses)
def test_a_tool_that_begins_elsewhere_makes_the_same_motion_there(
    tool: np.ndarray, hand0: np.ndarray, hand: np.ndarray, T_other_base: np.ndarray
) -> None:
    found = relative_motion(pose.compose(T_other_base, tool), hand0, hand)
    assert apart(found, pose.compose(T_other_base, relative_motion(tool, hand0, hand))) < 1e-6


@given(poses, poses, poses, poses)
def test_engaging_anew_on_the_way_changes_nothing(
    tool: np.ndarray, hand0: np.ndarray, hand1: np.ndarray, hand2: np.ndarray
) -> None:
    halfway = relative_motion(tool, hand0, hand1)
    assert apart(relative_motion(halfway, hand1, hand2), relative_motion(tool, hand0, hand2)) < 1e-6


@pytest.mark.parametrize("yaw", [0.0, math.pi / 2, 2.5])
def test_translation_and_turn_of_the_hand_are_in_the_same_frame(yaw: float) -> None:
    """NVIDIA/IsaacTeleop PR#769: the delta's translation was in one frame and its rotation in another.

    A hand that swings about a point 0.2 m ahead of it, by its own axes: the point stays where it is. The tool has
    to swing about the same point, whichever way hand and tool are turned in their worlds.
    """
    ahead = np.array([0.2, 0.0, 0.0])
    tool, hand0 = made([0.4, 0.1, 0.3, math.pi, 0.0, 0.0]), made([1.0, 2.0, 0.5, 0.0, 0.0, yaw])
    pivot = pose.transform_points(tool, ahead)
    for angle in (0.1, 0.5, 1.5):
        swing = quaternion.from_rotvec(np.array([0.0, 0.0, angle]))
        about = np.concatenate([ahead - quaternion.rotate(swing, ahead), swing])
        target = relative_motion(tool, hand0, pose.compose(hand0, about))
        assert np.abs(pose.transform_points(target, ahead) - pivot).max() < 1e-9
        assert quaternion.angle_between(target[3:], tool[3:]) == pytest.approx(angle)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sign", [1, -1])
def test_along_and_about_each_axis_of_the_hand_the_tool_moves_likewise(axis: int, sign: int) -> None:
    tool, hand0 = made([0.4, 0.1, 0.3, 2.0, 0.3, 0.1]), made([1.0, 2.0, 0.5, 0.2, -0.4, 1.9])
    twist = np.zeros(6)
    twist[axis], twist[3 + axis] = sign * 0.05, sign * 0.3
    target = relative_motion(tool, hand0, pose.compose(hand0, made(twist.tolist())))
    found = pose.compose(pose.inverse(tool), target)
    assert np.abs(found[:3] - twist[:3]).max() < 1e-12
    assert np.abs(quaternion.to_rotvec(found[3:]) - twist[3:]).max() < 1e-9


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("bad", [NAN, np.zeros(7), np.full(7, np.inf), np.ones(7), np.zeros(3)])
def test_what_is_no_pose_is_refused(place: int, bad: np.ndarray) -> None:
    given_poses = [made([0.1] * 6)] * 3
    given_poses[place] = bad
    with pytest.raises(HandloomError, match="expected 7 finite numbers"):
        relative_motion(*given_poses)


def test_engaging_leaves_the_tool_where_it_is() -> None:
    clutch, tool = Clutch(lost_after_ns=LOST_NS), made([0.4, 0, 0.3, 3, 0, 0])
    target = clutch.target(0, made([5, 6, 7, 1, 1, 0]), tool)
    assert target is not None
    assert apart(target, tool) < 1e-9


def test_a_short_gap_is_bridged_and_a_long_one_engages_anew() -> None:
    tool, here, there = made([0.4, 0, 0.3, 3, 0, 0]), made([0.0] * 6), made([0.1, 0, 0, 0, 0, 0])
    for gap_ns, leap_m in ((LOST_NS, 0.1), (LOST_NS + 1, 0.0)):
        clutch = Clutch(lost_after_ns=LOST_NS)
        clutch.target(0, here, tool)
        assert clutch.target(gap_ns // 2, NAN, tool) is None
        target = clutch.target(gap_ns, there, tool)
        assert target is not None
        assert np.linalg.norm(target[:3] - tool[:3]) == pytest.approx(leap_m)


def test_a_clock_that_goes_back_engages_anew() -> None:
    clutch, tool = Clutch(lost_after_ns=LOST_NS), made([0.4, 0, 0.3, 3, 0, 0])
    clutch.target(10**9, made([0.0] * 6), tool)
    target = clutch.target(0, made([1.0] * 6), tool)
    assert target is not None
    assert apart(target, tool) < 1e-9


def test_a_tool_that_did_not_follow_is_not_pulled_further_each_time() -> None:
    """NVIDIA/IsaacTeleop#733: each engaging began at the target before, which ratcheted out of the workspace."""
    tool, clutch = made([0.4, 0, 0.02, 3, 0, 0]), Clutch(lost_after_ns=LOST_NS)
    for pull in range(5):
        clutch.target(2 * pull * 10**9, made([0.0] * 6), tool)
        target = clutch.target(2 * pull * 10**9 + 1, made([0, 0, -0.1, 0, 0, 0]), tool)
        assert target is not None
        assert np.linalg.norm(target[:3] - tool[:3]) == pytest.approx(0.1)
