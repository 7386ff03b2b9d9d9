"""Motions without an object: opening and closing to calibrate the jaw, and looking around to make a map."""

from __future__ import annotations

import numpy as np

from handloom_simulation.gripper import STROKE_M
from handloom_simulation.motions.demonstrations import Poses
from handloom_simulation.motions.grasping import OPEN_M
from handloom_simulation.motions.writer import ScriptWriter


def gripper_calibration(writer: ScriptWriter, start: Poses, rng: np.random.Generator) -> None:
    """Close and open the jaw fully several times, waiting at each end."""
    for _ in range(5):
        for width in (-0.004, STROKE_M):  # pulled a little further than closed, so that the pads press
            writer.jaw(width, rng.uniform(0.6, 0.8))
            writer.rest(rng.uniform(0.3, 0.4))
    writer.jaw(OPEN_M, 0.4)


def mapping(writer: ScriptWriter, start: Poses, rng: np.random.Generator) -> None:
    """Sweep over the table and look at the room from several sides."""
    for x, y, z, yaw, pitch in (
        (-0.22, -0.12, 0.26, 0.5, 0.7),
        (-0.12, 0.06, 0.28, 0.2, 1.0),
        (0.14, 0.06, 0.26, -0.3, 0.9),
        (0.22, -0.14, 0.24, -0.6, 0.5),
        (0.04, -0.18, 0.30, 0.1, 0.3),
    ):
        place = np.array([x, y, z]) + rng.uniform(-0.02, 0.02, 3)
        writer.go(place, yaw_rad=yaw, pitch_rad=pitch, roll_rad=rng.uniform(-0.15, 0.15), through=True)
    writer.go(writer.stance.tcp_m, roll_rad=0.0, through=True)


LOOKING = {"gripper_calibration": gripper_calibration, "mapping": mapping}
"""By name."""
