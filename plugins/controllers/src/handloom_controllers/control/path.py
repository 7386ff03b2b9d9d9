"""The recorded way of the tool: read from a file, brought to where the arm is, and asked for waypoints."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Chunk
from handloom.errors import RecordingError
from handloom.geometry import interpolate_poses, pose
from handloom.streams import layout_named, read_trajectory
from handloom_controllers.control.settings import ReferenceSettings

Float64Array = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

LONGEST_S = 86_400
"""Longest motion."""

_LEAD_IN_POSES = 50
"""Poses on the way to the path's beginning; between them it is straight."""


@attrs.frozen(kw_only=True, eq=False)
class ToolPath:
    """A way of the tool.

    Attributes:
        stamps: (N,) int64 ns, from 0 up.
        poses: (N, 7) T_base_tcp, or T_anything_tcp before it is placed.
    """

    stamps: Int64Array
    poses: Float64Array

    @property
    def duration_ns(self) -> int:
        """How long it takes."""
        return int(self.stamps[-1])

    def at(self, stamps: Int64Array) -> Float64Array:
        """Return (M, 7) poses at stamps; before the beginning and after the end the tool rests."""
        inside = np.clip(stamps, 0, self.duration_ns)
        tracked = np.ones(len(self.stamps), dtype=bool)
        return interpolate_poses(self.stamps, self.poses, tracked, inside, max_gap_ns=self.duration_ns)[0]


def read_path(settings: ReferenceSettings) -> ToolPath:
    """Read a recorded path.

    Raises:
        RecordingError: The file can't be read, is lost somewhere, or has a gap: an arm can't follow nothing.
        StreamError: The format is unknown.
    """
    recorded = read_trajectory(settings.file, layout_named(settings.format, settings.columns))
    if len(recorded) < 2:
        raise RecordingError(f"{recorded.name}: holds {len(recorded)} poses; expected a path of two or more.")
    if not recorded.tracked.all():
        row = int(np.argmin(recorded.tracked))
        lost = int((~recorded.tracked).sum())
        raise RecordingError(
            f"{recorded.name}, line {recorded.lines[row]}: the pose is lost ({lost} such rows); an arm can't "
            f"follow a gap. Cut the file, or fill the gap first."
        )
    gaps = np.diff(recorded.keys)
    if gaps.max() > settings.max_gap_s * 1e9:
        row = int(np.argmax(gaps))
        raise RecordingError(
            f"{recorded.name}, line {recorded.lines[row]}: the next pose comes after {gaps[row] * 1e-9:.3g} s; "
            f"expected at most max_gap_s = {settings.max_gap_s:g} s."
        )
    stamps = np.rint((recorded.keys - recorded.keys[0]) / settings.speed).astype(np.int64)
    if stamps[-1] > LONGEST_S * 1e9:
        takes = f"takes {stamps[-1] * 1e-9:.4g} s at a speed of {settings.speed:g}"
        raise RecordingError(f"{recorded.name}: the path {takes}; expected a day, {LONGEST_S} s, at most.")
    return ToolPath(stamps=stamps, poses=recorded.poses)


def placed(path: ToolPath, T_base_tcp: Float64Array, settings: ReferenceSettings) -> ToolPath:
    """Bring a path to where the tool is, and lead the tool to its beginning.

    Args:
        path: As recorded.
        T_base_tcp: (7,) where the tool is.
        settings: How it is placed.
    """
    poses = path.poses
    if settings.place == "start":
        poses = pose.compose(T_base_tcp, pose.compose(pose.inverse(path.poses[0]), path.poses))
    lead_ns = round(settings.lead_in_s * 1e9)
    if lead_ns == 0:
        return ToolPath(stamps=path.stamps, poses=poses)
    share = np.linspace(0.0, 1.0, _LEAD_IN_POSES, endpoint=False)
    way = pose.log(pose.compose(pose.inverse(T_base_tcp), poses[0]))
    lead = pose.compose(T_base_tcp, pose.exp(_eased(share)[:, None] * way))
    stamps = np.concatenate([np.rint(share * lead_ns).astype(np.int64), path.stamps + lead_ns])
    return ToolPath(stamps=stamps, poses=np.concatenate([lead, poses]))


def within_reach(path: ToolPath, reach_m: float) -> ToolPath:
    """Return a path in the robot's base, once all of it is near enough to be taken for one.

    Raises:
        RecordingError: It leaves the reach: the loop would refuse it there, and the arm would stop on the way.
    """
    far = np.abs(path.poses[:, :3]).max(axis=1)
    if not far.max() <= reach_m:
        row = int(np.argmax(~(far <= reach_m)))
        raise RecordingError(
            f"The path leads {far[row]:.3g} m away from the base {path.stamps[row] * 1e-9:.3g} s after its start; "
            f"expected {reach_m:g} m at most on each axis (reach_m). The arm was not moved."
        )
    return path


def _eased(share: Float64Array) -> Float64Array:
    """Return the share of the way at a share of the time, at rest at both ends.

    Source: the minimum-jerk polynomial, Flash and Hogan, Journal of Neuroscience 5 (1985).
    """
    return share**3 * (10.0 - 15.0 * share + 6.0 * share**2)


@attrs.frozen(kw_only=True, eq=False)
class PathPolicy:
    """Answers an instant with the waypoints that a policy that has learnt the path by heart would answer.

    Attributes:
        path: In the robot's base.
        horizon: Waypoints in a chunk.
        period_ns: Time between two.
        frame: Name of the base.
        body: Name of the tool.
        clock: Clock of the stamps.
    """

    path: ToolPath
    horizon: int
    period_ns: int
    frame: str = "base"
    body: str = "tcp"
    clock: str = ""

    def chunk(self, observed: int, start: int) -> Chunk:
        """Return the waypoints after an instant, the path's end the last of them; none once it is over.

        Args:
            observed: int64 ns, the instant.
            start: int64 ns, where the path begins on the same clock.
        """
        end = start + self.path.duration_ns
        ahead = observed + self.period_ns * np.arange(1, self.horizon + 1, dtype=np.int64)
        stamps = np.unique(np.minimum(ahead, end)) if observed < end else np.empty(0, dtype=np.int64)
        return Chunk(
            stamps=stamps,
            poses=self.path.at(stamps - start),
            widths_m=np.full(len(stamps), np.nan),
            observed=observed,
            frame=self.frame,
            body=self.body,
            clock=self.clock,
        )
