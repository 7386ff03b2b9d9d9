"""A scene to export whose truth is a formula: a video, fingertip poses on a tracker's own clock, widths.

`python -m benchmarks.export_scene FILE.zarr.zip` writes a small dataset of it, to be loaded elsewhere.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Rig
from handloom.geometry import quaternion
from handloom.media import Clip, index_video, write_clip
from handloom.streams import POSE, Samples, Stream, StreamType, Video
from handloom.testing import MemoryInputs
from handloom.time import ClockMap, ClockMaps
from handloom_exporters.umi import UmiConfig, UmiExporter

TRACKER_HZ = 120
TRACKER = ClockMap(
    source="tracker", target="camera", offset_ns=-90_000_000_000, origin_ns=90_000_000_000, drift_ppm=37.0
)
"""The tracker was started a minute and a half before the camera, and its clock is slow."""


def true_poses(stamps: npt.NDArray[np.int64], robot: int = 0) -> npt.NDArray[np.float64]:
    """Return (N, 7) T_world_tcp at stamps, int64 ns, of the camera's clock: as fast as a hand that hurries."""
    s = stamps * 1e-9
    position = np.column_stack(
        [1.5 + 0.4 * np.sin(2.1 * s + robot), 0.3 * np.cos(2.7 * s), 0.9 + 0.15 * np.sin(3.3 * s)]
    )
    turn = np.column_stack([0.8 * np.sin(1.7 * s), 0.5 * np.cos(2.3 * s), 1.2 * np.sin(0.9 * s + robot)])
    return np.column_stack([position, quaternion.from_rotvec(turn)])


def inputs_of(video: Video, name: str, robots: int = 1) -> MemoryInputs:
    """Return the inputs of one episode.

    Args:
        video: Its frames, on a clock of any name.
        name: Its id.
        robots: Grippers.
    """
    video = attrs.evolve(video, type=attrs.evolve(video.type, clock="camera"))
    wired: dict[str, dict[str, Stream]] = {"camera0": {"camera.video": video}}
    first, last = TRACKER.inverse().apply(video.stamps[[0, -1]])
    step = 1_000_000_000 // TRACKER_HZ
    stamps = np.arange(first - step, last + 2 * step, step, dtype=np.int64)
    for robot in range(robots):
        wired[f"robot{robot}_pose"] = {"tracker.pose": _poses(stamps, robot)}
        wired[f"robot{robot}_width"] = {"gripper.width": _width(video, robot)}
    return MemoryInputs(wired=wired, episode=name, rig=Rig(name="formula", clock_maps=ClockMaps((TRACKER,))))


def _poses(stamps: npt.NDArray[np.int64], robot: int) -> Samples:
    type_ = attrs.evolve(POSE, frame="world", body="tcp", clock="tracker")
    poses = true_poses(TRACKER.apply(stamps), robot)
    tracked = np.ones(len(stamps), dtype=bool)
    return Samples(type=type_, data=poses, stamps=stamps, tracked=tracked, attributes={"tcp_digest": "formula"})


def _width(video: Video, robot: int) -> Samples:
    widths = 0.04 + 0.03 * np.cos(video.stamps * 2e-9 + robot)
    type_ = StreamType(kind="scalar", dtype="float64", unit="m", clock="camera")
    return Samples(type=type_, data=widths, stamps=video.stamps)


def scene_of(episodes: Sequence[MemoryInputs]) -> MemoryInputs:
    """Return the inputs of a scene."""
    return MemoryInputs(episode="", parts={episode.episode: episode for episode in episodes}, rig=episodes[0].rig)


def main(path: Path) -> None:
    """Export two episodes of two seconds with their frame numbers in the pixels."""
    with tempfile.TemporaryDirectory() as folder:
        clip = Clip(width=448, height=448, rate=Fraction(60000, 1001), frames=120)
        episodes = [
            inputs_of(index_video((write_clip(Path(folder) / f"{name}.mp4", clip),)).video, name)
            for name in ("first", "second")
        ]
        UmiExporter(UmiConfig()).export(scene_of(episodes), path, lambda share: None)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
