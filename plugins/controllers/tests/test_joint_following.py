"""Chunks become joint positions: the tool ends where it should, and the gate is never broken."""

from __future__ import annotations

import math

import attrs
import numpy as np
import pytest

from benchmarks.gate_judge import allowed, judge
from handloom.api import Chunk
from handloom.errors import HandloomError
from handloom.geometry import pose, quaternion
from handloom_controllers.arms import fr3
from handloom_controllers.cartesian_follower import CartesianFollower
from handloom_controllers.differential_ik import DifferentialIk
from handloom_controllers.gate import Gate, GateSettings
from handloom_controllers.joint_following import JointAnswer, JointFollowing

ARM = fr3()
PERIOD, START = 10_000_000, 10_000_000_000


def started() -> tuple[JointFollowing, DifferentialIk]:
    ik = DifferentialIk(ARM)
    following = JointFollowing(CartesianFollower(), ik, Gate(GateSettings(), ARM))
    following.start(ARM.home, START, width_m=0.05)
    return following, ik


def chunk(start: np.ndarray, shift: np.ndarray, turn: np.ndarray, *, begin_s: float, end_s: float) -> Chunk:
    """Return waypoints every 0.1 s from a pose to one that is moved, m, and turned, rotation vector."""
    shares = np.linspace(0, 1, round((end_s - begin_s) * 10) + 1)
    poses = [
        np.concatenate(
            [
                start[:3] + share * shift,
                quaternion.multiply(quaternion.from_rotvec(share * turn), start[3:]),
            ]
        )
        for share in shares
    ]
    return Chunk(
        stamps=START + np.rint(np.linspace(begin_s, end_s, len(shares)) * 1e9).astype(np.int64),
        clock="robot",
        poses=np.array(poses),
        widths_m=np.full(len(shares), 0.02),
        frame="base",
        body="tcp",
        observed=START + round(begin_s * 1e9) - 1,
    )


def run(following: JointFollowing, begin: int, end: int) -> list[JointAnswer]:
    return [following.step(START + tick * PERIOD) for tick in range(begin, end)]


def broken(answers: list[JointAnswer]) -> int:
    q = np.array([answer.command.q for answer in answers])
    return judge(allowed(ARM), ARM.home, q).total


def test_a_chunk_of_80_mm_with_a_swing_of_15_degrees_ends_where_it_should() -> None:
    """On an arm that is where it was told to be: its tool by the arm's own kinematics, not by the IK's."""
    following, ik = started()
    start = ik.pose()
    shift, turn = np.array([0.05, 0.05, -0.0387]), np.array([0.0, 0.0, math.radians(15)])
    assert following.accept(chunk(start, shift, turn, begin_s=0.1, end_s=1.1), START) is None
    answers = run(following, 1, 170)
    q = answers[-1].command.q
    assert q is not None
    reached = pose.compose(pose.from_matrix(ARM.chain.forward(q)), ARM.T_flange_tcp)
    assert np.linalg.norm(reached[:3] - start[:3] - shift) < 0.014
    expected = quaternion.multiply(quaternion.from_rotvec(turn), start[3:])
    assert quaternion.angle_between(reached[3:], expected) < math.radians(5)
    assert answers[-1].command.width_m == pytest.approx(0.02)
    assert broken(answers) == 0


def test_chunks_that_contradict_one_another_break_no_limit() -> None:
    following, ik = started()
    start, answers = ik.pose(), []
    rng = np.random.default_rng(0)
    for number in range(6):
        begin_s = 0.1 * number
        shift, turn = rng.normal(size=(2, 3)) * [[0.3], [1.0]]
        following.accept(
            chunk(start, shift, turn, begin_s=begin_s, end_s=begin_s + 0.3), START + number * 10 * PERIOD
        )
        answers += run(following, 1 + number * 10, 11 + number * 10)
    assert broken(answers) == 0


def test_the_faults_of_every_part_are_told() -> None:
    following, ik = started()
    start = ik.pose()
    down = chunk(start, np.array([0.0, 0.0, -0.6]), np.zeros(3), begin_s=0.1, end_s=0.6)
    following.accept(attrs.evolve(down, widths_m=np.full(6, 0.2)), START)
    kinds = {fault.kind for answer in run(following, 1, 90) for fault in answer.faults}
    assert {"no_reference", "clip_reached"} <= kinds


def test_parts_of_different_arms_are_not_put_together() -> None:
    other = attrs.evolve(ARM, joints=tuple(f"other{number}" for number in range(7)))
    with pytest.raises(HandloomError, match="of one arm"):
        JointFollowing(CartesianFollower(), DifferentialIk(ARM), Gate(GateSettings(), other))
