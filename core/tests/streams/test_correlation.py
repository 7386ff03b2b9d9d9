import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.streams import masked_correlation, top_between


def series(seed: int, count: int, lost: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(count).cumsum()
    values[rng.choice(count, lost, replace=False)] = np.nan
    return values


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(3, 40), st.integers(3, 40))
def test_every_lag_has_pearsons_correlation_of_the_shared_samples(seed, n, m):
    first, second = series(seed, n, n // 6), series(seed + 1, m, m // 4)
    correlation, counts = masked_correlation(first, second)
    assert len(correlation) == len(counts) == n + m - 1
    for entry, lag in enumerate(range(1 - m, n)):
        rows = np.arange(max(0, -lag), min(m, n - lag))
        a, b = first[rows + lag], second[rows]
        both = np.isfinite(a) & np.isfinite(b)
        assert counts[entry] == both.sum()
        if both.sum() > 2:
            assert correlation[entry] == pytest.approx(np.corrcoef(a[both], b[both])[0, 1], abs=1e-6)
        else:
            assert np.isnan(correlation[entry])


def test_a_series_that_stands_still_correlates_with_nothing():
    correlation, counts = masked_correlation(np.full(20, 3.7), series(3, 20, 0))
    assert np.isnan(correlation).all()
    assert counts.max() == 20


def test_a_series_that_is_lost_whole_shares_no_sample():
    correlation, counts = masked_correlation(np.full(9, np.nan), series(4, 12, 0))
    assert np.isnan(correlation).all()
    assert not counts.any()


@pytest.mark.parametrize("top", [-0.5, -0.2, 0.0, 0.37, 0.5])
def test_the_top_of_a_parabola_is_found_between_its_samples(top):
    assert top_between(*(5.0 - 2.0 * (x - top) ** 2 for x in (-1.0, 0.0, 1.0))) == pytest.approx(top)


def test_what_does_not_bend_down_has_its_top_at_the_middle_sample():
    assert top_between(1.0, 1.0, 1.0) == 0.0
    assert top_between(2.0, 1.0, 2.5) == 0.0
