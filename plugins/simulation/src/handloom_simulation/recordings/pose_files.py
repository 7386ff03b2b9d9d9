"""Writes poses as trackers and SLAM programs do: VR tracker CSV, the ORB-SLAM3 forks' CSV, TUM."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from handloom.geometry import IDENTITY
from handloom_simulation.devices import SlamTrajectory, Tracked

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]


def write_vr_csv(path: Path, tracked: Tracked) -> Path:
    """Write a VR tracker's log; it repeats its last pose, marked invalid, while it has lost the body.

    Columns: time in seconds on the tracker's own clock, validity, position in metres, quaternion w x y z.
    """
    lines = ["time_s,valid,x,y,z,qw,qx,qy,qz"]
    last = IDENTITY
    # Row by row: a lost row repeats what the one before says.
    for stamp, row, seen in zip(tracked.stamps.tolist(), tracked.poses, tracked.tracked, strict=True):
        last = row if seen else last
        cells = [f"{value:.7f}" for value in (*last[:3], last[6], *last[3:6])]
        lines.append(",".join([_seconds(stamp, 6), str(int(seen)), *cells]))
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path


def write_slam_csv(path: Path, trajectory: SlamTrajectory) -> Path:
    """Write what the ORB-SLAM3 forks of UMI and PolyUMI write; lost rows are zeros, the quaternion too."""
    lines = ["frame_idx,timestamp,state,is_lost,is_keyframe,x,y,z,q_x,q_y,q_z,q_w"]
    rows = np.where(trajectory.lost[:, None], 0.0, trajectory.poses)
    for index, row in enumerate(rows.tolist()):
        lost, keyframe = bool(trajectory.lost[index]), bool(trajectory.keyframe[index])
        words = [str(3 if lost else 2), str(lost).lower(), str(keyframe).lower()]
        cells = [f"{value:.9f}" for value in row]
        lines.append(",".join([str(index), f"{trajectory.times_s[index]:.6f}", *words, *cells]))
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path


def write_tum(path: Path, stamps: Int64Array, poses: FloatArray) -> Path:
    """Write a TUM file: seconds, position in metres, quaternion x y z w; lost rows are left out.

    Source: TUM RGB-D benchmark, file formats.
    """
    lines = ["# timestamp tx ty tz qx qy qz qw"]
    for stamp, row in zip(stamps.tolist(), poses.tolist(), strict=True):
        if not any(value != value for value in row):
            lines.append(" ".join([_seconds(stamp, 9), *(f"{value:.9f}" for value in row)]))
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return path


def _seconds(stamp_ns: int, digits: int) -> str:
    """Return nanoseconds as decimal seconds, every digit right where a float would have too few."""
    rounded = (stamp_ns + 10 ** (9 - digits) // 2) // 10 ** (9 - digits)
    return f"{rounded // 10**digits}.{rounded % 10**digits:0{digits}d}"
