"""Widths over time: bridged inside and never at the ends, moved along their slope."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom_sensors.width.series import at_stamps, bridged

STEP_NS = 16_683_333
NAN = float("nan")


def _stamps(count):
    return 5_000_000_000_000 + np.arange(count, dtype=np.int64) * STEP_NS


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(st.just(NAN), st.floats(0.0, 0.1)), min_size=1, max_size=20), st.floats(0.0, 0.3))
def test_bridging_changes_no_measured_value_and_no_end(values, max_gap_s):
    given_values = np.array(values)
    filled, which = bridged(given_values, _stamps(len(values)), max_gap_s)
    good = np.isfinite(given_values)
    assert np.array_equal(filled[good], given_values[good])
    assert np.array_equal(np.isfinite(filled), good | which)
    if good.any():
        assert not which[: np.argmax(good)].any()
        assert not which[len(good) - np.argmax(good[::-1]) :].any()
    else:
        assert not which.any()


def test_a_gap_is_bridged_up_to_its_limit_and_not_beyond():
    values = np.array([0.01, NAN, NAN, 0.04])
    filled, which = bridged(values, _stamps(4), 3.001 * STEP_NS * 1e-9)
    assert np.allclose(filled, [0.01, 0.02, 0.03, 0.04])
    assert which.tolist() == [False, True, True, False]
    assert np.isnan(bridged(values, _stamps(4), 2.999 * STEP_NS * 1e-9)[0][1:3]).all()


def test_a_value_measured_late_is_moved_back_along_its_slope():
    stamps, late_s = _stamps(5), np.full(5, 0.004)
    speed = 0.2
    values = 0.05 + speed * ((stamps - stamps[0]) * 1e-9 + late_s)
    assert np.allclose(at_stamps(values, stamps, late_s), 0.05 + speed * (stamps - stamps[0]) * 1e-9)


def test_a_value_without_neighbours_stays():
    values = np.array([NAN, 0.03, NAN])
    assert at_stamps(values, _stamps(3), np.full(3, 0.004))[1] == 0.03
