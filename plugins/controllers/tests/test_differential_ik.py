"""The IK follows poses one step a frame, within the range, clear of everything, and never jumps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import HandloomError
from handloom.geometry import quaternion
from handloom_controllers.arms import fr3
from handloom_controllers.differential_ik import DifferentialIk, IkSettings
from handloom_controllers.gate import Gate, GateSettings

ARM = fr3()
FEW = settings(max_examples=12, deadline=None)
SPEED = np.minimum(ARM.limits.velocity, math.radians(300))


@pytest.fixture(scope="module")
def ik() -> DifferentialIk:
    return DifferentialIk(ARM)


def moved(pose: np.ndarray, shift: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Return a pose moved and turned in base axes, m and rotation vector."""
    turned = quaternion.multiply(quaternion.from_rotvec(turn), pose[3:])
    return np.concatenate([pose[:3] + shift, turned])


def vectors(seed: int) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.random.default_rng(seed).normal(size=(2, 3))
    return first / np.linalg.norm(first), second / np.linalg.norm(second)


@FEW
@given(st.integers(0, 10**6))
def test_a_move_of_80_mm_with_a_swing_of_15_degrees_ends_where_it_should(ik: DifferentialIk, seed: int) -> None:
    ik.reset(ARM.home)
    start, (move, axis) = ik.pose(), vectors(seed)
    for frame in range(1, 31):
        target = moved(start, 0.08 * move * frame / 30, axis * math.radians(15) * frame / 30)
        answer = ik.step(target, 1 / 30)
    assert answer.error_m < 0.014
    assert answer.error_rad < math.radians(5)


@FEW
@given(st.integers(0, 10**6))
def test_the_same_target_twice_gives_the_same_joints(ik: DifferentialIk, seed: int) -> None:
    ik.reset(ARM.home)
    start, (move, axis) = ik.pose(), vectors(seed)
    target = moved(start, 0.03 * move, 0.1 * axis)
    for _ in range(20):
        reached = ik.step(target, 0.02)
    again = ik.step(target, 0.02)
    assert np.abs(again.q - reached.q).max() < 1e-6


@FEW
@given(st.integers(0, 10**6), st.sampled_from([0.01, 1 / 30]))
def test_no_step_is_faster_than_a_joint(ik: DifferentialIk, seed: int, dt_s: float) -> None:
    ik.reset(ARM.home)
    start, (move, axis) = ik.pose(), vectors(seed)
    before = ARM.home
    for _ in range(15):
        answer = ik.step(moved(start, 0.5 * move, 2 * axis), dt_s)
        assert (np.abs(answer.q - before) <= SPEED * dt_s + 1e-9).all()
        assert (answer.q >= ik.lower).all()
        assert (answer.q <= ik.upper).all()
        before = answer.q


def test_a_target_out_of_reach_is_approached_and_then_nothing_moves(ik: DifferentialIk) -> None:
    """Stretched out, the arm is singular: it must neither shake nor give NaN."""
    ik.reset(ARM.home)
    target = ik.pose()
    target[:3] = [1.5, 0.0, 0.5]
    answers = [ik.step(target, 0.02) for _ in range(250)]
    assert np.isfinite([answer.q for answer in answers]).all()
    assert np.abs(answers[-1].q - answers[-2].q).max() < 1e-6
    assert answers[-1].error_m < 0.75


def test_an_arm_with_fingers_is_moved_by_its_own_joints() -> None:
    gripping = fr3(fingers=True)
    ik, gate = DifferentialIk(gripping), Gate(GateSettings(), gripping)
    ik.reset(gripping.home)
    gate.reset(gripping.home)
    target = moved(ik.pose(), np.array([0.0, 0.05, 0.0]), np.zeros(3))
    for tick in range(1, 80):
        answer = ik.step(target, 0.01)
        let_through = gate.step(answer.q, tick * 10_000_000)
    assert answer.q.shape == (7,)
    assert answer.error_m < 1e-3
    assert np.abs(let_through.q - answer.q).max() < 1e-3


