"""Moves the simulated FR3 along a way and returns its telemetry: what every plot is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Chunk
from handloom.geometry import pose
from handloom_controllers.impedance import Impedance, ImpedanceConfig
from handloom_controllers.realtime import LoopSettings, RealTimeLoop, WaySettings
from handloom_simulation.arm.plant import Truth
from handloom_simulation.arm.robots import MujocoFr3
from handloom_simulation.arm.settings import Block, MujocoFr3Config

FloatArray = npt.NDArray[np.float64]

TOOL = (0.0, 0.0, 0.1034, 0.0, 0.0, 0.0, 1.0)
BALL_M = 0.02
"""The tool is a ball: where it touches a wall does not depend on how the hand is turned."""

NO_REFLEX = ("joint_reflex", "cartesian_reflex", "joint_velocity_violation", "power_limit_violation")
_NEVER = 1e6
"""No contact is taken for a collision: a plot of hard contacts needs an arm that does not stop itself."""

_TICK_S, _WAYPOINT_S, _HORIZON = 0.1, 0.02, 32


@attrs.frozen(kw_only=True, eq=False)
class Motion:
    """What an arm did.

    Attributes:
        seconds: (N,) since the way began.
        records: (N,) telemetry of every cycle.
        truth: What the simulation knows at the end.
    """

    seconds: FloatArray
    records: npt.NDArray[np.void]
    truth: Truth

    @property
    def tool(self) -> FloatArray:
        """(N, 3) way of the tool from where it began, mm."""
        return 1e3 * (self.records["T_base_tcp"][:, :3] - self.records["T_base_tcp"][0, :3])

    @property
    def reference(self) -> FloatArray:
        """(N, 3) way of the reference, mm."""
        return 1e3 * (self.records["reference"][:, :3] - self.records["reference"][0, :3])


_ARM = MujocoFr3Config(
    hand=False,
    gripper="",
    probe_radius_m=BALL_M,
    probe_at_m=(0.0, 0.0, 0.1034),
    floor=False,
    first_stamp_ns=10**9,
    ignored_reflexes=NO_REFLEX,
    collision_force_n=_NEVER,
    collision_torque_nm=_NEVER,
    collision_joint_torque_nm=(_NEVER,),
)


def along(
    way: Callable[[FloatArray], FloatArray],
    seconds: float,
    *,
    gains: dict[str, Any] | None = None,
    caps: dict[str, Any] | None = None,
    blocks: Callable[[FloatArray], tuple[Block, ...]] | None = None,
    push: tuple[float, FloatArray, float] | None = None,
    at_once: bool = False,
) -> Motion:
    """Follow a way.

    Args:
        way: Gives the (N, 3) way of the tool in base axes, m, at (N,) seconds; 0 at 0.
        seconds: How long.
        gains: Of the impedance law.
        caps: Of the loop's way.
        blocks: Gives what stands beside the arm, from where its tool is, (3,).
        push: When, s, with which wrench (6,), and for how long, s.
        at_once: Send the whole way as one chunk, instead of a chunk every 0.1 s.
    """
    law = Impedance(ImpedanceConfig(T_flange_tcp=TOOL, **(gains or {})))
    settings = LoopSettings(
        telemetry_every=1,
        telemetry_room=1 << 17,
        hold_s=10.0,
        way=WaySettings(**({"max_speed_m_per_s": 2.0} | (caps or {}))),
    )
    robot = MujocoFr3(_ARM)
    with robot:
        start = pose.compose(robot.read().T_base_flange, TOOL)
    config = attrs.evolve(_ARM, blocks=blocks(start[:3]) if blocks else ())
    with MujocoFr3(config) as robot, RealTimeLoop(robot, law, settings) as loop:
        begin = robot.read().stamp
        for tick in range(round(seconds / _TICK_S)):
            if push and tick == round(push[0] / _TICK_S):
                robot.push(push[1], push[2])
            if not (at_once and tick):
                rows = round(min(seconds / _WAYPOINT_S, 256)) if at_once else _HORIZON
                loop.push(_chunk(way, begin + round(tick * _TICK_S * 1e9), tick * _TICK_S, rows, start))
            loop.run(round(_TICK_S * settings.rate_hz))
        records, truth = loop.telemetry(), robot.plant.truth()
    return Motion(seconds=(records["stamp_ns"] - begin) * 1e-9, records=records, truth=truth)


def _chunk(way: Callable[[FloatArray], FloatArray], now: int, now_s: float, rows: int, start: FloatArray) -> Chunk:
    ahead = _WAYPOINT_S * np.arange(1, rows + 1)
    poses = np.tile(start, (rows, 1))
    poses[:, :3] += way(now_s + ahead)
    return Chunk(
        stamps=now + np.rint(ahead * 1e9).astype(np.int64),
        clock="",
        poses=poses,
        widths_m=np.full(rows, np.nan),
        frame="base",
        body="tcp",
        observed=now,
    )


def along_x(metres: FloatArray) -> FloatArray:
    """Return a (N, 3) way along the base's x axis."""
    return np.stack([metres, 0 * metres, 0 * metres], axis=1)


def chirp(seconds: FloatArray, *, first_hz: float = 0.1, last_hz: float = 1.0, over_s: float = 10.0) -> FloatArray:
    """Return a (N, 3) way along x of 30 mm, ever faster."""
    rate = first_hz + 0.5 * (last_hz - first_hz) * seconds / over_s
    return along_x(0.03 * np.sin(2 * np.pi * rate * seconds))


def ramp(seconds: FloatArray, *, speed: float, metres: float = 0.3, rest_s: float = 0.3) -> FloatArray:
    """Return a (N, 3) way along x at one speed, at rest before and after."""
    return along_x(np.clip((seconds - rest_s) * speed, 0.0, metres))
