"""A straight line through points by least squares, with what its residuals say about offset and slope."""

from __future__ import annotations

import math

import attrs

from handloom.time.stamps import FloatArray


@attrs.frozen(kw_only=True)
class Line:
    """y = offset + slope * x, with one standard error of each; they are uncorrelated where mean(x) is 0.

    Source: simple linear regression, e.g. Draper and Smith, Applied Regression Analysis, chapter 1.
    """

    offset: float
    slope: float
    offset_error: float
    slope_error: float


def fit_line(x: FloatArray, y: FloatArray) -> Line:
    """Fit offset and slope to (N,) points, N >= 3, whose x are not all alike and have mean 0."""
    moment = float(x @ x)
    slope = float(x @ y) / moment
    offset = float((y - slope * x).mean())
    residuals = y - offset - slope * x
    variance = float(residuals @ residuals) / (len(x) - 2)
    return Line(
        offset=offset,
        slope=slope,
        offset_error=math.sqrt(variance / len(x)),
        slope_error=math.sqrt(variance / moment),
    )


def fit_offset(y: FloatArray) -> Line:
    """Fit a line without slope to (N,) values, N >= 2."""
    offset = float(y.mean())
    residuals = y - offset
    variance = float(residuals @ residuals) / (len(y) - 1)
    return Line(offset=offset, slope=0.0, offset_error=math.sqrt(variance / len(y)), slope_error=0.0)