def test_position_comes_first(ik: DifferentialIk) -> None:
    """Where both can't be had, at the edge of the reach, the tool is at its place and turned as it can."""
    ik.reset(ARM.home)
    target = moved(ik.pose(), np.array([0.38, 0.0, -0.1]), np.zeros(3))
    for _ in range(300):
        answer = ik.step(target, 0.02)
    assert answer.error_m < 0.02
    assert answer.error_rad > 10 * answer.error_m


def test_at_the_table_the_tool_slides_and_keeps_clear(ik: DifferentialIk) -> None:
    """A finger that lies along the table must not sink in at one end (mink has one row for a pair)."""
    ik.reset(ARM.home)
    target, clear = ik.pose(), []
    target[2] = -0.1
    for frame in range(250):
        target[1] = 0.2 * np.sin(0.03 * frame)
        answer = ik.step(target, 0.02)
        clear.append(answer.clear_m)
    assert min(clear) > 0.0139
    assert answer.near == ("hand_1", "table")
    assert np.abs(ik.pose()[:2] - target[:2]).max() < 0.01


def test_it_does_not_run_into_its_own_base(ik: DifferentialIk) -> None:
    ik.reset(ARM.home)
    target = ik.pose()
    target[:3] = [0.0, 0.0, 0.3]
    answers = [ik.step(target, 0.02) for _ in range(120)]
    assert min(answer.clear_m for answer in answers) > 0.0139
    assert np.abs(answers[-1].q - answers[-2].q).max() < 1e-4


def test_a_joint_at_the_end_of_its_range_is_named(ik: DifferentialIk) -> None:
    q = ARM.home.copy()
    q[3] = ik.lower[3]
    ik.reset(q)
    assert ik.step(ik.pose(), 0.01).at_limit == ("joint4",)


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (lambda pose: pose * np.nan, "7 finite numbers"),
        (lambda pose: np.where(np.arange(7) == 1, np.inf, pose), "7 finite numbers"),
        (lambda pose: np.concatenate([pose[:3], np.zeros(4)]), "expected norm 1"),
        (lambda pose: pose[:6], "7 finite numbers"),
        (lambda pose: pose * 1e200, "expected norm 1"),
    ],
)
def test_a_target_that_is_no_pose_moves_nothing(ik: DifferentialIk, spoil, found: str) -> None:
    ik.reset(ARM.home)
    answer = ik.step(spoil(ik.pose()), 0.01)
    assert np.array_equal(answer.q, ARM.home)
    assert found in answer.problem
    assert math.isnan(answer.error_m) or answer.error_m >= 0


@pytest.mark.parametrize("dt_s", [0.0, -1.0, float("nan"), float("inf")])
def test_a_step_that_takes_no_time_moves_nothing(ik: DifferentialIk, dt_s: float) -> None:
    ik.reset(ARM.home)
    answer = ik.step(moved(ik.pose(), np.array([0.1, 0, 0]), np.zeros(3)), dt_s)
    assert np.array_equal(answer.q, ARM.home)
    assert "expected more than 0" in answer.problem


def test_a_stalled_caller_gets_no_leap(ik: DifferentialIk) -> None:
    ik.reset(ARM.home)
    answer = ik.step(moved(ik.pose(), np.array([0.3, 0, 0]), np.zeros(3)), 60.0)
    assert (np.abs(answer.q - ARM.home) <= SPEED * 0.1 + 1e-9).all()


def test_it_has_to_be_told_where_the_arm_is() -> None:
    with pytest.raises(HandloomError, match="call reset"):
        DifferentialIk(ARM).step(np.zeros(7), 0.01)
    with pytest.raises(HandloomError, match="7 joints"):
        DifferentialIk(ARM).reset(np.zeros(6))


def test_without_mink_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mink", None)
    with pytest.raises(HandloomError, match=r"handloom-controllers\[ik\]"):
        DifferentialIk(ARM).reset(ARM.home)


@pytest.mark.parametrize(
    ("changes", "found"),
    [({"gain": 0.0}, "gain"), ({"damping": -1.0}, "damping"), ({"clearance_m": 0.2}, "has to see further")],
)
def test_settings_that_make_no_sense_are_refused(changes: dict, found: str) -> None:
    with pytest.raises(HandloomError, match=found):
        IkSettings(**changes)
