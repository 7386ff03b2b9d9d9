"""What others have reported of gates and IK, as tests that it does not happen here."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.gate_judge import allowed, judge
from handloom.geometry import quaternion
from handloom_controllers.arms import fr3
from handloom_controllers.differential_ik import DifferentialIk
from handloom_controllers.gate import Gate, GateAnswer, GateSettings

ARM = fr3()
PERIOD = 10_000_000


def started(q: np.ndarray = ARM.home) -> Gate:
    gate = Gate(GateSettings(), ARM)
    gate.reset(q)
    return gate


def broken(answers: list[GateAnswer], start: np.ndarray = ARM.home) -> int:
    return judge(allowed(ARM), start, np.array([answer.q for answer in answers])).total


def test_a_constant_speed_from_rest_becomes_a_ramp() -> None:
    """frankarobotics/libfranka#199: a constant velocity from the first cycle on is an acceleration step."""
    gate = started()
    answers = [gate.step(ARM.home + 0.003 * tick, tick * PERIOD) for tick in range(1, 60)]
    assert broken(answers) == 0
    assert np.abs(answers[0].q - ARM.home).max() < 1e-4, "the first tick already moves at full speed"
    assert np.abs(answers[-1].dq - 0.3).max() < 0.02, "it never gets as fast as the stream"


def test_a_step_of_the_command_is_limited_in_speed_acceleration_and_jerk() -> None:
    """frankarobotics/franka_ros2#168: position commands are neither rate-limited nor filtered."""
    gate = started()
    answers = [gate.step(ARM.home + (0.2 if tick // 10 % 2 else -0.2), tick * PERIOD) for tick in range(1, 100)]
    assert broken(answers) == 0
    assert max(np.abs(answer.ddq).max() for answer in answers) > 0.5 * allowed(ARM).acceleration.max()


def test_engaging_the_clutch_with_the_hand_still_moves_nothing() -> None:
    """NVIDIA/IsaacTeleop#790, huggingface/lerobot PR#4046: a measured joint outside the model's range.

    The arm sags past the end of a joint's range; IK from the measured joints is projected, and the target jumps.
    """
    ik, gate = DifferentialIk(ARM), started()
    held = ARM.home.copy()
    held[3] = ik.lower[3] + 1e-4
    ik.reset(held)
    gate.reset(held)
    measured = held.copy()
    measured[3] = ARM.limits.lower[3] - 0.02
    begins = ik.reset(measured)
    assert np.array_equal(begins, held), "it follows the sag"
    answers = [gate.step(ik.step(ik.pose(), 0.01).q, tick * PERIOD) for tick in range(1, 100)]
    assert max(np.abs(answer.q - held).max() for answer in answers) < 1e-3


def test_an_arm_that_begins_outside_its_range_is_brought_in_gently() -> None:
    """The same reports: the first command is where the arm is, not where it should be."""
    outside = ARM.home.copy()
    outside[3] = ARM.limits.lower[3] - 0.03
    ik, gate = DifferentialIk(ARM), started(outside)
    ik.reset(outside)
    answers = [gate.step(ik.step(ik.pose(), 0.01).q, tick * PERIOD) for tick in range(1, 150)]
    assert np.abs(answers[0].q - outside).max() < 1e-4
    assert broken(answers, outside) == 0
    assert answers[-1].q[3] >= ik.lower[3] - 1e-9


def test_engaging_again_and_again_does_not_ratchet_out_of_the_workspace() -> None:
    """NVIDIA/IsaacTeleop#733: each clutch begins at the target before, and that may lie out of reach.

    Here it begins at the tool's own pose: ten times the same pull downwards ends above the table each time, and
    one pull upwards lifts the tool at once.
    """
    ik = DifferentialIk(ARM)
    ik.reset(ARM.home)
    for _ in range(10):
        start = ik.pose()
        for frame in range(1, 11):
            target = start.copy()
            target[2] -= 0.02 * frame
            answer = ik.step(target, 1 / 30)
    assert answer.clear_m > 0.0139
    low = ik.pose()
    target = low.copy()
    target[2] += 0.05
    for _ in range(10):
        ik.step(target, 1 / 30)
    assert ik.pose()[2] - low[2] == pytest.approx(0.05, abs=1e-3)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_turn_keeps_its_sign_and_its_size(axis: int, sign: int) -> None:
    """mani-skill/ManiSkill#1469: a rotation scaled by a negative bound turns the wrong way."""
    ik = DifferentialIk(ARM)
    ik.reset(ARM.home)
    start, turn, shift = ik.pose(), np.zeros(3), np.zeros(3)
    turn[axis], shift[axis] = sign * 0.1, sign * 0.02
    turned = quaternion.multiply(quaternion.from_rotvec(turn), start[3:])
    for _ in range(20):
        ik.step(np.concatenate([start[:3] + shift, turned]), 1 / 30)
    found = quaternion.to_rotvec(quaternion.multiply(ik.pose()[3:], quaternion.conjugate(start[3:])))
    assert np.abs(found - turn).max() < math.radians(0.5)
    assert np.abs(ik.pose()[:3] - start[:3] - shift).max() < 1e-3


def test_way_points_can_not_be_set() -> None:
    """pantor/ruckig#112: way-points send the motion to a cloud service; see gate/test_gate_sockets.py too."""
    gate = started()
    gate.step(ARM.home + 0.1, PERIOD)
    assert gate._admission is not None
    assert list(gate._admission._planner._input.intermediate_positions) == []
