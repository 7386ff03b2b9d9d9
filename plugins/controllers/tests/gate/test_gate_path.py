"""A path is what its jerks make of its start, and what it does too much is found at any instant."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom_controllers.arms import fr3
from handloom_controllers.gate.braking import brake, brake_then_move, move
from handloom_controllers.gate.path import Motion, Path, at_rest
from handloom_controllers.gate.planner import Planner
from handloom_controllers.gate.settings import GateSettings, bounds

ARM = fr3()
BOUNDS = bounds(GateSettings(), ARM)
FEW = settings(max_examples=20, deadline=None)


def _motion(seed: int) -> Motion:
    """Return a motion that the gate may be in: one that can still be braked below the speed limit."""
    rng = np.random.default_rng(seed)
    ddq = rng.uniform(-1, 1, 7) * BOUNDS.acceleration
    coming = ddq * np.abs(ddq) / (2 * BOUNDS.jerk)
    speed = BOUNDS.speed - np.abs(coming)
    dq = np.clip(rng.uniform(-1, 1, 7) * BOUNDS.speed, -speed, speed)
    return Motion(ARM.home + rng.uniform(-0.1, 0.1, 7), dq, ddq)


def _sampled(path: Path, step_s: float = 1e-3) -> Motion:
    times = np.arange(0, path.duration_s + step_s, step_s)
    return Motion(*map(np.array, zip(*(path.at(time) for time in times), strict=True)))


@FEW
@given(st.integers(0, 10**6))
def test_braking_keeps_every_limit_and_ends_at_rest(seed: int) -> None:
    path = brake(_motion(seed), BOUNDS)
    free = BOUNDS._replace(lower=np.full(7, -np.inf), upper=np.full(7, np.inf), arm=_without_near_range())
    assert path.breach(free) == ""
    assert np.array_equal(path.at(path.duration_s).dq, np.zeros(7))


@FEW
@given(st.integers(0, 10**6))
def test_the_way_in_closed_form_ends_at_its_target(seed: int) -> None:
    target = np.random.default_rng(seed).uniform(BOUNDS.lower, BOUNDS.upper)
    path = brake_then_move(_motion(seed), target, BOUNDS)
    free = BOUNDS._replace(lower=np.full(7, -np.inf), upper=np.full(7, np.inf), arm=_without_near_range())
    assert np.abs(path.end - target).max() < 1e-9
    assert path.breach(free) == ""


@FEW
@given(st.integers(0, 10**6), st.floats(-6, 0.5))
def test_the_closed_form_from_rest_to_rest_is_as_quick_as_ruckig(seed: int, exponent: float) -> None:
    target = ARM.home + 10**exponent * np.random.default_rng(seed).normal(size=7)
    ours = move(ARM.home, target, BOUNDS)
    theirs = Planner(7).path(at_rest(ARM.home), target, BOUNDS)
    assert ours.duration_s == pytest.approx(theirs.duration_s, rel=1e-6, abs=1e-6)


@FEW
@given(st.integers(0, 10**6))
def test_a_path_is_continuous_and_its_derivatives_are_those_of_its_positions(seed: int) -> None:
    motion = _sampled(brake_then_move(_motion(seed), ARM.home, BOUNDS))
    assert np.abs(np.gradient(motion.q, 1e-3, axis=0)[1:-1] - motion.dq[1:-1]).max() < 1e-3
    assert np.abs(np.gradient(motion.dq, 1e-3, axis=0)[1:-1] - motion.ddq[1:-1]).max() < 0.2


@FEW
@given(st.integers(0, 10**6))
def test_the_furthest_and_the_fastest_are_those_of_dense_samples(seed: int) -> None:
    path = brake_then_move(_motion(seed), ARM.home, BOUNDS)
    motion = _sampled(path)
    lowest, highest = path._furthest()
    assert np.abs(lowest - motion.q.min(axis=0)).max() < 1e-5
    assert np.abs(highest - motion.q.max(axis=0)).max() < 1e-5
    assert np.abs(path._fastest() - np.abs(motion.dq).max(axis=0)).max() < 1e-2


@FEW
@given(st.integers(0, 10**6))
def test_points_along_a_path_are_those_at_their_times(seed: int) -> None:
    path = brake_then_move(_motion(seed), ARM.home, BOUNDS)
    points = path.points()
    for time, q in zip(np.linspace(0, path.duration_s, len(points.q)), points.q, strict=True):
        assert np.abs(path.at(time).q - q).max() < 1e-9


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"jerk": BOUNDS.jerk / 2}, "has too much jerk"),
        ({"acceleration": BOUNDS.acceleration / 2}, "accelerates too much"),
        ({"speed": BOUNDS.speed / 2}, "is too fast"),
        ({"upper": ARM.home + 0.5}, "leaves the range"),
        ({"lower": ARM.home + 0.01}, "leaves the range"),
    ],
)
def test_what_a_path_does_too_much_is_named(changed: dict, found: str) -> None:
    free = BOUNDS._replace(lower=np.full(7, -np.inf), upper=np.full(7, np.inf), arm=_without_near_range())
    path = move(ARM.home, ARM.home + 2.0, free)
    assert path.breach(free) == ""
    assert path.breach(free._replace(**changed)) == found


def test_jerks_that_do_not_end_at_rest_are_found() -> None:
    path = Path(at_rest(ARM.home), np.full((1, 7), 0.01), np.full((1, 7), 10.0))
    assert path.breach(BOUNDS) == "does not come to rest"


def test_durations_that_are_not_numbers_are_found() -> None:
    path = Path(at_rest(ARM.home), np.full((1, 7), np.nan), np.full((1, 7), 10.0))
    assert path.breach(BOUNDS) == "is not finite"


def test_near_the_end_of_the_range_an_arm_has_to_creep() -> None:
    target = ARM.home.copy()
    target[1] = BOUNDS.upper[1]
    free = BOUNDS._replace(upper=np.full(7, np.inf))
    assert move(ARM.home, target, free).breach(BOUNDS) == "is too fast near the end of the range"
    assert move(ARM.home, target, BOUNDS.towards(ARM.home, target)).breach(BOUNDS) == ""


def _without_near_range():
    import attrs

    return attrs.evolve(ARM, near_range=None)
