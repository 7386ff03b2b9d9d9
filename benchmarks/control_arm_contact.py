"""How hard the arm presses on a wall while its reference goes 0.3 m into it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

import attrs
import numpy as np

from benchmarks.control_arm_lab import BALL_M, arm, chunk, law, tool_at_start
from benchmarks.harness import Bar, Measured
from handloom_controllers.realtime import LoopSettings, RealTimeLoop, WaySettings
from handloom_simulation.arm.settings import Vector, wall

BOUND_N = 20.0
"""Stiffness 2000 N/m times the clip of 0.01 m."""

APPROACH_M_PER_S = 0.1
SPEEDS_M_PER_S = (0.05, 0.1, 0.2, 0.5)
CAP_M_PER_S = 0.05
GAP_M, DEPTH_M = 0.06, 0.3
WALLS: Mapping[str, Vector] = {"facing it": (-1.0, 0.0, 0.0), "along (1,1,1)": (1.0, 1.0, 1.0)}
TABLE: Vector = (0.0, 0.0, 1.0)
HALF_M: Vector = (0.1, 0.07, 0.07)
"""Of the wall: small enough to meet the ball only."""


@attrs.frozen(kw_only=True)
class Touched:
    """Forces on the arm by the bound of 20 N.

    Attributes:
        static: Mean over the last 0.3 s.
        peak: Largest.
    """

    static: float
    peak: float


@cache
def touched(normal: Vector, speed_m_per_s: float, cap_m_per_s: float = math.inf) -> Touched:
    """Let the reference go into a wall at a speed, or at the contact-speed cap, and stay there."""
    at_start, unit = tool_at_start(), np.array(normal) / np.linalg.norm(normal)
    point = at_start[:3] - unit * (BALL_M + GAP_M)
    block = wall(point_m=(point[0], point[1], point[2]), normal=normal, half_m=HALF_M)
    way = WaySettings(contact_speed_m_per_s=cap_m_per_s)
    duration = (GAP_M + DEPTH_M) / speed_m_per_s
    taken = (GAP_M + DEPTH_M) / min(speed_m_per_s, cap_m_per_s)
    times = np.linspace(0.0, duration, max(2, round(duration / 0.05)))
    positions = at_start[:3] - np.outer(speed_m_per_s * times, unit)
    robot = arm(block)
    with robot, RealTimeLoop(robot, law(), LoopSettings(hold_s=100.0, way=way)) as loop:
        robot.read()
        loop.push(chunk(0.1 + times, positions, at_start, 0.0))
        loop.run(round(1e3 * (0.1 + taken) + 1500))
        peak = robot.plant.truth().contact_peak_n
        pressed = []
        for _ in range(300):
            loop.run(1)
            pressed.append(float(np.linalg.norm(robot.plant.truth().contact_force_n)))
        assert loop.status().stop == "none", loop.status()
    return Touched(static=float(np.mean(pressed)) / BOUND_N, peak=peak / BOUND_N)


def contact_bars(*, quick: bool) -> list[Bar]:
    """Return three bars for each wall; a quick run leaves out the other speeds."""
    speeds = (APPROACH_M_PER_S,) if quick else SPEEDS_M_PER_S
    return [bar for name, normal in WALLS.items() for bar in _bars(name, normal, speeds, table=not quick)]


def _bars(name: str, normal: Vector, speeds: tuple[float, ...], *, table: bool) -> list[Bar]:
    def slow() -> Touched:
        return touched(normal, APPROACH_M_PER_S)

    def peaks() -> Mapping[str, float]:
        found = {f"at_{speed:g}_m_per_s": touched(normal, speed).peak for speed in speeds}
        down = {f"table_at_{speed:g}_m_per_s": touched(TABLE, speed).peak for speed in speeds if table}
        capped = {f"at_0.5_capped_to_{CAP_M_PER_S:g}_m_per_s": touched(normal, 0.5, CAP_M_PER_S).peak}
        return found | capped | (down if normal == WALLS["facing it"] else {})

    unit = "x 20 N, the stiffness times the clip"
    return [
        Bar(
            name=f"force at rest on a wall {name}, at least",
            goal=0.85,
            compare=">=",
            unit=unit,
            measure=lambda: Measured(value=slow().static),
        ),
        Bar(
            name=f"force at rest on a wall {name}, at most",
            goal=1.15,
            compare="<=",
            unit=unit,
            measure=lambda: Measured(value=slow().static),
        ),
        Bar(
            name=f"peak of the force on a wall {name}, touched at 0.1 m/s",
            goal=2.2,
            compare="<=",
            unit=unit,
            measure=lambda: Measured(value=slow().peak, figures=peaks()),
        ),
    ]
