"""Moves that every demonstration is made of: the start, grasping a thing, letting it go."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.geometry import quaternion
from handloom_simulation.motions.script import Stance
from handloom_simulation.motions.writer import ScriptWriter
from handloom_simulation.scene.objects import THINGS

FloatArray = npt.NDArray[np.float64]

OPEN_M = 0.080
"""How far the jaw is open when it holds nothing: nearly all of its stroke."""

SQUEEZE_M = 0.010
"""By how much further than a thing's width the trigger is pulled: 12 N on each pad."""

LOWEST_TCP_M = 0.026
"""The tool's height at which the pads' lower corners are a few millimetres above the table, at the usual pitch."""


def home(rng: np.random.Generator, towards_x_m: float = 0.0) -> Stance:
    """Return where a demonstration starts: most of the way to what it is about, and never quite the same."""
    x, y, z = np.array([0.6 * towards_x_m, -0.16, 0.18]) + rng.uniform(-0.02, 0.02, 3)
    return Stance(tcp_m=(x, y, z), yaw_rad=rng.uniform(-0.1, 0.1), pitch_rad=rng.uniform(0.65, 0.8))


def yaw_of(T_world_thing: FloatArray) -> float:
    """Return how far a thing that stands upright is turned about the vertical."""
    return float(quaternion.to_rotvec(T_world_thing[3:])[2])


def grasp_width(name: str) -> float:
    """Return the distance between the pads when they touch a thing on both sides, m."""
    return 2.0 * THINGS[name].size_m[0]


def grasp(
    writer: ScriptWriter, name: str, T_world_thing: FloatArray, *, above_centre_m: float = 0.006
) -> FloatArray:
    """Go to a thing, close the jaw on it, and stay; return where the tool is then, (3,) m."""
    x, y, z = T_world_thing[:3]
    at = np.array([x, y, max(z + above_centre_m, LOWEST_TCP_M)])
    yaw = yaw_of(T_world_thing)
    writer.go(np.add(at, [0.0, -0.03, 0.09]), yaw_rad=yaw, pitch_rad=0.9, through=True)
    writer.go(np.add(at, [0.0, 0.0, 0.05]), through=True)
    writer.go(at, slowly=1.3)
    writer.jaw(grasp_width(name) - SQUEEZE_M, 0.4)
    writer.rest(0.15)
    return at


def release(writer: ScriptWriter, *, up_m: float = 0.10) -> None:
    """Open the jaw and draw back upwards."""
    writer.rest(0.15)
    writer.jaw(OPEN_M, 0.35)
    at = np.asarray(writer.stance.tcp_m)
    writer.go(np.add(at, [0.0, 0.0, 0.04]), slowly=1.3, through=True)
    writer.go(np.add(at, [0.0, -0.04, up_m]), through=True)


def carry(writer: ScriptWriter, to_m: npt.ArrayLike, *, yaw_rad: float, height_m: float) -> None:
    """Lift what is held, bring it over a place at a height, and lower it there, (3,) m for the tool."""
    start, end = np.asarray(writer.stance.tcp_m), np.asarray(to_m, dtype=np.float64)
    writer.go(np.add(start, [0.0, 0.0, 0.04]), slowly=1.2, through=True)
    middle = 0.5 * (start + end)
    writer.go([middle[0], middle[1], height_m + 0.02], yaw_rad=yaw_rad, through=True)
    writer.go([end[0], end[1], height_m], through=True)
    writer.go(end, slowly=1.5)
