"""Knots stand for one stamp a sample, to the nanosecond, whatever epoch they count from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import StreamError
from handloom.streams import check_knots, indices_at, rate_hz, stamps_at

EPOCH = 1_700_000_000_123_456_789
laws = settings(max_examples=50, deadline=None)


@st.composite
def knots(draw):
    count = draw(st.integers(2, 6))
    steps = draw(st.lists(st.tuples(st.integers(1, 5000), st.integers(1, 10**10)), min_size=count, max_size=count))
    return np.cumsum([(0, EPOCH), *steps], axis=0).astype(np.int64)


@laws
@given(knots=knots())
def test_a_knot_keeps_its_own_stamp(knots):
    assert stamps_at(knots, knots[:, 0]).tolist() == knots[:, 1].tolist()


@laws
@given(knots=knots())
def test_stamps_never_go_back(knots):
    every = stamps_at(knots, np.arange(min(int(knots[-1, 0]), 4000) + 1))
    assert every.dtype == np.int64
    assert (np.diff(every) >= 0).all()


@laws
@given(knots=knots(), share=st.floats(0, 1))
def test_indices_are_the_inverse_of_stamps(knots, share):
    index = share * knots[-1, 0]
    period_ns = ((knots[1:, 1] - knots[:-1, 1]) / (knots[1:, 0] - knots[:-1, 0])).min()
    found = indices_at(knots, stamps_at(knots, [index]))
    assert found[0] == pytest.approx(index, abs=1e-6 + 1 / period_ns)


def test_the_ends_go_on_with_their_own_slopes():
    bent = np.array([[0, EPOCH], [10, EPOCH + 100], [20, EPOCH + 400]])
    assert (stamps_at(bent, [-1, 5, 15, 21]) - EPOCH).tolist() == [-10, 50, 250, 430]


def test_the_rate_is_the_mean_from_end_to_end():
    assert rate_hz(np.array([[0, 0], [100, 10**9], [400, 2 * 10**9]])) == 200.0


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ([[0, 0]], "K >= 2"),
        ([[0, 0, 0], [1, 1, 1]], "K >= 2"),
        ([[0.0, 0.0], [1.0, 1.0]], "must be integers"),
        ([[0, 0], [5, 9], [5, 10]], "Knot 2"),
        ([[0, 0], [5, 0]], "Knot 1"),
    ],
)
def test_what_is_no_row_of_knots_is_refused(wrong, said):
    with pytest.raises(StreamError, match=said):
        check_knots(np.array(wrong))
