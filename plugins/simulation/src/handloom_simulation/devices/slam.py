"""What a visual-inertial SLAM would have answered: the true path with noise, drift, losses, repeated rows."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import pose
from handloom_simulation.take import Take

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@attrs.frozen(kw_only=True)
class SlamSettings:
    """How well it tracks.

    Attributes:
        noise_m: Standard deviation of each coordinate, from frame to frame.
        noise_rad: Standard deviation about each axis, likewise.
        drift_m: Random walk of each coordinate, m/√s.
        drift_rad: Random walk about each axis, rad/√s.
        lost_spans_s: (start, end) pairs, s of simulation time, in which it is lost.
        lost_first_frames: Frames at the beginning before it finds itself.
        keyframe_every: Frames from one keyframe to the next.
        repeated_rows: (first frame, how many) whose pose repeats that of the frame before; None for none.
    """

    noise_m: float = 4e-4
    noise_rad: float = 5e-4
    drift_m: float = 5e-4
    drift_rad: float = 3e-4
    lost_spans_s: tuple[tuple[float, float], ...] = ()
    lost_first_frames: int = 0
    keyframe_every: int = 15
    repeated_rows: tuple[int, int] | None = None

    def quiet(self) -> SlamSettings:
        """Return the same without noise and drift."""
        return attrs.evolve(self, noise_m=0.0, noise_rad=0.0, drift_m=0.0, drift_rad=0.0)


@attrs.frozen(kw_only=True, eq=False)
class SlamTrajectory:
    """What it answered, one row a video frame.

    Attributes:
        times_s: (N,) frame index over frame rate.
        poses: (N, 7) T_map_camera of the optical frame; NaN where lost.
        lost: (N,) bool.
        keyframe: (N,) bool.
        T_world_map: (7,) the truth of its frame, which belongs in the truth file only.
    """

    times_s: FloatArray
    poses: FloatArray
    lost: BoolArray
    keyframe: BoolArray
    T_world_map: FloatArray


def track_by_slam(
    take: Take,
    frames_ns: Int64Array,
    *,
    rate: float,
    settings: SlamSettings,
    seed: int,
    T_world_map: FloatArray | None = None,
) -> SlamTrajectory:
    """Return the trajectory of the wrist camera.

    Args:
        take: The truth.
        frames_ns: (N,) int64 ns of simulation time of the video's frames.
        rate: Frames a second, as the program is told.
        settings: How well it tracks.
        seed: Of its errors.
        T_world_map: Frame of the map it was given, (7,); None makes one at the first keyframe.
    """
    T_world_camera = take.pose_at("gripper", frames_ns)
    lost = _lost(frames_ns, settings)
    found = np.flatnonzero(~lost)
    first = int(found[0]) if len(found) else 0
    keyframe = ~lost & ((np.arange(len(frames_ns)) - first) % settings.keyframe_every == 0)
    if T_world_map is None:
        T_world_map = T_world_camera[first]
    errors = _errors(len(frames_ns), rate, settings, seed)
    poses = pose.compose(pose.compose(pose.inverse(T_world_map), T_world_camera), errors)
    if settings.repeated_rows:
        begin, count = settings.repeated_rows
        poses[begin : begin + count] = poses[begin - 1]
    poses[lost] = np.nan
    return SlamTrajectory(
        times_s=np.arange(len(frames_ns)) / rate,
        poses=poses,
        lost=lost,
        keyframe=keyframe,
        T_world_map=np.asarray(T_world_map),
    )


def _lost(frames_ns: Int64Array, settings: SlamSettings) -> BoolArray:
    times_s = frames_ns * 1e-9
    lost = np.arange(len(frames_ns)) < settings.lost_first_frames
    for start_s, end_s in settings.lost_spans_s:
        lost |= (times_s >= start_s) & (times_s < end_s)
    return lost


def _errors(count: int, rate: float, settings: SlamSettings, seed: int) -> FloatArray:
    rng = np.random.default_rng([seed, 501])
    scale = np.repeat([settings.noise_m, settings.noise_rad], 3)
    walk = np.repeat([settings.drift_m, settings.drift_rad], 3) / np.sqrt(rate)
    steps = rng.standard_normal((count, 6)) * walk
    return pose.exp(rng.standard_normal((count, 6)) * scale + np.cumsum(steps, axis=0))
