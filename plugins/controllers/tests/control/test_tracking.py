"""Error and lateness of a way that follows another are told apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom_controllers.control.tracking import tracking


@settings(max_examples=20, deadline=None)
@given(st.floats(0.0, 0.2))
def test_a_delay_is_found_as_it_is(made_up_fixture, lag_s):
    records = made_up_fixture(600, lag_s=lag_s)
    found = tracking(records["stamp_ns"], records["reference"], records["T_base_tcp"])
    assert found.lag_ms == pytest.approx(1e3 * lag_s, abs=1.0)


@pytest.fixture(scope="module")
def made_up_fixture():
    from made_up import made_up

    return made_up


def test_errors_are_those_of_the_same_instant(made_up):
    records = made_up(200, lag_s=0.0)
    records["T_base_tcp"][:, 2] += 3e-3
    records["T_base_tcp"][7, 2] += 4e-3
    found = tracking(records["stamp_ns"], records["reference"], records["T_base_tcp"])
    assert found.max_mm == pytest.approx(7.0)
    assert found.rms_mm == pytest.approx(np.sqrt((9 * 199 + 49) / 200))
    assert found.rms_deg == pytest.approx(0.0, abs=1e-6)
    assert found.lag_ms == pytest.approx(0.0, abs=1.0)


def test_what_was_not_measured_is_left_out_and_nothing_is_made_up(made_up):
    records = made_up(100, lag_s=0.0)
    records["T_base_tcp"][::2] = np.nan
    assert tracking(records["stamp_ns"], records["reference"], records["T_base_tcp"]).max_mm < 1e-9
    records["T_base_tcp"] = np.nan
    assert np.isnan(tracking(records["stamp_ns"], records["reference"], records["T_base_tcp"]).rms_mm)


def test_a_tool_at_rest_has_no_lag(made_up):
    records = made_up(100)
    records["reference"] = records["T_base_tcp"] = records["reference"][0]
    found = tracking(records["stamp_ns"], records["reference"], records["T_base_tcp"])
    assert np.isnan(found.lag_ms)
    assert found.rms_mm == 0.0
