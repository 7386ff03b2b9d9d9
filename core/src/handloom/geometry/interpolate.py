"""Values and poses between samples: never across a gap, never past a lost row, never beyond the ends."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import StreamError
from handloom.geometry import quaternion
from handloom.geometry.arrays import BoolArray, FloatArray, Int64Array


@attrs.frozen(kw_only=True, eq=False)
class Neighbours:
    """For each wanted stamp, the samples on both sides of it.

    Attributes:
        before: (M,) index of the last sample at or before the stamp.
        after: (M,) index of the next one; the same as `before` where the stamp is a sample's own.
        share: (M,) how far the stamp is from one to the other, 0 to 1.
        bridged: (M,) whether both exist and are no further apart than the largest gap.
    """

    before: Int64Array
    after: Int64Array
    share: FloatArray
    bridged: BoolArray


def interpolate_poses(
    stamps: npt.ArrayLike, poses: npt.ArrayLike, tracked: npt.ArrayLike, at: npt.ArrayLike, *, max_gap_ns: int
) -> tuple[FloatArray, BoolArray]:
    """Return poses at other stamps: straight in translation, slerp the shorter way in rotation.

    A stamp that is a sample's own gets exactly that sample (the last of several). Between two samples both must be
    tracked and no further apart than `max_gap_ns`. Everything else is lost.

    Args:
        stamps: (N,) int64 ns, never decreasing.
        poses: (N, 7) T_a_b, metres and quaternion x y z w; NaN where lost.
        tracked: (N,) bool.
        at: (M,) int64 ns on the same clock, in any order.
        max_gap_ns: Largest distance between two samples that is bridged.

    Returns:
        (M, 7) poses, NaN where lost, and (M,) tracked.

    Raises:
        StreamError: Lengths differ, stamps decrease or are not integers, or a tracked pose is not finite.
    """
    known, flags = np.asarray(poses, dtype=np.float64), np.asarray(tracked, dtype=bool)
    times, wanted = check_stamps(stamps), as_stamps(at)
    check_poses(times, known, flags)
    near = neighbours(times, wanted, max_gap_ns)
    good = both(near, flags)
    start, end, share = known[near.before[good]], known[near.after[good]], near.share[good]
    position = start[:, :3] + share[:, None] * (end[:, :3] - start[:, :3])
    between = np.concatenate([position, quaternion.slerp(start[:, 3:], end[:, 3:], share)], axis=1)
    result = np.full((len(wanted), 7), np.nan)
    result[good] = np.where((near.before == near.after)[good, None], start, between)
    return result, good


def interpolate_linear(
    stamps: npt.ArrayLike, values: npt.ArrayLike, at: npt.ArrayLike, *, max_gap_ns: int
) -> tuple[FloatArray, BoolArray]:
    """Return values at other stamps, straight between two samples that are near enough.

    Args:
        stamps: (N,) int64 ns, never decreasing.
        values: (N,) or (N, k); a row with a NaN is lost as a whole.
        at: (M,) int64 ns on the same clock, in any order.
        max_gap_ns: Largest distance between two samples that is bridged.

    Returns:
        (M,) or (M, k) values, NaN where there is none, and (M,) whether there is one.

    Raises:
        StreamError: Lengths differ, or stamps decrease or are not integers.
    """
    known = np.asarray(values, dtype=np.float64)
    times, wanted = check_stamps(stamps), as_stamps(at)
    if known.ndim not in (1, 2) or len(known) != len(times):
        raise StreamError(f"{len(times)} stamps need values of shape (N,) or (N, k); found {known.shape}.")
    table = known[:, None] if known.ndim == 1 else known
    near = neighbours(times, wanted, max_gap_ns)
    good = both(near, np.asarray(np.isfinite(table).all(axis=1)))
    start, end = table[near.before[good]], table[near.after[good]]
    result = np.full((len(wanted), table.shape[1]), np.nan)
    result[good] = start + near.share[good, None] * (end - start)
    return result.reshape(len(wanted), *known.shape[1:]), good


def check_stamps(stamps: npt.ArrayLike) -> Int64Array:
    """Return (N,) int64 stamps that never decrease.

    Raises:
        StreamError: They are not integers, not one-dimensional, or go back.
    """
    array = as_stamps(stamps)
    backward = np.flatnonzero(array[1:] < array[:-1])
    if len(backward):
        row = int(backward[0]) + 1
        raise StreamError(
            f"Stamp {row} goes back, from {array[row - 1]} to {array[row]} ns; sort the samples first."
        )
    return array


def check_poses(stamps: Int64Array, poses: FloatArray, tracked: BoolArray) -> None:
    """Refuse poses that do not belong to the stamps or contradict their flags.

    Args:
        stamps: (N,) int64 ns.
        poses: (N, 7) metres and quaternion x y z w.
        tracked: (N,) bool.

    Raises:
        StreamError: Lengths differ, or a tracked pose is not finite or has a quaternion that is not of norm 1.
    """
    if poses.shape != (len(stamps), 7) or tracked.shape != (len(stamps),):
        raise StreamError(
            f"{len(stamps)} stamps need poses ({len(stamps)}, 7) and as many flags; "
            f"found {poses.shape} and {tracked.shape}."
        )
    norms = np.linalg.norm(poses[:, 3:], axis=1)
    wrong = np.flatnonzero(tracked & ~(np.isfinite(poses).all(axis=1) & (np.abs(norms - 1.0) < 1e-5)))
    if len(wrong):
        row = int(wrong[0])
        raise StreamError(
            f"Pose {row} is marked as tracked but is {poses[row].tolist()}: not finite, or not unit."
        )


def as_stamps(stamps: npt.ArrayLike) -> Int64Array:
    """Return (N,) int64 stamps in any order.

    Raises:
        StreamError: They are not integers, or not one-dimensional.
    """
    array = np.asarray(stamps)
    if array.ndim != 1 or not (array.size == 0 or np.issubdtype(array.dtype, np.signedinteger)):
        raise StreamError(f"Stamps must be (N,) int64 nanoseconds; found {array.dtype} {array.shape}.")
    return array.astype(np.int64, copy=False)


def neighbours(stamps: Int64Array, at: Int64Array, max_gap_ns: int) -> Neighbours:
    """Find the samples around each wanted stamp.

    Args:
        stamps: (N,) int64 ns, never decreasing.
        at: (M,) int64 ns on the same clock, in any order.
        max_gap_ns: Largest distance between two samples that is bridged.
    """
    before = np.searchsorted(stamps, at, side="right") - 1
    inside = before >= 0
    exact = np.zeros(len(at), dtype=bool)
    exact[inside] = stamps[before[inside]] == at[inside]
    after = np.where(exact, before, before + 1)
    bridged = inside & (after < len(stamps))
    gap = np.zeros(len(at), dtype=np.int64)
    gap[bridged] = stamps[after[bridged]] - stamps[before[bridged]]
    share = np.zeros(len(at))
    moving = bridged & ~exact
    share[moving] = (at[moving] - stamps[before[moving]]) / gap[moving]
    return Neighbours(before=before, after=after, share=share, bridged=bridged & (gap <= max_gap_ns))


def both(near: Neighbours, usable: BoolArray) -> BoolArray:
    """Say for which wanted stamps the samples on both sides are near enough and usable."""
    good = near.bridged.copy()
    good[good] = usable[near.before[good]] & usable[near.after[good]]
    return good
