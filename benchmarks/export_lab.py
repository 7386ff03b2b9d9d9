"""Takes of the lab to export: the gripper's true poses at a tracker's 120 Hz, made the TCP's by the step `tcp`."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from benchmarks.export_scene import TRACKER, TRACKER_HZ
from handloom.api import Rig
from handloom.geometry import FrameTree, pose
from handloom.streams import POSE, Samples, Stream, StreamType, Video
from handloom.testing import MemoryInputs
from handloom.time import ClockMaps
from handloom_pose_sources.tcp import TcpConfig, TcpPoses
from handloom_simulation.gripper import MOUNTED, unit_transform
from handloom_simulation.take import Take

MARGIN_NS = 50_000_000
"""How long after a take begins its first frame is, and how long before it ends the last."""

CAMERA = "camera/optical"


def frames_of(take: Take, rate_hz: float) -> int:
    """Return how many frames a camera takes of it."""
    return int((take.duration_ns - 2 * MARGIN_NS) * 1e-9 * rate_hz)


def lab_inputs(video: Video, take: Take) -> MemoryInputs:
    """Return the inputs of one episode.

    Args:
        video: Its frames, the first `MARGIN_NS` after the take begins, on a clock of any name.
        take: The truth.
    """
    video = attrs.evolve(video, type=attrs.evolve(video.type, clock="camera"))
    frames = FrameTree().with_static(CAMERA, "tcp", unit_transform(MOUNTED["tcp"]))
    rig = Rig(name="lab", clock_maps=ClockMaps((TRACKER,)), frames=frames)
    type_ = StreamType(kind="scalar", dtype="float64", unit="m", clock="camera")
    width = Samples(type=type_, data=take.width_at(in_take(video, take, video.stamps)), stamps=video.stamps)
    seen = MemoryInputs(wired={"pose": _tracked(video, take)}, rig=rig)
    wired: dict[str, dict[str, Stream]] = {
        "camera0": {"camera.video": video},
        "robot0_pose": {"tcp.pose": TcpPoses(TcpConfig()).run(seen, lambda share: None).streams["pose"]},
        "robot0_width": {"gripper.width": width},
    }
    return MemoryInputs(wired=wired, episode=take.name, rig=rig)


def true_tcp_poses(video: Video, take: Take) -> npt.NDArray[np.float64]:
    """Return T_world_tcp at the frames, (N, 7)."""
    return pose.compose(
        take.pose_at("gripper", in_take(video, take, video.stamps)), unit_transform(MOUNTED["tcp"])
    )


def in_take(video: Video, take: Take, stamps: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the take's own time of stamps on the camera's clock, (N,) int64 ns."""
    return stamps + (int(take.stamps[0]) + MARGIN_NS - int(video.stamps[0]))


def _tracked(video: Video, take: Take) -> Samples:
    around = np.array([video.stamps[0] - MARGIN_NS // 2, video.stamps[-1] + MARGIN_NS // 2])
    first, last = TRACKER.inverse().apply(around)
    stamps = np.arange(first, last, 1_000_000_000 // TRACKER_HZ, dtype=np.int64)
    return Samples(
        type=attrs.evolve(POSE, frame="map", body=CAMERA, clock="tracker"),
        data=take.pose_at("gripper", in_take(video, take, TRACKER.apply(stamps))),
        stamps=stamps,
        tracked=np.ones(len(stamps), dtype=bool),
    )
