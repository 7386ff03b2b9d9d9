"""How well one way follows another: the error, and how late it is, which are told apart."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import quaternion
from handloom.streams import top_between

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

_LONGEST_LAG_S = 0.5
_LAG_STEPS = 201


@attrs.frozen(kw_only=True)
class Tracking:
    """How well the tool followed.

    Attributes:
        rms_mm: Root mean square of the distance at the same instant.
        max_mm: The largest.
        rms_deg: Root mean square of the angle.
        lag_ms: By how much the followed way must be delayed to fit best; NaN where nothing moved.
    """

    rms_mm: float
    max_mm: float
    rms_deg: float
    lag_ms: float


def tracking(stamps: Int64Array, wanted: Float64Array, found: Float64Array) -> Tracking:
    """Compare two ways at the same stamps; rows with a lost pose are left out.

    Args:
        stamps: (N,) int64 ns.
        wanted: (N, 7) poses that were to be followed.
        found: (N, 7) poses that were measured.
    """
    known = np.isfinite(wanted).all(axis=1) & np.isfinite(found).all(axis=1)
    stamps, wanted, found = stamps[known], wanted[known], found[known]
    if len(stamps) < 2:
        return Tracking(rms_mm=np.nan, max_mm=np.nan, rms_deg=np.nan, lag_ms=np.nan)
    apart_mm = 1e3 * np.linalg.norm(wanted[:, :3] - found[:, :3], axis=1)
    angles = quaternion.angle_between(wanted[:, 3:], found[:, 3:])
    return Tracking(
        rms_mm=_rms(apart_mm),
        max_mm=float(apart_mm.max()),
        rms_deg=float(np.rad2deg(_rms(angles))),
        lag_ms=1e3 * lag_s((stamps - stamps[0]) * 1e-9, wanted[:, :3], found[:, :3]),
    )


def lag_s(seconds: Float64Array, wanted: Float64Array, found: Float64Array) -> float:
    """Return the delay, s, of `wanted` that fits `found` best; NaN where nothing moved or the time is too short.

    Args:
        seconds: (N,) increasing.
        wanted: (N, 3) m.
        found: (N, 3) m.
    """
    longest = min(_LONGEST_LAG_S, 0.25 * float(seconds[-1]))
    if np.ptp(wanted, axis=0).max() < 1e-4 or longest <= 0:
        return float("nan")
    inside = seconds >= longest
    lags = np.linspace(0.0, longest, _LAG_STEPS)
    errors = np.array([_misfit(seconds[inside], lag, seconds, wanted, found[inside]) for lag in lags])
    best = int(np.argmin(errors))
    return float(lags[best] + _vertex(errors, best) * (lags[1] - lags[0]))


def _misfit(
    at: Float64Array, lag: float, seconds: Float64Array, wanted: Float64Array, found: Float64Array
) -> float:
    late = np.column_stack([np.interp(at - lag, seconds, axis) for axis in wanted.T])
    return float(np.sum((late - found) ** 2))


def _vertex(errors: Float64Array, best: int) -> float:
    """Return where the parabola through the best and its neighbours is lowest, in steps from the best."""
    return 0.0 if best in (0, len(errors) - 1) else top_between(*-errors[best - 1 : best + 2])


def _rms(values: Float64Array) -> float:
    return float(np.sqrt(np.mean(values**2)))
