"""Nothing that is let through comes too near the table or the arm itself, between samples either."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from handloom_controllers.arms import fr3
from handloom_controllers.collision import Collisions
from handloom_controllers.gate import Gate, GateSettings
from handloom_controllers.gate.braking import move
from handloom_controllers.gate.clearance import Clearance
from handloom_controllers.gate.settings import bounds

ARM = fr3()
PERIOD = 10_000_000


@pytest.fixture(scope="module")
def collisions() -> Collisions:
    return Collisions(ARM, table_z_m=0.0, clearance_m=0.01)


def started(q: np.ndarray = ARM.home, **changes: object) -> Gate:
    gate = Gate(GateSettings(**changes), ARM)  # type: ignore[arg-type]
    gate.reset(q)
    return gate


def shaped_pairs(model: object) -> list[tuple[int, int]]:
    """Return the pairs that MuJoCo lets collide, told from its documentation and not from our code."""
    weld = model.body_weldid[model.geom_bodyid]  # type: ignore[attr-defined]
    above = model.body_weldid[model.body_parentid[weld]]  # type: ignore[attr-defined]
    body = model.geom_bodyid  # type: ignore[attr-defined]
    excluded = set(model.exclude_signature.tolist())  # type: ignore[attr-defined]

    def apart(a: int, b: int) -> bool:
        neighbours = weld[a] and weld[b] and (above[a] == weld[b] or above[b] == weld[a])
        named = (min(body[a], body[b]) << 16) + max(body[a], body[b]) in excluded
        return bool(weld[a] != weld[b]) and not neighbours and not named

    return [(a, b) for a in range(len(body)) for b in range(a + 1, len(body)) if apart(a, b)]


def test_distances_are_those_of_every_pair_of_shapes(collisions: Collisions) -> None:
    """Its quick way must not overlook a pair: margins set after compiling are not seen by the broad phase."""
    import mujoco

    rng, data = np.random.default_rng(0), mujoco.MjData(collisions.model)
    pairs = shaped_pairs(collisions.model)
    for _ in range(200):
        q = rng.uniform(ARM.limits.lower, ARM.limits.upper)
        data.qpos[:] = q
        mujoco.mj_kinematics(collisions.model, data)
        expected = min(mujoco.mj_geomDistance(collisions.model, data, a, b, 0.3, None) for a, b in pairs)
        near = collisions.nearest(q)
        assert (near.distance_m if near else 0.3) == pytest.approx(expected, abs=1e-6)


def test_no_pair_comes_nearer_for_each_radian_than_its_reach(collisions: Collisions) -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        q = rng.uniform(ARM.limits.lower, ARM.limits.upper)
        step = rng.normal(size=7) * 0.01
        before, after = (_by_pair(collisions, each) for each in (q, q + step))
        for code in before.keys() & after.keys():
            bound = np.abs(step) @ collisions.pair_reach_m[code]
            assert abs(before[code] - after[code]) <= bound + 1e-9


def test_a_target_below_the_table_is_refused_by_the_names_of_the_pair() -> None:
    target = ARM.home.copy()
    target[1] = 1.2
    gate = started()
    answers = [gate.step(target, tick * PERIOD) for tick in range(1, 20)]
    assert all([fault.kind for fault in answer.faults] == ["collision"] for answer in answers)
    assert "table" in answers[0].faults[0].message
    assert np.array_equal(answers[-1].q, ARM.home)


def test_without_a_table_the_same_target_is_taken() -> None:
    target = ARM.home.copy()
    target[1] = 1.2
    gate = started(table_z_m=None)
    assert gate.step(target, PERIOD).faults == ()


def test_a_target_behind_an_obstacle_is_not_reached_through_it(collisions: Collisions) -> None:
    """Both ends are clear, what lies between is not: a gate that looks at targets alone would let it through.

    Joints that arrive one after the other may happen to go round it; then the way has to be clear.
    """
    refused = 0
    for first, second in _across(collisions):
        gate = started(first)
        for tick in range(1, 150):
            answer = gate.step(second, tick * PERIOD)
            near = collisions.nearest(answer.q)
            assert near is None or near.distance_m >= 0.005
            if answer.faults and tick > 10:
                break
        refused += [fault.kind for fault in answer.faults] == ["collision"]
    assert refused


def test_a_stream_that_leads_into_the_table_stops_above_it(collisions: Collisions) -> None:
    """The arm goes as far as it may, and comes back when the stream does."""
    gate = started()
    heights = []
    for tick in range(1, 400):
        target = ARM.home.copy()
        target[1] += 1.4 * np.sin(np.pi * tick / 400)
        answer = gate.step(target, tick * PERIOD)
        near = collisions.nearest(answer.q)
        heights.append(near.distance_m if near else 0.3)
    assert 0.005 <= min(heights) < 0.06
    assert np.abs(answer.q - ARM.home).max() < 0.2


def test_what_was_too_near_at_the_start_may_part_but_not_meet(collisions: Collisions) -> None:
    low = _just_above_the_table(collisions, 0.004)
    distance = collisions.nearest(low)
    assert distance is not None
    assert distance.distance_m < 0.01
    gate = started(low)
    deeper, away = low.copy(), low.copy()
    deeper[1] += 0.05
    away[1] -= 0.3
    assert [fault.kind for fault in gate.step(deeper, PERIOD).faults] == ["collision"]
    answers = [gate.step(away, tick * PERIOD) for tick in range(2, 300)]
    assert np.abs(answers[-1].q - away).max() < 1e-9


def test_an_arm_that_was_stopped_in_passing_may_leave_but_not_linger(collisions: Collisions) -> None:
    """Between two samples of a path the arm may be nearer than at them, and a stalled caller can stop it there."""
    clearance = Clearance(collisions=collisions, clearance_m=0.01)
    limits = bounds(GateSettings(), ARM)
    low = _just_above_the_table(collisions, 0.006)
    lean = np.array([0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert clearance.on_the_way(move(low, low - lean, limits)) is None
    assert clearance.on_the_way(move(low, low + 0.1 * lean, limits)) is not None


def test_silence_does_not_brake_into_anything(collisions: Collisions) -> None:
    """Braking leaves the path that was checked; where that is not clear, the path is followed to its end."""
    rng = np.random.default_rng(3)
    for _ in range(6):
        gate = started(silence_s=0.03)
        target = ARM.home + rng.normal(size=7) * 0.8
        for tick in range(1, 80):
            answer = gate.step(target if tick < 25 else None, tick * PERIOD)
            near = collisions.nearest(answer.q)
            assert near is None or near.distance_m >= 0.005


def _by_pair(collisions: Collisions, q: np.ndarray) -> dict[int, float]:
    codes, distances = collisions.contacts(q)
    found: dict[int, float] = {}
    for code, distance in zip(codes.tolist(), distances.tolist(), strict=True):
        found[code] = min(distance, found.get(code, np.inf))
    return found


def _clear(collisions: Collisions, q: np.ndarray) -> bool:
    near = collisions.nearest(q)
    return near is None or near.distance_m > 0.02


def _across(collisions: Collisions) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield four pairs of clear postures with something in the way between them."""
    rng, found = np.random.default_rng(2), 0
    lower, upper = ARM.limits.lower + 0.1, ARM.limits.upper - 0.1
    while found < 4:
        first, second = rng.uniform(lower, upper, (2, 7))
        between = [first + share * (second - first) for share in np.linspace(0, 1, 30)]
        blocked = [not _clear(collisions, q) for q in between]
        if not blocked[0] and not blocked[-1] and sum(blocked) > 8:
            found += 1
            yield first, second


def _just_above_the_table(collisions: Collisions, height_m: float) -> np.ndarray:
    """Return a posture in which the arm leans forward until it is so near the table."""
    angles = np.linspace(0.2, 1.4, 4000)
    for before, after in pairwise(angles):
        q = ARM.home.copy()
        q[1] = after
        near = collisions.nearest(q)
        if near and near.pair[1] == "table" and near.distance_m < height_m:
            q[1] = before
            return q
    raise AssertionError("the arm never comes near the table")
