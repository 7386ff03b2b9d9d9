"""The compiled trajectory from Python: the same calls as `NumpyTrajectory`, on buffers that are made once."""

from __future__ import annotations

import weakref

import numpy as np
import numpy.typing as npt

from handloom.api import Chunk
from handloom.errors import HandloomError
from handloom_controllers.native import Library, library, new
from handloom_controllers.refusal import MOST_WAYPOINTS, OUTCOMES, WRONGS, SpliceReport
from handloom_controllers.trajectory import TrajectoryConfig

Float64Array = npt.NDArray[np.float64]

ROW = 14
"""Pose (7), twist (6) and width in one row."""


def native_config(config: TrajectoryConfig) -> npt.NDArray[np.void]:
    """Return the settings as an `hl_trajectory_config`."""
    struct = new("hl_trajectory_config")
    struct["interpolation"] = ("cubic", "linear").index(config.interpolation)
    struct["max_speed"] = config.max_speed_m_per_s, config.max_speed_rad_per_s
    struct["braking"] = config.braking_m_per_s2, config.braking_rad_per_s2
    struct["contact_speed"] = config.contact_speed_m_per_s
    struct["reach_m"] = config.reach_m
    struct["ahead_ns"] = round(config.ahead_s * 1e9)
    struct["arm_latency_ns"] = round(config.arm_latency_s * 1e9)
    struct["width_latency_ns"] = round(config.width_latency_s * 1e9)
    return struct


class NativeTrajectory:
    """Absolutely stamped waypoints, the curve through them, and splicing, compiled.

    Args:
        config: How it is followed.
        loaded: The library; found and loaded by default.

    Raises:
        NativeLibraryError: The library can't be used here.
    """

    def __init__(self, config: TrajectoryConfig | None = None, loaded: Library | None = None) -> None:
        self.config = config or TrajectoryConfig()
        self._library = loaded or library()
        self._handle = self._library.call("hl_trajectory_create", native_config(self.config))
        if not self._handle:
            raise HandloomError(f"The real-time library refuses these settings: {self.config}.")
        self._close = weakref.finalize(self, self._library.call, "hl_trajectory_destroy", self._handle)
        self._stamps = np.zeros(MOST_WAYPOINTS + 1, dtype=np.int64)
        self._poses = np.zeros((MOST_WAYPOINTS + 1, 7))
        self._widths = np.zeros(MOST_WAYPOINTS + 1)
        self._report = new("hl_splice_report")
        self._now, self._observed = np.zeros((), dtype=np.int64), np.zeros((), dtype=np.int64)
        self._count = np.zeros((), dtype=np.int32)
        self._pose, self._twist, self._width = np.zeros(7), np.zeros(6), np.zeros(1)
        self._bind()

    def _bind(self) -> None:
        """Fix the buffers of what is called often."""
        bound, handle, now = self._library.bound, self._handle, self._now
        chunk = self._count, self._stamps, self._poses, self._widths
        self._splice = bound("hl_trajectory_splice", handle, now, self._observed, *chunk, self._report)
        self._at = bound("hl_trajectory_at", handle, now, self._pose, self._twist, self._width)
        self._brake = bound("hl_trajectory_brake", handle, now)
        self._end = bound("hl_trajectory_end", handle)
        self._pending = bound("hl_trajectory_pending", handle, now, MOST_WAYPOINTS, self._stamps, self._poses)

    @property
    def address(self) -> int:
        """Of the `hl_trajectory`; valid as long as this object lives."""
        return self._handle

    def close(self) -> None:
        """Give it back; harmless a second time."""
        self._close()

    def start(self, stamp: int, T_base_tcp: Float64Array, width_m: float = float("nan")) -> None:
        """Begin at rest; forgets everything before.

        Raises:
            HandloomError: The pose is lost, or not (7,).
        """
        pose = _checked("T_base_tcp", T_base_tcp, (7,))
        if self._library.call("hl_trajectory_start", self._handle, stamp, pose, float(width_m)):
            raise HandloomError(f"A trajectory can't begin at the lost pose {pose.tolist()}.")

    def splice(self, chunk: Chunk, now: int) -> SpliceReport:
        """Splice a chunk in, or refuse it and leave the running trajectory as it was.

        Raises:
            HandloomError: Its stamps are not int64.
        """
        if chunk.stamps.dtype != np.int64:
            raise HandloomError(f"The stamps of the chunk are {chunk.stamps.dtype}; expected int64 ns.")
        count = min(len(chunk.stamps), MOST_WAYPOINTS + 1)  # one too many is refused there
        self._stamps[:count] = chunk.stamps[:count]
        self._poses[:count] = chunk.poses[:count]
        self._widths[:count] = chunk.widths_m[:count]
        self._now[...], self._observed[...], self._count[...] = now, chunk.observed, count
        self._splice()
        return report_of(self._report)

    def rebase(self, now: int, T_base_tcp: Float64Array, twist: Float64Array) -> None:
        """Go on from another pose and (6,) twist than the curve's at the next splice or brake.

        Raises:
            HandloomError: The pose or the twist is lost, or has another shape.
        """
        pose, speed = _checked("T_base_tcp", T_base_tcp, (7,)), _checked("twist", twist, (6,))
        if self._library.call("hl_trajectory_rebase", self._handle, now, pose, speed):
            raise HandloomError(
                f"A trajectory can't go on from the lost pose {pose.tolist()} or twist {speed.tolist()}."
            )

    def brake(self, now: int) -> int:
        """Replace everything ahead by braking to rest; return the stamp from which on the command rests."""
        self._now[...] = now
        return self._brake()

    def at(self, stamp: int) -> tuple[Float64Array, Float64Array, float]:
        """Return the (7,) pose, the (6,) twist in base axes and the gripper width commanded at a stamp."""
        self._now[...] = stamp
        self._at()
        return self._pose.copy(), self._twist.copy(), float(self._width[0])

    def at_many(self, stamps: npt.NDArray[np.int64]) -> Float64Array:
        """Return the same for many stamps: (N, 14), pose, twist and width.

        Raises:
            HandloomError: The stamps are not (N,) int64.
        """
        if stamps.dtype != np.int64 or stamps.ndim != 1:
            raise HandloomError(f"Stamps must be (N,) int64 ns; found {stamps.dtype} {stamps.shape}.")
        rows = np.empty((len(stamps), ROW))
        self._library.call("hl_trajectory_at_many", self._handle, len(stamps), np.ascontiguousarray(stamps), rows)
        return rows

    @property
    def end(self) -> int:
        """int64 ns stamp of the last waypoint, as it was retimed."""
        return self._end()

    def pending(self, now: int) -> tuple[npt.NDArray[np.int64], Float64Array]:
        """Return the (N,) stamps and (N, 7) poses of the waypoints ahead, as they were retimed."""
        self._now[...] = now
        count = self._pending()
        return self._stamps[:count].copy(), self._poses[:count].copy()


def report_of(struct: npt.NDArray[np.void]) -> SpliceReport:
    """Return an `hl_splice_report` with names instead of numbers."""
    return SpliceReport(
        OUTCOMES[int(struct["outcome"])],
        WRONGS[int(struct["what"])],
        row=int(struct["row"]),
        dropped=int(struct["dropped"]),
        stretched_ns=int(struct["stretched_ns"]),
    )


def _checked(name: str, values: Float64Array, shape: tuple[int, ...]) -> Float64Array:
    """Return values as the library may read them; it can't see how long an array is."""
    if values.shape != shape:
        raise HandloomError(f"`{name}` must have shape {shape}; found {values.shape}.")
    return np.ascontiguousarray(values, dtype=np.float64)
