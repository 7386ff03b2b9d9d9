"""The time law rises from rest to rest, no faster than it says."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom_models.minimum_jerk_path import PEAK_SPEED, Leg, minimum_jerk


@settings(max_examples=50, deadline=None)
@given(time=st.floats(-2, 3))
def test_the_time_law_rises_from_rest_to_rest(time):
    h = 1e-4
    before, here, after = minimum_jerk(np.array([time - h, time, time + h]))
    assert 0 <= before <= here <= after <= 1
    assert (after - before) / (2 * h) <= PEAK_SPEED + 1e-6
    assert minimum_jerk(np.array([1e-3]))[0] < 1.1e-8  # 10 t^3: velocity and acceleration begin at 0


def test_a_leg_holds_its_ends():
    start, goal = np.array([0, 0, 0, 0, 0, 0, 1.0]), np.array([1, 0, 0, 1.0, 0, 0, 0])
    leg = Leg(start=start, goal=goal, start_ns=100, end_ns=200, number=0)
    poses = leg.poses(np.array([-50, 100, 150, 200, 10**18], np.int64))
    assert np.allclose(poses[[0, 1]], start)
    assert np.allclose(poses[[3, 4]], goal)
    assert np.allclose(poses[2], [0.5, 0, 0, np.sqrt(0.5), 0, 0, np.sqrt(0.5)])


def test_a_leg_of_no_length_stands():
    here = np.array([0.1, 0, 0, 0, 0, 0, 1.0])
    leg = Leg(start=here, goal=here, start_ns=5, end_ns=5, number=0)
    assert np.allclose(leg.poses(np.array([0, 5, 9], np.int64)), here)
