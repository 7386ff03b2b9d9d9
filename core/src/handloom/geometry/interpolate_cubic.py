"""Poses between samples along a smooth curve: position and velocity are continuous through every sample."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.errors import StreamError
from handloom.geometry import quaternion
from handloom.geometry.arrays import BoolArray, FloatArray, Int64Array, cross
from handloom.geometry.interpolate import as_stamps, both, check_poses, check_stamps, neighbours


def interpolate_poses_cubic(
    stamps: npt.ArrayLike,
    poses: npt.ArrayLike,
    tracked: npt.ArrayLike,
    at: npt.ArrayLike,
    *,
    max_gap_ns: int,
    breaks: npt.ArrayLike = (),
) -> tuple[FloatArray, BoolArray]:
    """Return poses at other stamps on a smooth curve: between two samples a cubic, in translation and in rotation.

    A stamp has a pose just where `interpolate_poses` has one, and a sample's own stamp gets exactly that sample.
    The velocity at a sample is that of the parabola through it and its neighbours. A neighbour that is lost,
    across a gap or a break, or of the same stamp has no part in it: at such an end the parabola goes through the
    two samples on the other side, and where there is only one the way is straight, as it is across a break.

    Args:
        stamps: (N,) int64 ns, never decreasing.
        poses: (N, 7) T_a_b, metres and quaternion x y z w; NaN where lost.
        tracked: (N,) bool.
        at: (M,) int64 ns on the same clock, in any order.
        max_gap_ns: Largest distance between two samples that is bridged.
        breaks: (K,) indices of samples, 1 to N - 1, to which the pose jumps from the sample before.

    Returns:
        (M, 7) poses, NaN where lost, and (M,) tracked.

    Raises:
        StreamError: Lengths differ, stamps decrease or are not integers, a tracked pose is not finite, or a break
            is no index of a sample that has one before it.
    """
    known, flags = np.asarray(poses, dtype=np.float64), np.asarray(tracked, dtype=bool)
    times, wanted = check_stamps(stamps), as_stamps(at)
    check_poses(times, known, flags)
    smooth = _joined(times, flags, max_gap_ns) & ~_broken(breaks, len(times))
    near = neighbours(times, wanted, max_gap_ns)
    good = both(near, flags)
    result = np.full((len(wanted), 7), np.nan)
    result[good] = known[near.before[good]]
    moving = good & (near.before != near.after)
    if moving.any():
        result[moving] = _between(times, known, smooth, near.before[moving], near.share[moving])
    return result, good


def _joined(stamps: Int64Array, tracked: BoolArray, max_gap_ns: int) -> BoolArray:
    """Say of each pair of neighbours, (N - 1,), whether the curve goes from one to the other."""
    gap = np.diff(stamps)
    return np.asarray(tracked[:-1] & tracked[1:] & (gap > 0) & (gap <= max_gap_ns))


def _broken(breaks: npt.ArrayLike, count: int) -> BoolArray:
    rows = np.asarray(breaks, dtype=np.int64)
    wrong = rows[(rows < 1) | (rows >= count)]
    if wrong.size:
        raise StreamError(f"A break must be the index of a sample, 1 to {count - 1}; found {int(wrong[0])}.")
    broken = np.zeros(max(count - 1, 0), dtype=bool)
    broken[rows - 1] = True
    return broken


def _between(
    stamps: Int64Array, poses: FloatArray, smooth: BoolArray, segment: Int64Array, share: FloatArray
) -> FloatArray:
    """Return the poses, (M, 7), at shares of segments from a sample to the next, both of them tracked.

    The turn is a cubic too, of the rotation vector v from the segment's first orientation, so that another world
    turns the curve with it. The angular velocity w, seen from the body, and the rate of v have w = J_r(v) v'.
    """
    start, seconds = poses[segment], (stamps[segment + 1] - stamps[segment]) * 1e-9
    moved = _motions(poses)
    velocities = _velocities(np.diff(stamps) * 1e-9, moved, smooth)
    whole, curved = moved[segment], smooth[segment, None]
    first = np.where(curved, velocities[segment] * seconds[:, None], whole)
    last = np.where(curved, velocities[segment + 1] * seconds[:, None], whole)
    last[:, 3:] = _rotvec_rates(whole[:, 3:], last[:, 3:])
    curve = _hermite(whole, first, last, share[:, None])
    turned = quaternion.multiply(start[:, 3:], quaternion.from_rotvec(curve[:, 3:]))
    return np.concatenate([start[:, :3] + curve[:, :3], quaternion.normalize(turned)], axis=1)


def _motions(poses: FloatArray) -> FloatArray:
    """Return from each pose to the next, (N - 1, 6), the way in a and the turn in b, a rotation vector."""
    turn = quaternion.multiply(quaternion.conjugate(poses[:-1, 3:]), poses[1:, 3:])
    return np.concatenate([np.diff(poses[:, :3], axis=0), quaternion.to_rotvec(turn)], axis=1)


def _velocities(seconds: FloatArray, moved: FloatArray, smooth: BoolArray) -> FloatArray:
    """Return the velocities at the samples, (N, 6) m/s in a and rad/s in b, 0 where nothing joins them to another.

    Source: Fornberg, "Generation of finite difference formulas on arbitrarily spaced grids", Mathematics of
    Computation 51 (1988): first derivative from three points, in their middle and at their ends.
    """
    # Two segments that nothing joins on each side, so that every sample has two before it and two after.
    joined = np.pad(smooth, 2)
    step = np.where(joined, np.pad(seconds, 2), 1.0)[:, None]
    mean = np.where(joined[:, None], np.pad(moved, ((2, 2), (0, 0))) / step, 0.0)
    earlier, before, after, later = (slice(k, len(joined) - 3 + k) for k in range(4))

    def at_end(near: slice, far: slice) -> FloatArray:
        curved = mean[near] + step[near] * (mean[near] - mean[far]) / (step[near] + step[far])
        return np.where(joined[far, None], curved, mean[near])

    middle = (step[after] * mean[before] + step[before] * mean[after]) / (step[before] + step[after])
    behind, ahead = joined[before, None], joined[after, None]
    return np.where(behind & ahead, middle, np.where(ahead, at_end(after, later), at_end(before, earlier)))


def _rotvec_rates(rotvecs: FloatArray, rates: FloatArray) -> FloatArray:
    """Return J_r(v)^-1 w, (M, 3): how rotation vectors change when the body turns at w, seen from the body.

    Source: Sola, Deray, Atchuthan, arXiv:1812.01537, equation 144.
    """
    half = 0.5 * np.linalg.norm(rotvecs, axis=1, keepdims=True)
    small = half < 1e-4
    safe = np.where(small, 1.0, half)
    factor = np.where(small, 1.0 / 12.0, (1.0 - safe / np.tan(safe)) / (4.0 * safe**2))
    across = cross(rotvecs, rates)
    return np.asarray(rates + 0.5 * across + factor * cross(rotvecs, across))


def _hermite(whole: FloatArray, first: FloatArray, last: FloatArray, share: FloatArray) -> FloatArray:
    """Return the cubic from 0 to `whole`, whose slopes by share are `first` at 0 and `last` at 1; all (M, 6)."""
    bend_first, bend_last = first - whole, last - whole
    return whole * share + share * (1.0 - share) * ((1.0 - share) * bend_first - share * bend_last)
