"""Seconds become nanoseconds without losing a digit that was written."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.api.seconds import nanoseconds


@pytest.mark.parametrize(
    ("seconds", "ns"),
    [
        (0, 0),
        (-2, -2_000_000_000),
        (0.1, 100_000_000),
        (1.0000000001, 1_000_000_000),
        (1_700_000_000.25, 1_700_000_000_250_000_000),
        (1_700_000_000.1234567, 1_700_000_000_123_456_700),  # the float itself is 16.5 ns more
        (1_700_000_001, 1_700_000_001_000_000_000),
        ("1700000000.123456789", 1_700_000_000_123_456_789),
        (Decimal("-1700000000.123456789"), -1_700_000_000_123_456_789),
        (1e-9, 1),
        ("1e-999999", 0),
    ],
)
def test_seconds_are_taken_as_written(seconds, ns):
    assert nanoseconds(seconds) == ns


@settings(max_examples=100, deadline=None)
@given(ns=st.integers(-(2**63) + 10**9, 2**63 - 10**9))
def test_every_nanosecond_can_be_written_in_digits(ns):
    digits = f"{'-' if ns < 0 else ''}{abs(ns) // 10**9}.{abs(ns) % 10**9:09d}"
    assert nanoseconds(digits) == ns


@settings(max_examples=100, deadline=None)
@given(seconds=st.integers(-9_000_000_000, 9_000_000_000))
def test_whole_seconds_are_exact_as_floats(seconds):
    assert nanoseconds(float(seconds)) == seconds * 10**9


@pytest.mark.parametrize(
    "wrong",
    [
        True,
        None,
        "soon",
        "",
        float("nan"),
        float("inf"),
        "Infinity",
        10**10,
        pytest.param(10**5000, id="long"),
        [1],
        1e300,
    ],
)
def test_what_is_no_number_of_seconds_is_none(wrong):
    assert nanoseconds(wrong) is None
