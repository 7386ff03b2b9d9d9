"""Takes without physics: a path and a width, nothing touched; cheap, and as long as one likes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom_simulation.gripper import STROKE_M
from handloom_simulation.motions.chirps import chirp_stamps
from handloom_simulation.motions.covering import occluder_poses
from handloom_simulation.motions.easing import eased
from handloom_simulation.motions.fingers import finger_poses
from handloom_simulation.motions.script import gripper_poses
from handloom_simulation.motions.settings import Occlusion
from handloom_simulation.motions.tremor import waves
from handloom_simulation.scene.objects import start_poses
from handloom_simulation.take import Take

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

STEP_NS = 1_000_000
"""From row to row of a take."""

_CENTRE = np.array([0.0, -0.05, 0.24, 0.0, 0.8, 0.0])
"""Stance that a synthetic motion sways about, as in `Stance.as_row`."""

_SWAY = np.array([0.12, 0.08, 0.05, 0.25, 0.15, 0.10])
"""RMS of its sway: m and rad."""

_SWAY_HZ = (0.05, 0.8)
"""Moves of a hand at work, up to about 0.5 m/s at this sway."""

_CALM_S = 1.5
"""How long it takes to set out from rest and to come to rest."""


def synthetic_take(
    duration_s: float,
    *,
    seed: int = 0,
    width_hz: float = 0.4,
    chirps_s: tuple[float, ...] = (0.5,),
    occlusions: tuple[Occlusion, ...] = (),
    name: str = "",
) -> Take:
    """Return a random smooth motion in which nothing is touched; the same arguments give the same arrays.

    Args:
        duration_s: How long, at 1 kHz; ten minutes are fine.
        seed: Of the motion and of where things lie.
        width_hz: How often the jaw opens and closes.
        chirps_s: When the sync chirp is played.
        occlusions: What is covered, and when.
        name: Of the take; "synthetic-SEED" if empty.
    """
    stamps = np.arange(round(duration_s * 1e3) + 1, dtype=np.int64) * STEP_NS
    times = (stamps * 1e-9).astype(np.float64)
    rng = np.random.default_rng([seed, 3])
    moving = _moving(times, float(times[-1]))[:, None]
    stances = _CENTRE + moving * _SWAY * waves(times, 6, rng, band_hz=_SWAY_HZ, falling=0.5)
    low, high = 0.1 * STROKE_M, 0.95 * STROKE_M
    cycle = np.cos(2.0 * np.pi * width_hz * times)
    width_m = low + (high - low) * (0.5 + 0.5 * cycle)
    return untouched_take(
        name or f"synthetic-{seed}",
        stamps,
        gripper_poses(stances),
        width_m,
        seed=seed,
        chirps_s=chirps_s,
        occlusions=occlusions,
    )


def _moving(times_s: FloatArray, end_s: float) -> FloatArray:
    """Return 0 at both ends, 1 in between, smooth to the second derivative."""
    return eased(np.minimum(times_s, end_s - times_s) / _CALM_S)


def untouched_take(
    name: str,
    stamps: Int64Array,
    T_world_gripper: FloatArray,
    width_m: FloatArray,
    *,
    seed: int = 0,
    chirps_s: tuple[float, ...] = (0.5,),
    occlusions: tuple[Occlusion, ...] = (),
) -> Take:
    """Return a take along a path in which everything else stands where it starts.

    Args:
        name: Of the take.
        stamps: (N,) int64 ns, 1 ms apart from 0.
        T_world_gripper: (N, 7).
        width_m: (N,).
        seed: Of where things lie.
        chirps_s: When the sync chirp is played.
        occlusions: What is covered, and when.
    """
    count = len(stamps)
    moving = {"gripper": T_world_gripper, **finger_poses(T_world_gripper, width_m)}
    start = start_poses(np.random.default_rng([seed, 0]))
    still = {thing: np.broadcast_to(place, (count, 7)) for thing, place in start.items()}
    return Take(
        name=name,
        stamps=stamps,
        poses={**still, **moving, **occluder_poses(stamps, moving, occlusions)},
        width_m=width_m,
        pad_force_n=np.broadcast_to(0.0, (count, 2)),
        pad_shear_n=np.broadcast_to(0.0, (count, 2, 2)),
        slide_speed_m_per_s=np.broadcast_to(0.0, (count,)),
        chirps=chirp_stamps(chirps_s, float(stamps[-1]) * 1e-9),
    )
