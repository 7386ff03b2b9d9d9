"""The motions that the contract of controllers puts a controller through, and how two poses differ."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from handloom.api import CartesianCommand, CartesianState, Chunk, Fault
from handloom.geometry import quaternion
from handloom.testing.component_contract import ComponentContract

Float64Array = npt.NDArray[np.float64]

START = 10_000_000_000
"""int64 ns at which every test starts the controller."""

REST = np.array([0.4, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0])
"""(7,) pose at the start: before the base, pointing down."""


class ControllerScenario(ComponentContract):
    """Inherit `ControllerContract` instead; these are the motions it is made of.

    Attributes:
        frame: Frame `a` of the waypoints `T_a_b`.
        body: Body `b`.
        clock: Name of the controller's clock.
        max_speed_m_per_s: Cap on the tool's speed.
        max_speed_rad_per_s: Cap on its turning rate.
        tick_ns: Time between two steps.
        smooth: Whether velocity is continuous too.
    """

    frame: ClassVar[str] = "base"
    body: ClassVar[str] = "tcp"
    clock: ClassVar[str] = "robot"
    max_speed_m_per_s: ClassVar[float] = 1.0
    max_speed_rad_per_s: ClassVar[float] = math.pi
    tick_ns: ClassVar[int] = 5_000_000
    smooth: ClassVar[bool] = True

    def started(self) -> Any:
        """Return a controller started at rest."""
        controller = self.make()
        controller.start(CartesianState(stamp=START, pose=REST.copy(), width_m=0.05))
        return controller

    def chunk(self, times_s: Iterable[float], moves: Iterable[Iterable[float]], observed_s: float = 0.0) -> Chunk:
        """Return a chunk by seconds after the start and (x m, turn about z rad) from the pose at rest."""
        times = np.asarray(list(times_s), dtype=np.float64)
        return Chunk(
            stamps=START + np.rint(times * 1e9).astype(np.int64),
            clock=self.clock,
            poses=np.stack([moved(*move) for move in moves]),
            widths_m=np.full(len(times), 0.05),
            frame=self.frame,
            body=self.body,
            observed=START + round(observed_s * 1e9),
        )

    def line(self, start_s: float, end_s: float, *, speed: float = 0.1, observed_s: float = 0.0) -> Chunk:
        """Return waypoints every 0.1 s on a line through the pose at rest, 0.1 m/s and 0.2 rad/s by default."""
        times = np.arange(round(start_s * 10), round(end_s * 10) + 1) / 10
        return self.chunk(times, [(speed * t, 2 * speed * t) for t in times], observed_s)

    def steps(
        self, controller: Any, start_s: float, end_s: float, *, every: int = 1
    ) -> list[tuple[CartesianCommand, Fault | None]]:
        """Step a controller at its rate, or at every n-th tick only; start included, end not.

        The measured pose is the one commanded before.
        """
        ticks = range(START + round(start_s * 1e9), START + round(end_s * 1e9), every * self.tick_ns)
        answers: list[tuple[CartesianCommand, Fault | None]] = []
        pose = REST
        for now in ticks:
            answers.append(controller.step(now, CartesianState(stamp=now, pose=pose, width_m=0.05)))
            pose = answers[-1][0].pose
        return answers

    def at_rest(self) -> CartesianCommand:
        """Return what was commanded, so to say, before the start."""
        return CartesianCommand(stamp=START, pose=REST.copy(), twist=np.zeros(6), width_m=0.05)


def distance(first: Float64Array, second: Float64Array) -> float:
    """Return the distance between two poses (7,) in metres."""
    return float(np.linalg.norm(first[:3] - second[:3]))


def angle(first: Float64Array, second: Float64Array) -> float:
    """Return the angle between two poses (7,) in radians."""
    return float(quaternion.angle_between(first[3:], second[3:]))


def moved(x: float, turn: float) -> Float64Array:
    """Return the pose (7,) at rest moved by x metres and turned about the base's z axis."""
    cos, sin = math.cos(turn / 2), math.sin(turn / 2)
    # (0, 0, sin, cos) * (1, 0, 0, 0) = (cos, sin, 0, 0): the product of the turn and the rest orientation.
    return np.array([REST[0] + x, REST[1], REST[2], cos, sin, 0.0, 0.0])
