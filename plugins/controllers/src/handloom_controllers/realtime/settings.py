"""How a loop runs: its rate, its watchdogs, how it is scheduled, and what it takes for a trajectory."""

from __future__ import annotations

import math
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import HandloomError
from handloom_controllers.native.structs import new
from handloom_controllers.trajectory import TrajectoryConfig


@attrs.frozen(kw_only=True)
class WaySettings:
    """What the loop takes for a chunk, and how fast it follows one.

    Attributes:
        frame: Frame `a` of the waypoints `T_a_b` it takes.
        body: Body `b`.
        clock: Name of the clock that chunks must be stamped on; "" leaves that to the caller.
        interpolation: "cubic" keeps velocities continuous, "linear" steps them at each waypoint.
        max_speed_m_per_s: Cap on the speed of the curve. Source: PolyUMI's streaming controller, 1.0 m/s.
        max_speed_rad_per_s: Cap on its turning rate. Source: as above, 3.14 rad/s.
        braking_m_per_s2: How hard it brakes. Source: FR3 limit, 9 m/s^2.
        braking_rad_per_s2: Likewise. Source: FR3 limit, 17 rad/s^2.
        contact_speed_m_per_s: A further cap on the speed while contact is expected; infinite for none.
        reach_m: Furthest waypoint that is taken for one, on each axis.
        ahead_s: Furthest a waypoint may lie in the future.
        arm_latency_s: The arm is commanded this much ahead of a waypoint's stamp.
        gripper_latency_s: The gripper likewise.
        gripper_speed_m_per_s: How fast the gripper moves at most; left to it when not said.
        gripper_force_n: How hard it grips at most; likewise.

    Raises:
        HandloomError: A setting is out of range.
    """

    frame: str = "base"
    body: str = "tcp"
    clock: str = ""
    interpolation: Literal["cubic", "linear"] = "cubic"
    max_speed_m_per_s: float = 1.0
    max_speed_rad_per_s: float = math.pi
    braking_m_per_s2: float = 9.0
    braking_rad_per_s2: float = 17.0
    contact_speed_m_per_s: float = math.inf
    reach_m: float = 10.0
    ahead_s: float = 60.0
    arm_latency_s: float = 0.0
    gripper_latency_s: float = 0.0
    gripper_speed_m_per_s: float | None = None
    gripper_force_n: float | None = None

    def __attrs_post_init__(self) -> None:
        for name in ("gripper_speed_m_per_s", "gripper_force_n"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise HandloomError(f"The loop's setting `{name}` is {value}; expected a positive number.")
        if not 0 <= self.gripper_latency_s <= 3600:
            told = f"The loop's setting `gripper_latency_s` is {self.gripper_latency_s:g}; expected 0 to 3600 s."
            raise HandloomError(told)
        self.trajectory()

    def trajectory(self) -> TrajectoryConfig:
        """Return the settings of the trajectory."""
        names = {field.name for field in attrs.fields(TrajectoryConfig)}
        shared = {name: value for name, value in attrs.asdict(self).items() if name in names}
        return TrajectoryConfig(**shared, width_latency_s=self.gripper_latency_s)


@attrs.frozen(kw_only=True)
class LoopSettings:
    """How a loop runs.

    Attributes:
        rate_hz: Cycles a second, 1 to 10000.
        hold_s: The last waypoint is held this long after it was due; then the soft stop begins.
        owner_s: A damped stop when `alive` was not called for this long; 0 asks for no sign of life.
        fifo_priority: SCHED_FIFO with this priority where permitted, 1 to 99; 0 for the ordinary scheduler.
        lock_memory: Keep the process's memory from being swapped out, where that is permitted.
        cpu: Run on this core only; None for any.
        telemetry_every: Keep one record in so many cycles, and one whenever something was noticed.
        telemetry_room: Records that are kept until somebody asks for them.
        chunk_room: Chunks that may wait.
        way: What it takes for a chunk, and how fast it follows.

    Raises:
        HandloomError: A setting is out of range.
    """

    rate_hz: float = 1000.0
    hold_s: float = 0.5
    owner_s: float = 0.0
    fifo_priority: int = 80
    lock_memory: bool = True
    cpu: int | None = None
    telemetry_every: int = 10
    telemetry_room: int = 4096
    chunk_room: int = 8
    way: WaySettings = attrs.field(factory=WaySettings)

    def __attrs_post_init__(self) -> None:
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                raise HandloomError(f"The loop's setting `{name}` is {value}; expected {least:g} to {most:g}.")

    @property
    def period_ns(self) -> int:
        """Time between two cycles."""
        return round(1e9 / self.rate_hz)

    def struct(self) -> npt.NDArray[np.void]:
        """Return it as an hl_loop_config."""
        struct = new("hl_loop_config")
        struct["period_ns"] = self.period_ns
        struct["hold_ns"] = round(self.hold_s * 1e9)
        struct["owner_ns"] = round(self.owner_s * 1e9)
        struct["fifo_priority"] = self.fifo_priority
        struct["lock_memory"] = self.lock_memory
        struct["cpu"] = -1 if self.cpu is None else self.cpu
        struct["telemetry_every"] = self.telemetry_every
        struct["telemetry_room"] = self.telemetry_room
        struct["chunk_room"] = self.chunk_room
        struct["width_speed"] = known(self.way.gripper_speed_m_per_s)
        struct["width_force"] = known(self.way.gripper_force_n)
        return struct


def known(value: float | None) -> float:
    """Return a number, NaN for one that was not said."""
    return math.nan if value is None else value


_RANGES = {
    "rate_hz": (1.0, 10_000.0),
    "hold_s": (0.0, 3600.0),
    "owner_s": (0.0, 3600.0),
    "fifo_priority": (0, 99),
    "cpu": (0, 1023),
    "telemetry_every": (1, 1_000_000),
    "telemetry_room": (1, 1 << 20),
    "chunk_room": (1, 1 << 10),
}
