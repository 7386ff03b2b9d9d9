"""The joints of the frame tree: a transform that never changes, or one that was tracked over time."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import FrameError
from handloom.geometry.arrays import BoolArray, FloatArray, Int64Array
from handloom.geometry.interpolate import check_poses, check_stamps, interpolate_poses

UNIT_TOLERANCE = 1e-6
"""How far the norm of a quaternion may be from 1, as in a pose stream."""


def _read_only(values: npt.ArrayLike) -> FloatArray:
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def _as_flags(values: npt.ArrayLike) -> BoolArray:
    return np.asarray(values, dtype=bool)


@attrs.frozen(kw_only=True, eq=False)
class StaticEdge:
    """A transform that never changes.

    Attributes:
        parent: Frame a.
        child: Frame b.
        T_parent_child: (7,) metres and unit quaternion x y z w; kept as a read-only copy.

    Raises:
        FrameError: The transform is not one.
    """

    parent: str
    child: str
    T_parent_child: FloatArray = attrs.field(converter=_read_only)

    def __attrs_post_init__(self) -> None:
        name, values = f"T_{self.parent}_{self.child}", self.T_parent_child
        if values.shape != (7,) or not np.isfinite(values).all():
            raise FrameError(f"{name} must be 7 finite numbers, x y z and x y z w; found {values.tolist()}.")
        norm = float(np.linalg.norm(values[3:]))
        if abs(norm - 1.0) > UNIT_TOLERANCE:
            raise FrameError(f"{name} has a quaternion of norm {norm:.9g}; it must be 1.")

    def at(self, stamps: Int64Array) -> tuple[FloatArray, BoolArray]:
        """Return (N, 7) T_parent_child at stamps, and (N,) tracked: always."""
        return np.tile(self.T_parent_child, (len(stamps), 1)), np.ones(len(stamps), dtype=bool)


@attrs.frozen(kw_only=True, eq=False)
class TimedEdge:
    """A transform that was tracked over time.

    Attributes:
        parent: Frame a.
        child: Frame b.
        stamps: (N,) int64 ns.
        poses: (N, 7) T_parent_child, NaN where lost.
        tracked: (N,) bool.
        max_gap_ns: Largest distance between two samples that is bridged.
        clock: Name of the clock of the stamps; "" when the caller keeps to one clock anyway.

    Raises:
        StreamError: Stamps, poses and flags do not go together.
    """

    parent: str
    child: str
    stamps: Int64Array = attrs.field(converter=check_stamps)
    poses: FloatArray = attrs.field(converter=_read_only)
    tracked: BoolArray = attrs.field(converter=_as_flags)
    max_gap_ns: int
    clock: str = ""

    def __attrs_post_init__(self) -> None:
        check_poses(self.stamps, self.poses, self.tracked)

    def at(self, stamps: Int64Array) -> tuple[FloatArray, BoolArray]:
        """Return (N, 7) T_parent_child at stamps, and (N,) tracked."""
        return interpolate_poses(self.stamps, self.poses, self.tracked, stamps, max_gap_ns=self.max_gap_ns)


Edge = StaticEdge | TimedEdge
