"""Decimal text becomes nanoseconds exactly."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.streams.decimal_time import POWER_OF_UNIT, stamps_from_text

_NUMBERS = st.decimals(min_value=-9_000_000_000, max_value=9_000_000_000, places=12, allow_nan=False)


def test_epoch_seconds_keep_their_last_nanosecond():
    stamps, valid = stamps_from_text(["1403715529.912143517", "1.403715529912143517e+09"], "s")
    assert valid.all()
    assert stamps.tolist() == [1403715529912143517] * 2


@settings(max_examples=60, deadline=None)
@given(numbers=st.lists(_NUMBERS, min_size=1, max_size=8), unit=st.sampled_from(sorted(POWER_OF_UNIT)))
def test_reading_agrees_with_decimal_arithmetic(numbers, unit):
    texts = [f"{number:f}" for number in numbers] + [f"{number:e}" for number in numbers]
    stamps, valid = stamps_from_text(texts, unit)
    scale = Decimal(10) ** POWER_OF_UNIT[unit]
    expected = [int((number * scale).quantize(Decimal(1), rounding=ROUND_HALF_UP)) for number in numbers]
    assert valid.all()
    assert stamps.tolist() == expected * 2


@pytest.mark.parametrize(
    "text", ["", "abc", "1.0e", "1.2.3", "--1", "1_000", "٣", "²", "nan", "inf", "e5", "1e99999"]
)
def test_what_is_no_decimal_number_is_marked_invalid(text):
    stamps, valid = stamps_from_text(["1", text], "s")
    assert valid.tolist() == [True, False]
    assert stamps.tolist() == [1_000_000_000, 0]


def test_a_number_that_does_not_fit_is_marked_invalid():
    largest = np.iinfo(np.int64).max
    stamps, valid = stamps_from_text([str(largest + 1), str(largest - 1), "1" + "0" * 30], "ns")
    assert valid.tolist() == [False, True, False]
    assert stamps[1] == largest - 1


def test_no_text_gives_no_stamps():
    stamps, valid = stamps_from_text([], "s")
    assert stamps.shape == valid.shape == (0,)
