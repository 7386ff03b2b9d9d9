"""A take made by hand: smooth, with a chirp, an impact and a grasp."""

import numpy as np
import pytest

from handloom.geometry import pose, quaternion
from handloom_simulation.take import Impact, Take


def hand_made_take(*, seconds=3.0, chirps=(400_000_000,), seed=0):
    stamps = np.arange(round(seconds * 1000) + 1, dtype=np.int64) * 1_000_000
    t = stamps * 1e-9
    rng = np.random.default_rng(seed)
    amplitudes, phases = rng.uniform(0.05, 0.12, 3), rng.uniform(0, 6, 6)
    position = np.array([0.1, -0.2, 0.5]) + amplitudes * np.sin(
        2 * np.pi * np.outer(t, [0.4, 0.5, 0.3]) + phases[:3]
    )
    turn = 0.25 * np.sin(2 * np.pi * np.outer(t, [0.5, 0.35, 0.45]) + phases[3:])
    down = np.array([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]) * [-1, 1, 1, 1]
    T_world_gripper = np.concatenate([position, quaternion.multiply(down, quaternion.from_rotvec(turn))], axis=1)
    width = 0.05 + 0.03 * np.cos(2 * np.pi * 0.4 * t)
    sides = {"finger_left": -1, "finger_right": 1}
    fingers = {
        name: pose.compose(
            T_world_gripper,
            np.column_stack(
                [side * width / 2, *np.tile([[0.07069], [0.259]], len(t)), np.tile([0, 0, 0, 1.0], (len(t), 1))]
            ),
        )
        for name, side in sides.items()
    }
    slide = np.where((t > 0.7 * seconds) & (t < 0.8 * seconds), 0.1, 0.0)
    return Take(
        name="by-hand",
        stamps=stamps,
        poses={"gripper": T_world_gripper, **fingers},
        width_m=width,
        pad_force_n=np.zeros((len(t), 2)),
        pad_shear_n=np.zeros((len(t), 2, 2)),
        slide_speed_m_per_s=slide,
        impacts=(
            Impact(
                stamp=round(0.6 * seconds * 1e9),
                energy_j=1e-3,
                position=(0.1, 0.0, 0.2),
                bodies=("cube", "finger_left"),
            ),
        ),
        chirps=chirps,
    )


@pytest.fixture(scope="session")
def take():
    return hand_made_take()


@pytest.fixture(scope="session")
def make_take():
    return hand_made_take
