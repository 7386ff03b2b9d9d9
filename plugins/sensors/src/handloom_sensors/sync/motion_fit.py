"""Lay a gyroscope's integrated turning over a tracker's orientations: time offset, mounting and bias in one fit.

Orientations are compared, not rates: a tracker's noise is not differentiated, so the offset comes out some ten
times better than from the correlation of speeds.
"""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import quaternion
from handloom_sensors.sync.turning import FloatArray, Rates, integrated, orientation_at

_LONGEST_S = 30.0
"""More than this, around the middle, adds time and little else: the clocks themselves run apart meanwhile."""

_PIECE_S = 5.0
"""Each piece of the pose stream keeps a start orientation of its own: what drifts more slowly does no harm."""


@attrs.frozen(kw_only=True)
class MotionFit:
    """What the fit says.

    Attributes:
        offset_s: What to add to the tracker's time to get the gyroscope's, both since their own start.
        sigma_s: One standard deviation of it.
        middle_s: The tracker's time where it holds: the middle of the compared rows.
        residual_deg: RMS angle that is left.
        rows: How many poses were compared.
        bias: (3,) rad/s.
    """

    offset_s: float
    sigma_s: float
    middle_s: float
    residual_deg: float
    rows: int
    bias: FloatArray


def fit_motion(
    gyroscope: Rates, seconds: FloatArray, orientations: FloatArray, *, offset_s: float, reach_s: float
) -> MotionFit:
    """Fit by least squares, beginning from an offset known to `reach_s`.

    Args:
        gyroscope: Its rates.
        seconds: (N,) times of tracked poses, since the tracker's start.
        orientations: (N, 4) theirs.
        offset_s: First guess.
        reach_s: How far it may be wrong.
    """
    from scipy.optimize import least_squares

    inside = (seconds + offset_s - reach_s > gyroscope.seconds[0]) & (
        seconds + offset_s + reach_s < gyroscope.seconds[-1]
    )
    middle = 0.5 * (seconds[inside][0] + seconds[inside][-1])
    inside &= abs(seconds - middle) <= 0.5 * _LONGEST_S
    times, poses = seconds[inside], orientations[inside]
    gyroscope = _around(gyroscope, times + offset_s, reach_s)
    pieces = ((times - times[0]) / _PIECE_S).astype(np.int64)
    rates = np.where(gyroscope.known[:, None], gyroscope.rates, 0.0)

    def residuals(unknown: FloatArray) -> FloatArray:
        turned = integrated(gyroscope.seconds, rates - unknown[4:])
        told = orientation_at(gyroscope.seconds, turned, times + offset_s + unknown[0])
        mounted = quaternion.multiply(told, quaternion.from_rotvec(unknown[1:4]))
        return _apart(quaternion.multiply(poses, quaternion.conjugate(mounted)), pieces).ravel()

    start = np.concatenate([[0.0], _mount(gyroscope, times, poses, offset_s), np.zeros(3)])
    done = least_squares(residuals, start, x_scale=np.array([1e-2, *[0.1] * 3, *[1e-2] * 3]), max_nfev=30)
    left = done.fun.reshape(-1, 3)
    return MotionFit(
        offset_s=offset_s + float(done.x[0]),
        sigma_s=_sigma(done.jac, left),
        middle_s=float(times.mean()),
        residual_deg=float(np.degrees(np.sqrt((left**2).sum(axis=1).mean()))),
        rows=len(times),
        bias=done.x[4:],
    )


def _around(gyroscope: Rates, times: FloatArray, reach_s: float) -> Rates:
    """Return the rates that such times can need."""
    start, end = np.searchsorted(gyroscope.seconds, [times[0] - reach_s, times[-1] + reach_s])
    kept = slice(max(0, start - 1), end + 1)
    return attrs.evolve(
        gyroscope, seconds=gyroscope.seconds[kept], rates=gyroscope.rates[kept], known=gyroscope.known[kept]
    )


def _mount(gyroscope: Rates, times: FloatArray, poses: FloatArray, offset_s: float) -> FloatArray:
    """Return the rotation vector from body to gyroscope that best turns one's rates into the other's.

    Both are smoothed over a quarter of a second. Source: Kabsch's algorithm, by scipy.
    """
    from scipy.spatial.transform import Rotation

    stride = max(1, round(0.25 / float(np.median(np.diff(times)))))
    before, after = poses[:-stride], poses[stride:]
    near = times[stride:] - times[:-stride] < 0.5
    turned = quaternion.to_rotvec(quaternion.multiply(quaternion.conjugate(before), after))[near]
    whole = integrated(gyroscope.seconds, np.where(gyroscope.known[:, None], gyroscope.rates, 0.0))
    told = orientation_at(gyroscope.seconds, whole, times + offset_s)
    gyro = quaternion.to_rotvec(quaternion.multiply(quaternion.conjugate(told[:-stride]), told[stride:]))[near]
    return np.asarray(Rotation.align_vectors(gyro, turned)[0].as_rotvec())


def _apart(started: FloatArray, pieces: npt.NDArray[np.int64]) -> FloatArray:
    """Return (N, 3) how far each row's start orientation is from the mean one of its piece, rad."""
    found = np.empty((len(started), 3))
    for piece in range(int(pieces[-1]) + 1):
        rows = np.flatnonzero(pieces == piece)
        if not len(rows):
            continue
        alike = started[rows] * np.where(started[rows] @ started[rows[0]] < 0, -1.0, 1.0)[:, None]
        mean = quaternion.normalize(alike.mean(axis=0))
        found[rows] = quaternion.to_rotvec(quaternion.multiply(quaternion.conjugate(mean), alike))
    return found


def _sigma(jacobian: FloatArray, left: FloatArray) -> float:
    """Return the standard error of the first unknown, residuals being as alike from row to row as they are found.

    Source: effective sample size of a first-order autoregressive process, N (1 - r) / (1 + r).
    """
    covariance = np.linalg.pinv(jacobian.T @ jacobian)
    variance = float((left**2).sum()) / max(1, left.size - jacobian.shape[1])
    together = float((left[1:] * left[:-1]).sum() / max((left**2).sum(), 1e-300))
    inflated = (1 + max(0.0, together)) / max(1e-3, 1 - max(0.0, together))
    return float(np.sqrt(variance * inflated * covariance[0, 0]))
