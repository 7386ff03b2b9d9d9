"""The time between two clocks from how fast one body turns, which both trackers see alike wherever they stand."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import interpolate_poses, quaternion
from handloom.streams import masked_correlation, top_between
from handloom_pose_sources.alignment.tracks import Take, Track

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

_GRID_NS = 20_000_000
"""50 Hz: a hand's turning has no more than some 10 Hz, and over 40 ms the noise of a marker body fades."""

_APART = 12
"""Two peaks nearer than this many grid steps, a quarter of a second, are one."""

_MOST = 4
"""How many peaks are worth a closer look."""


@attrs.frozen(kw_only=True)
class Candidate:
    """A time offset at which the turning agrees.

    Attributes:
        offset_ns: Reference stamp minus other stamp.
        correlation: Of both angular speeds over the overlap, -1 to 1.
    """

    offset_ns: int
    correlation: float


def offset_candidates(
    take: Take, *, min_overlap_s: float, max_gap_ns: int, near_ns: int | None = None, search_ns: int = 0
) -> list[Candidate]:
    """Return the offsets at which both angular speeds agree best, the best first; good to some 10 ms.

    Args:
        take: Both tracks, on two clocks.
        min_overlap_s: Shorter overlaps, gaps not counted, are not considered.
        max_gap_ns: Nothing is interpolated between rows further apart.
        near_ns: Where to search; None searches everywhere.
        search_ns: How far around.

    Returns:
        At most four; none where a body does not turn, or no overlap is long enough.
    """
    reference, other = (angular_speed(track, max_gap_ns) for track in (take.reference, take.other))
    told, overlap = masked_correlation(reference, other)
    correlation = np.nan_to_num(told, nan=-1.0)  # a lag that nothing can be told of is no candidate
    lags = np.arange(len(correlation)) - (len(other) - 1)
    start_ns = int(take.reference.stamps[0] - take.other.stamps[0])
    allowed = overlap >= min_overlap_s * 1e9 / _GRID_NS
    if near_ns is not None:
        allowed &= np.abs(lags * _GRID_NS + (start_ns - near_ns)) <= search_ns
    return [
        Candidate(
            offset_ns=start_ns + round((float(lags[peak]) + _between(correlation, peak)) * _GRID_NS),
            correlation=float(correlation[peak]),
        )
        for peak in _peaks(np.where(allowed, correlation, -np.inf))
    ]


def angular_speed(track: Track, max_gap_ns: int) -> Float64Array:
    """Return the angular speed in rad/s on a grid of 20 ms from the first stamp, NaN where unknown."""
    if len(track.stamps) == 0:
        return np.full(1, np.nan)
    grid = np.arange(int(track.stamps[0]), int(track.stamps[-1]) + 1, _GRID_NS, dtype=np.int64)
    poses, _ = interpolate_poses(track.stamps, track.poses, track.tracked, grid, max_gap_ns=max_gap_ns)
    speed = np.full(len(grid), np.nan)
    speed[1:-1] = quaternion.angle_between(poses[:-2, 3:], poses[2:, 3:]) / (2e-9 * _GRID_NS)
    return speed


def _peaks(correlation: Float64Array) -> list[int]:
    """Return the largest entries that are apart from each other, the largest first."""
    left, found = correlation.copy(), []
    for _ in range(_MOST):
        peak = int(np.argmax(left))
        if not left[peak] > 0.0:
            break
        found.append(peak)
        left[max(0, peak - _APART) : peak + _APART + 1] = -np.inf
    return found


def _between(correlation: Float64Array, peak: int) -> float:
    """Return how far the top of the parabola through a peak and its neighbours lies from the peak, in steps."""
    if not 0 < peak < len(correlation) - 1:
        return 0.0
    return top_between(*correlation[peak - 1 : peak + 2])
