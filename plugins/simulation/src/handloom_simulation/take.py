"""One simulated demonstration: where everything was at every millisecond of simulation time; the truth itself."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import StreamError
from handloom.geometry import interpolate_poses

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

WORLD = "world"


@attrs.frozen(kw_only=True)
class Impact:
    """Something struck or slid on something else; the microphones hear it.

    Attributes:
        stamp: int64 ns of simulation time.
        energy_j: Kinetic energy lost.
        position: (3,) m in world.
        bodies: Names of the two bodies, sorted.
    """

    stamp: int
    energy_j: float
    position: tuple[float, float, float]
    bodies: tuple[str, str]


@attrs.frozen(kw_only=True, eq=False)
class Take:
    """The truth of one demonstration on the clock "sim", which starts at 0.

    Attributes:
        name: Of the demonstration, "pick_and_place-0".
        stamps: (N,) int64 ns of simulation time, evenly 1 ms apart.
        poses: By body name (N, 7) T_world_body, metres and quaternion x y z w. "gripper" is the handheld gripper,
            "finger_left" and "finger_right" its fingers, the rest are objects. Static things are not listed.
        width_m: (N,) clear distance between the finger pads.
        pad_force_n: (N, 2) normal force on the left and the right finger pad.
        pad_shear_n: (N, 2, 2) tangential force on each pad along its own x and y axes: the finger's z, towards
            the tip, and the finger's y.
        slide_speed_m_per_s: (N,) speed at which held or touched surfaces slide on one another; 0 when none does.
        impacts: In order of time.
        chirps: int64 ns of simulation time at which the sync chirp's first sample leaves its loudspeaker.
    """

    name: str
    stamps: Int64Array
    poses: Mapping[str, FloatArray]
    width_m: FloatArray
    pad_force_n: FloatArray
    pad_shear_n: FloatArray
    slide_speed_m_per_s: FloatArray
    impacts: tuple[Impact, ...] = ()
    chirps: tuple[int, ...] = ()

    @property
    def duration_ns(self) -> int:
        """How long it lasts, int64 ns."""
        return int(self.stamps[-1] - self.stamps[0])

    def pose_at(self, body: str, stamps: npt.ArrayLike) -> FloatArray:
        """Return T_world_body, (M, 7), at any int64 ns stamps of the take, between its milliseconds too.

        Raises:
            KeyError: There is no such moving body.
            StreamError: A stamp lies outside the take.
        """
        poses, tracked = interpolate_poses(
            self.stamps,
            self.poses[body],
            np.ones(len(self.stamps), dtype=bool),
            np.asarray(stamps, dtype=np.int64),
            max_gap_ns=10_000_000,
        )
        if not tracked.all():
            raise StreamError(
                f"The take '{self.name}' lasts from {self.stamps[0]} to {self.stamps[-1]} ns of simulation time; "
                f"where '{body}' is was asked for outside of it."
            )
        return poses

    def width_at(self, stamps: npt.ArrayLike) -> FloatArray:
        """Return the clear distance between the finger pads, (M,) m, at any stamps of the take."""
        wanted = np.asarray(stamps, dtype=np.int64)
        since, at = (array - self.stamps[0] for array in (self.stamps, wanted))
        widths: FloatArray = np.interp(at.astype(np.float64), since.astype(np.float64), self.width_m)
        return widths
