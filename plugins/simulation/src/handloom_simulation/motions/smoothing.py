"""A path smooth to the second derivative out of poses that a tracker wrote."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.errors import PluginError, StreamError
from handloom.geometry import interpolate_poses, quaternion
from handloom_simulation.take import Int64Array

FloatArray = npt.NDArray[np.float64]

_GRID_HZ = 100.0
"""Rate at which a path is low-passed, above that of most trackers."""

_CUTOFF_HZ = 6.0
"""A tracker's noise lies above this, a hand's moves below."""

_BRIDGED_NS = 500_000_000
"""A longer gap is refused: what the hand did there is not known."""


def smooth_path(stamps: Int64Array, poses: FloatArray, tracked: npt.NDArray[np.bool_]) -> FloatArray:
    """Return the poses at 1 kHz from the first tracked one to the last, (N, 7), low-passed and C2.

    Args:
        stamps: (K,) int64 ns, never decreasing.
        poses: (K, 7) T_a_b, NaN where lost.
        tracked: (K,) bool.

    Raises:
        StreamError: There are too few poses, or a gap is too long.
        PluginError: scipy is not installed.
    """
    try:
        from scipy.interpolate import make_interp_spline
        from scipy.signal import butter, sosfiltfilt
    except ImportError as error:
        raise PluginError(
            f"Replaying a trajectory needs scipy, which can't be imported ({error}). "
            f"Install it with: pip install handloom-simulation"
        ) from error
    known = np.flatnonzero(tracked)
    span_s = float(stamps[known[-1]] - stamps[known[0]]) * 1e-9 if len(known) else 0.0
    if span_s < 1.0:
        raise StreamError(
            f"A trajectory to replay must last a second or more; this one is tracked for {span_s:.3f} s."
        )
    grid_s = np.arange(int(span_s * _GRID_HZ) + 1) / _GRID_HZ
    at = stamps[known[0]] + np.rint(grid_s * 1e9).astype(np.int64)
    coarse, bridged = interpolate_poses(
        stamps[known], poses[known], np.ones(len(known), dtype=bool), at, max_gap_ns=_BRIDGED_NS
    )
    if not bridged.all():
        gap = float(np.diff(stamps[known]).max()) * 1e-9
        raise StreamError(
            f"The trajectory to replay has a gap of {gap:.3f} s; at most {_BRIDGED_NS * 1e-9} s is bridged."
        )
    coarse[:, 3:] = _same_hemisphere(coarse[:, 3:])
    low_pass = butter(4, _CUTOFF_HZ, fs=_GRID_HZ, output="sos")
    smooth = sosfiltfilt(low_pass, coarse, axis=0)
    fine_s = np.arange(int(grid_s[-1] * 1e3) + 1) * 1e-3
    path: FloatArray = make_interp_spline(grid_s, smooth, k=5)(fine_s)
    path[:, 3:] = quaternion.normalize(path[:, 3:])
    return path


def _same_hemisphere(quaternions: FloatArray) -> FloatArray:
    """Return quaternions with signs such that neighbours are near one another."""
    flips = np.sign((quaternions[1:] * quaternions[:-1]).sum(axis=1))
    signs = np.concatenate([[1.0], np.cumprod(np.where(flips < 0.0, -1.0, 1.0))])
    whole: FloatArray = quaternions * signs[:, None]
    return whole
