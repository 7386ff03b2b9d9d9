"""What trackers outside the gripper record: one OptiTrack take for a whole scene, a VR log for each session."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import numpy.typing as npt

from handloom.time import ClockMap
from handloom_simulation.devices import Sampling, SlamTrajectory, TrackerSettings, track, track_by_slam
from handloom_simulation.recordings.motive import write_motive
from handloom_simulation.recordings.pose_files import write_slam_csv, write_vr_csv
from handloom_simulation.recordings.settings import Demonstration, SceneSettings
from handloom_simulation.recordings.timeline import Timeline
from handloom_simulation.take import Take


def write_optitrack_take(
    folder: Path, demonstrations: tuple[Demonstration, ...], lines: tuple[Timeline, ...], settings: SceneSettings
) -> Path | None:
    """Write the take of all sessions; between them the gripper is out of sight. None without an OptiTrack."""
    tracker = settings.optitrack
    if tracker is None:
        return None
    parts = []
    for index, (each, line) in enumerate(zip(demonstrations, lines, strict=True)):
        first, sampling = frames_in(each.take, line.clocks.optitrack, tracker.rate_hz)
        parts.append(
            (first, track(each.take, sampling, settings=tracker, seed=settings.seed * 1000 + index).poses)
        )
    count = parts[-1][0] + len(parts[-1][1]) + round(tracker.rate_hz)
    poses = np.full((count, 7), np.nan)
    for first, seen in parts:
        poses[first : first + len(seen)] = seen
    at_zero = lines[0].wall_ns(int(lines[0].clocks.optitrack.inverse().apply(0)))
    started = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=at_zero // 1000)
    name = f"Take {started:%Y-%m-%d %I.%M.%S %p}"
    return write_motive(
        folder / f"{name}.csv", poses, rate_hz=tracker.rate_hz, started=started, format_=settings.motive
    )


def frames_in(take: Take, clock: ClockMap, rate_hz: float) -> tuple[int, Sampling]:
    """Return which frame of a free-running camera is the first in a take, counted from its clock's 0, and all."""
    begin_ns, end_ns = int(take.stamps[0]), int(take.stamps[-1])
    first = int(np.ceil(int(clock.apply(begin_ns)) * 1e-9 * rate_hz))
    start_ns = int(clock.inverse().apply(round(first / rate_hz * 1e9)))
    start_ns = max(start_ns, begin_ns)
    return first, Sampling.within(clock, start_ns=start_ns, end_ns=end_ns, rate_hz=rate_hz)


def write_vr_log(
    path: Path, demonstration: Demonstration, timeline: Timeline, *, settings: TrackerSettings, seed: int
) -> Path:
    """Write what the VR tracker saw of a session."""
    _, sampling = frames_in(demonstration.take, timeline.clocks.vr, settings.rate_hz)
    return write_vr_csv(path, track(demonstration.take, sampling, settings=settings, seed=seed))


def write_slam(
    path: Path,
    demonstration: Demonstration,
    timeline: Timeline,
    *,
    settings: SceneSettings,
    seed: int,
    T_world_map: npt.NDArray[np.float64] | None,
) -> SlamTrajectory:
    """Write what a SLAM would have answered to the session's video, and return it."""
    assert settings.slam is not None
    trajectory = track_by_slam(
        demonstration.take,
        timeline.frames.instants_ns(),
        rate=float(settings.frame_rate()),
        settings=settings.slam,
        seed=seed,
        T_world_map=T_world_map,
    )
    write_slam_csv(path, trajectory)
    return trajectory
