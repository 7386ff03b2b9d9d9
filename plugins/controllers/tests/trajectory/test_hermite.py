"""A cubic has the ends it was given, tells its greatest speed, and whether it swings out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom_controllers.hermite import Cubic

seeds = st.integers(0, 2**32 - 1)
GRID = np.linspace(0, 1, 501)


def random_cubic(seed, scale=1.0):
    way, *slopes = np.random.default_rng(seed).normal(size=(3, 3)) * [[1], [scale], [scale]]
    return Cubic.between(way, *slopes), way, slopes


@settings(max_examples=40, deadline=None)
@given(seed=seeds)
def test_both_ends_have_the_given_way_and_slopes(seed):
    cubic, way, (slope_0, slope_1) = random_cubic(seed)
    assert np.allclose(cubic.value(0), 0)
    assert np.allclose(cubic.value(1), way)
    assert np.allclose(cubic.rate(0), slope_0)
    assert np.allclose(cubic.rate(1), slope_1)


@settings(max_examples=150, deadline=None)
@given(seed=seeds, scale=st.sampled_from([0.0, 1e-3, 1.0, 3.0, 100.0]))
def test_its_peak_is_its_greatest_speed(seed, scale):
    cubic, _, _ = random_cubic(seed, scale)
    sampled = max(np.linalg.norm(cubic.rate(u)) for u in GRID)
    # Between two samples a speed can't rise by more than a step of its slope.
    assert sampled * (1 - 1e-12) <= cubic.peak() <= sampled * (1 + 1e-3)


@pytest.mark.parametrize("way", [np.zeros(3), np.array([1.0, 2.0, -1.0])])
def test_a_straight_cubic_has_the_speed_of_its_chord(way):
    assert Cubic.between(way, way, way).peak() == pytest.approx(np.linalg.norm(way))


def ahead(cubic, way):
    """Return (501, 3): by how much what is ahead of each place leaves the box of that place and the end."""
    values = np.array([cubic.value(u) for u in GRID])
    highest, lowest = (pick.accumulate(values[::-1])[::-1] for pick in (np.maximum, np.minimum))
    return np.maximum(highest - np.maximum(values, way), np.minimum(values, way) - lowest)


@settings(max_examples=150, deadline=None)
@given(seed=seeds, scale=st.sampled_from([0.1, 1.0, 10.0]), braking=st.sampled_from([0.0, 1.0, 1e3]))
def test_what_does_not_swing_out_stays_in_its_box_or_brakes_at_least_as_hard(seed, scale, braking):
    cubic, way, _ = random_cubic(seed, scale)
    if cubic.swings_out(1.0, braking=braking, margin=1e-3):
        return
    speeds = np.array([cubic.rate(u) for u in GRID])
    assert (ahead(cubic, way) <= 1e-3 + speeds**2 / (2 * max(braking, 1e-9))).all()


@settings(max_examples=150, deadline=None)
@given(seed=seeds, scale=st.sampled_from([0.1, 1.0, 10.0]))
def test_what_leaves_its_box_swings_out_when_no_braking_is_so_weak(seed, scale):
    cubic, way, _ = random_cubic(seed, scale)
    beyond = ahead(cubic, way).max()
    assert cubic.swings_out(1.0, braking=1e9, margin=1e-2) == (beyond > 1e-2) or abs(beyond - 1e-2) < 1e-4


def test_a_bend_back_inside_the_box_of_its_ends_is_a_swing_too():
    way = np.array([0.07, 0.0, 0.0])
    bent = Cubic.between(way, 5 * way, 3.1 * way)
    values = np.array([bent.value(u)[0] for u in GRID])
    assert values.min() >= 0
    assert values.max() <= 0.07
    assert (np.diff(values) < 0).any()
    assert bent.swings_out(1.0, braking=9.0, margin=1e-3)
