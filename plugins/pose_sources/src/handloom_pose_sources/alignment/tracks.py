"""One body followed by two trackers: their poses on their own clocks, and which rows of both belong together."""

from __future__ import annotations

from functools import cached_property

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import interpolate_linear, interpolate_poses, quaternion
from handloom.streams import Samples
from handloom.time import ClockMap

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_STEP_NS = 10_000_000
"""Half the time over which a velocity is taken: long against the noise, short against a hand's motion."""


@attrs.define(kw_only=True, eq=False, slots=False)
class Track:
    """Poses of a body on one clock.

    Attributes:
        stamps: (N,) int64 ns.
        poses: (N, 7) NaN where lost.
        tracked: (N,) bool.
    """

    stamps: Int64Array
    poses: Float64Array
    tracked: BoolArray

    @classmethod
    def of(cls, pose: Samples, poses: Float64Array) -> Track:
        """Return the track of a pose stream, with its poses re-expressed at some body."""
        assert pose.tracked is not None
        return cls(stamps=pose.all_stamps(), poses=poses, tracked=pose.tracked)

    @cached_property
    def rate_hz(self) -> float:
        """Typical rate; 0 for fewer than two rows."""
        return 1e9 / max(1.0, float(np.median(np.diff(self.stamps)))) if len(self.stamps) > 1 else 0.0

    def positions_at(self, stamps: Int64Array, max_gap_ns: int) -> Float64Array:
        """Return (M, 3) positions, NaN where lost."""
        return interpolate_linear(self.stamps, self.poses[:, :3], stamps, max_gap_ns=max_gap_ns)[0]

    def velocities_at(self, stamps: Int64Array, max_gap_ns: int) -> Float64Array:
        """Return (M, 3) m/s, NaN where lost."""
        after = self.positions_at(stamps + _STEP_NS, max_gap_ns)
        before = self.positions_at(stamps - _STEP_NS, max_gap_ns)
        velocity: Float64Array = (after - before) / (2e-9 * _STEP_NS)
        return velocity


@attrs.frozen(kw_only=True, eq=False)
class Take:
    """What two trackers saw of one body in an episode.

    Attributes:
        episode: Its id.
        reference: In frame a.
        other: In frame b.
    """

    episode: str
    reference: Track
    other: Track


@attrs.frozen(kw_only=True, eq=False)
class Pairs:
    """Instants at which both trackers had the body.

    Attributes:
        points_a: (M, 3) m, where the reference had it.
        points_b: (M, 3) m, where the other had it.
        velocities_a: (M, 3) m/s; of the interpolated track, turned into a.
        since_s: (M,) s since the clock map's origin, on the other's clock.
        turns_rad: (M,) angle between both orientations, once T_a_b is applied.
    """

    points_a: Float64Array
    points_b: Float64Array
    velocities_a: Float64Array
    since_s: Float64Array
    turns_rad: Float64Array

    def __len__(self) -> int:
        return len(self.points_a)


def pairs_of(take: Take, known: ClockMap, T_a_b: Float64Array, *, max_gap_ns: int, turns: bool = False) -> Pairs:
    """Bring both tracks together: the one with more rows is interpolated at the stamps of the other.

    Args:
        take: The tracks.
        known: From the other's clock to the reference's.
        T_a_b: (7,) what is known of it; turns velocities, and orientations if asked for.
        max_gap_ns: Nothing is interpolated between rows further apart.
        turns: Whether to compare orientations too.
    """
    dense_is_other = take.other.rate_hz >= take.reference.rate_hz
    base, dense = (take.reference, take.other) if dense_is_other else (take.other, take.reference)
    base_stamps = base.stamps[base.tracked]
    dense_stamps = (known.inverse() if dense_is_other else known).apply(base_stamps)
    points, velocities = (
        dense.positions_at(dense_stamps, max_gap_ns),
        dense.velocities_at(dense_stamps, max_gap_ns),
    )
    both: BoolArray = np.isfinite(np.concatenate([points, velocities], axis=1)).all(axis=1)
    own = base.poses[base.tracked][both, :3]
    velocity = velocities[both]
    since_ns = (dense_stamps if dense_is_other else base_stamps)[both] - known.origin_ns
    turned = (
        _turns(base, dense, dense_stamps[both], both, T_a_b, dense_is_other=dense_is_other, max_gap_ns=max_gap_ns)
        if turns
        else np.empty(0)
    )
    return Pairs(
        points_a=own if dense_is_other else points[both],
        points_b=points[both] if dense_is_other else own,
        velocities_a=quaternion.rotate(T_a_b[3:], velocity) if dense_is_other else velocity,
        since_s=since_ns.astype(np.float64) * 1e-9,
        turns_rad=turned,
    )


def _turns(
    base: Track,
    dense: Track,
    stamps: Int64Array,
    both: BoolArray,
    T_a_b: Float64Array,
    *,
    dense_is_other: bool,
    max_gap_ns: int,
) -> Float64Array:
    """Return the angle between both orientations of the body, (M,) rad."""
    poses, _ = interpolate_poses(dense.stamps, dense.poses, dense.tracked, stamps, max_gap_ns=max_gap_ns)
    own = base.poses[base.tracked][both, 3:]
    in_a, in_b = (own, poses[:, 3:]) if dense_is_other else (poses[:, 3:], own)
    return quaternion.angle_between(in_a, quaternion.multiply(T_a_b[3:], in_b))
