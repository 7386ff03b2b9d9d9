"""Ways, points and rates of both spaces belong together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from handloom_controllers.spaces import ORIENTATIONS, POSITIONS

seeds = st.integers(0, 2**32 - 1)
spaces = pytest.mark.parametrize("space", [POSITIONS, ORIENTATIONS])


def random_points(space, seed):
    random = np.random.default_rng(seed)
    return random.normal(size=(2, 3)) if space is POSITIONS else Rotation.random(2, rng=random).as_quat()


@spaces
@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_the_way_leads_from_one_point_to_the_other(space, seed):
    start, end = random_points(space, seed)
    reached = space.moved(start, space.way(start, end))
    assert np.allclose(reached, end) or np.allclose(reached, -end)


@spaces
@settings(max_examples=40, deadline=None)
@given(seed=seeds, angle=st.one_of(st.floats(0, np.pi), st.sampled_from([1e-12, 1e-4, 9.99e-4, 1.01e-3, np.pi])))
def test_rates_and_velocities_are_inverse_and_no_velocity_exceeds_its_rate(space, seed, angle):
    axis, rate = np.random.default_rng(seed).normal(size=(2, 3))
    way = angle * axis / np.linalg.norm(axis)
    velocity = space.velocity(way, rate)
    assert np.allclose(space.rate(way, velocity), rate, atol=1e-8)
    assert np.linalg.norm(velocity) <= np.linalg.norm(rate) * (1 + 1e-7)


@spaces
@settings(max_examples=30, deadline=None)
@given(seed=seeds)
def test_a_velocity_is_the_derivative_of_the_point(space, seed):
    start, _ = random_points(space, seed)
    way, rate = np.random.default_rng(seed + 1).normal(size=(2, 3))
    h = 1e-6
    before, after = space.moved(start, way - h * rate), space.moved(start, way + h * rate)
    assert np.allclose(space.way(before, after) / (2 * h), space.velocity(way, rate), atol=1e-6)
