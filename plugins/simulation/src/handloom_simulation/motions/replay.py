"""Replays a trajectory that somebody recorded as the gripper's motion in the lab."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.geometry import pose
from handloom.streams import Trajectory
from handloom_simulation.gripper import STROKE_M
from handloom_simulation.motions.grasping import home
from handloom_simulation.motions.kinematic import STEP_NS, untouched_take
from handloom_simulation.motions.script import gripper_poses
from handloom_simulation.motions.settings import TakeSettings
from handloom_simulation.motions.smoothing import smooth_path
from handloom_simulation.take import Take

FloatArray = npt.NDArray[np.float64]


def replay_take(
    trajectory: Trajectory,
    *,
    settings: TakeSettings | None = None,
    seed: int = 0,
    T_world_origin: npt.ArrayLike | None = None,
    T_body_gripper: npt.ArrayLike = pose.IDENTITY,
    width_m: float = 0.9 * STROKE_M,
) -> Take:
    """Return a take along a recorded path, at its own speed; nothing is touched.

    Args:
        trajectory: As `handloom.streams.read_trajectory` gives it, by time.
        settings: Chirps and occlusions are taken from it.
        seed: Of where things lie.
        T_world_origin: (7,) where the file's world lies in the lab; None begins where demonstrations do.
        T_body_gripper: (7,) how the gripper sits on the body that was recorded.
        width_m: How far the jaw is open.

    Raises:
        StreamError: The path is too short, or has a gap that is too long.
        PluginError: scipy is not installed.
    """
    chosen = settings or TakeSettings()
    T_origin_gripper = pose.compose(
        smooth_path(trajectory.keys, trajectory.poses, trajectory.tracked), T_body_gripper
    )
    if T_world_origin is None:
        start = gripper_poses(home(np.random.default_rng([seed, 1])).as_row()[None])[0]
        T_world_origin = pose.compose(start, pose.inverse(T_origin_gripper[0]))
    T_world_gripper = pose.compose(T_world_origin, T_origin_gripper)
    count = len(T_world_gripper)
    return untouched_take(
        f"replay-{trajectory.name}",
        np.arange(count, dtype=np.int64) * STEP_NS,
        T_world_gripper,
        np.full(count, width_m),
        seed=seed,
        chirps_s=chosen.chirps_s,
        occlusions=chosen.occlusions,
    )
