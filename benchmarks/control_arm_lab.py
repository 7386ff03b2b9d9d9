"""The arm that is measured on: a simulated FR3 without its hand, a ball for a tool, and PolyUMI's law."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from handloom.api import Chunk
from handloom.geometry import pose
from handloom_controllers.impedance import Impedance, ImpedanceConfig
from handloom_simulation.arm.robots import MujocoFr3
from handloom_simulation.arm.settings import Block, MujocoFr3Config

Float64Array = npt.NDArray[np.float64]

TOOL = (0.0, 0.0, 0.1034, 0.0, 0.0, 0.0, 1.0)
BALL_M = 0.02


def arm(*blocks: Block) -> MujocoFr3:
    """Return an arm that takes no contact for a collision; its time begins at 0."""
    return MujocoFr3(
        MujocoFr3Config(
            hand=False,
            gripper="",
            probe_radius_m=BALL_M,
            probe_at_m=TOOL[:3],
            blocks=blocks,
            floor=False,
            first_stamp_ns=0,
            collision_force_n=math.inf,
            collision_torque_nm=math.inf,
            collision_joint_torque_nm=(math.inf,),
        )
    )


def law(*, feed_forward: bool = True) -> Impedance:
    """Return PolyUMI's gains with the whole wrench bound to 20 N."""
    # mypy does not see through a converter that is a plain type.
    return Impedance(ImpedanceConfig(T_flange_tcp=TOOL, feed_forward=feed_forward))


def tool_at_start() -> Float64Array:
    """Return T_base_tcp (7,) where the arm begins."""
    with arm() as robot:
        return np.asarray(pose.compose(robot.read().T_base_flange, np.array(TOOL)))


def chunk(times_s: Float64Array, positions: Float64Array, at_start: Float64Array, observed_s: float) -> Chunk:
    """Return waypoints (n,) s and (n, 3) m with the orientation that the tool begins with."""
    poses = np.concatenate([positions, np.tile(at_start[3:], (len(times_s), 1))], axis=1)
    return Chunk(
        stamps=np.round(times_s * 1e9).astype(np.int64),
        clock="robot",
        poses=poses,
        widths_m=np.full(len(times_s), np.nan),
        frame="base",
        body="tcp",
        observed=round(observed_s * 1e9),
    )
