"""The line fit agrees with scipy's."""

import numpy as np
import pytest
from scipy.stats import linregress

from handloom.time.line import fit_line, fit_offset


def test_line_agrees_with_scipy():
    rng = np.random.default_rng(3)
    x = rng.normal(size=30)
    x -= x.mean()
    y = 2.0 + 0.5 * x + rng.normal(size=30)
    line, oracle = fit_line(x, y), linregress(x, y)
    assert (line.offset, line.slope) == pytest.approx((oracle.intercept, oracle.slope))
    assert (line.offset_error, line.slope_error) == pytest.approx((oracle.intercept_stderr, oracle.stderr))


def test_offset_error_is_the_standard_error_of_the_mean():
    y = np.array([1.0, 2.0, 3.0, 6.0])
    line = fit_offset(y)
    assert line.offset == 3.0
    assert line.offset_error == pytest.approx(y.std(ddof=1) / 2.0)
