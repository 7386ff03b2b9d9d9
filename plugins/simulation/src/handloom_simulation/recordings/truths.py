"""Collects the truth of a session while it is recorded."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom_simulation.devices import MICROPHONES
from handloom_simulation.devices.microphones import travel_s
from handloom_simulation.gripper import unit_transform
from handloom_simulation.recordings.pi_session import PiRecord
from handloom_simulation.recordings.settings import Demonstration, SceneSettings
from handloom_simulation.recordings.timeline import Timeline
from handloom_simulation.scene.viewpoints import T_WORLD_TOP_CAMERA
from handloom_simulation.truth import SessionTruth

FloatArray = npt.NDArray[np.float64]


def session_truth(
    name: str,
    demonstration: Demonstration,
    timeline: Timeline,
    settings: SceneSettings,
    *,
    record: PiRecord | None,
    T_world_map: FloatArray | None,
) -> SessionTruth:
    """Return the truth of a session.

    Args:
        name: Of its folder or file.
        demonstration: Its take.
        timeline: When what was sampled.
        settings: How.
        record: What the finger camera recorded; None without one.
        T_world_map: Frame of the SLAM's map, (7,); None without one.
    """
    take = demonstration.take
    frames_ns = timeline.frames.instants_ns()
    transforms = {
        "T_world_optitrack": settings.optitrack.T_world_tracker if settings.optitrack else None,
        "T_world_vr": settings.vr.T_world_tracker if settings.vr else None,
        "T_world_slam": T_world_map,
        "T_world_top": T_WORLD_TOP_CAMERA if timeline.top else None,
    }
    clocks = [*timeline.clocks, *([timeline.top.clock] if timeline.top else [])]
    return SessionTruth(
        name=name,
        clocks={clock.target: clock for clock in clocks},
        frames_ns=frames_ns,
        frame_stamps=timeline.frames.stamps_ns(),
        T_world_camera=take.pose_at("gripper", frames_ns),
        width_m=take.width_at(frames_ns),
        finger_ns=record.sim_ns if record else np.zeros(0, np.int64),
        chirps_ns=np.array(take.chirps, np.int64),
        travel_s={microphone: travel_s(microphone, settings.sound) for microphone in MICROPHONES},
        transforms={key: unit_transform(row) for key, row in transforms.items() if row is not None},
        take_ns=take.stamps,
        T_world_gripper=take.poses["gripper"],
        take_width_m=take.width_m,
    )
