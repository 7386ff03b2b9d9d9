"""Where thumbs, forearm and things in the way are: out of sight, but while they cover a tag."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from handloom.geometry import pose
from handloom_simulation.motions.easing import eased
from handloom_simulation.motions.settings import Occlusion
from handloom_simulation.scene.occluders import Occluder, occluders

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

_ARRIVING_S = 0.15
"""How long what covers takes to come and to go."""

_OUT_OF_SIGHT = np.array([0.0, 0.0, -50.0, 0.0, 0.0, 0.0, 1.0])


def occluder_poses(
    stamps: Int64Array, moving: Mapping[str, FloatArray], occlusions: tuple[Occlusion, ...]
) -> dict[str, FloatArray]:
    """Return T_world_body, (N, 7), of every occluder.

    Args:
        stamps: (N,) int64 ns of simulation time.
        moving: T_world_body, (N, 7), of the fingers.
        occlusions: What is covered, and when.
    """
    times_s = (stamps * 1e-9).astype(np.float64)
    poses = {}
    for (covered, by), occluder in occluders().items():
        near = np.zeros(len(stamps))
        for occlusion in occlusions:
            if (occlusion.covers, occlusion.by) == (covered, by):
                near = np.maximum(near, _nearness(times_s, occlusion))
        poses[occluder.body] = _poses(occluder, near, moving)
    return poses


def _nearness(times_s: FloatArray, occlusion: Occlusion) -> FloatArray:
    """Return 1 while the tag is covered, 0 long before and after, smooth in between."""
    late = np.maximum(occlusion.start_s - times_s, times_s - occlusion.end_s) / _ARRIVING_S
    return eased(1.0 - late)


def _poses(occluder: Occluder, near: FloatArray, moving: Mapping[str, FloatArray]) -> FloatArray:
    if not near.any():
        return np.broadcast_to(_OUT_OF_SIGHT, (len(near), 7))
    T_carrier_body = np.tile(occluder.T_carrier_covering, (len(near), 1))
    T_carrier_body[:, :3] += (1.0 - near)[:, None] * occluder.away_m
    if occluder.carrier != "world":
        T_carrier_body = pose.compose(moving[occluder.carrier], T_carrier_body)
    return np.where(near[:, None] > 0.0, T_carrier_body, _OUT_OF_SIGHT)
