"""The controller `cartesian_follower`: follows chunks of waypoints in numpy, for tests, simulation and reading.

It shows what the contract of a controller means: splices are smooth, caps hold, bad chunks change nothing. It is
not for a robot's real-time loop: it allocates and runs in Python, hundreds of microseconds a tick.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import CartesianCommand, CartesianState, Chunk, Controller, Fault, Ports, hookimpl
from handloom.api.control import FaultKind
from handloom.errors import HandloomError
from handloom_controllers.numpy_trajectory import NumpyTrajectory
from handloom_controllers.refusal import told, wrong_kind
from handloom_controllers.trajectory import TrajectoryConfig

Float64Array = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True)
class CartesianFollowerConfig:
    """How to follow.

    Attributes:
        frame: Frame `a` of the waypoints `T_a_b` it takes.
        body: Body `b`.
        clock: Name of the clock that chunks must be stamped on; "" leaves that to the caller.
        interpolation: "cubic" keeps velocities continuous, "linear" steps them at each waypoint.
        max_speed_m_per_s: Cap on the commanded speed. Source: PolyUMI's streaming controller, 1.0 m/s.
        max_speed_rad_per_s: Cap on the commanded turning rate. Source: as above, 3.14 rad/s.
        contact_speed_m_per_s: A further cap on the speed while contact is expected; infinite for none.
        braking_m_per_s2: How hard it brakes when carried away from a new waypoint. Source: FR3 limit, 9 m/s^2.
        braking_rad_per_s2: Likewise. Source: FR3 limit, 17 rad/s^2.
        longest_tick_s: A caller that stalls for longer than this gets no leap: the tool sets out anew.
        reach_m: Furthest waypoint that is taken for one, on each axis.
        ahead_s: Furthest a waypoint may lie in the future.
        arm_latency_s: The arm is commanded this much ahead of a waypoint's stamp.
        width_latency_s: The gripper likewise, on its own.
    """

    frame: str = "base"
    body: str = "tcp"
    clock: str = ""
    interpolation: Literal["cubic", "linear"] = "cubic"
    max_speed_m_per_s: float = 1.0
    max_speed_rad_per_s: float = math.pi
    contact_speed_m_per_s: float = math.inf
    braking_m_per_s2: float = 9.0
    braking_rad_per_s2: float = 17.0
    longest_tick_s: float = 0.1
    reach_m: float = 10.0
    ahead_s: float = 60.0
    arm_latency_s: float = 0.0
    width_latency_s: float = 0.0

    def __attrs_post_init__(self) -> None:
        self.trajectory()

    def trajectory(self) -> TrajectoryConfig:
        """Return the settings of the trajectory."""
        names = [field.name for field in attrs.fields(TrajectoryConfig)]
        return TrajectoryConfig(**{name: getattr(self, name) for name in names})


class CartesianFollower(Controller):
    """Follows absolutely stamped waypoints and holds after the last."""

    Config = CartesianFollowerConfig
    summary = "Follows chunks of waypoints smoothly within speed caps, in numpy; not for a real-time loop"

    @classmethod
    def ports(cls, config: CartesianFollowerConfig) -> Ports:
        """Declare nothing: states and chunks come through the contract of controllers."""
        return Ports()

    def __init__(self, config: CartesianFollowerConfig | None = None) -> None:
        super().__init__(config)
        self._trajectory: NumpyTrajectory | None = None
        self._last: tuple[int, Float64Array] = (0, np.zeros(7))  # stamp and pose of the last command
        self._untold: list[Fault] = []
        self._told: frozenset[FaultKind] = frozenset()

    def start(self, state: CartesianState) -> None:
        """Begin at rest at a measured state.

        Raises:
            HandloomError: The state is lost.
        """
        if not np.isfinite(state.pose).all() or not np.any(state.pose[3:]):
            raise HandloomError(f"A controller can't start at the lost pose {state.pose.tolist()}.")
        self.stop()
        self._trajectory = NumpyTrajectory(self.config.trajectory())
        self._trajectory.start(state.stamp, state.pose, state.width_m)
        self._last = state.stamp, self._trajectory.at(state.stamp)[0]

    def accept(self, chunk: Chunk, now: int) -> Fault | None:
        """Splice a chunk in, or refuse it and leave the running trajectory untouched.

        A chunk that the caps stretch is taken; the next step tells by how much.

        Raises:
            HandloomError: The controller was not started.
        """
        trajectory, config = self._running(), self.config
        wrong = wrong_kind(chunk, frame=config.frame, body=config.body, clock=config.clock)
        if wrong:
            return Fault(kind="invalid_chunk", message=wrong, stamp=now)
        report = trajectory.splice(chunk, now)
        fault = told(report, chunk, now)
        if not report.taken:
            return fault
        self._untold, self._told = [fault] if fault else [], frozenset()
        return None

    def step(self, now: int, state: CartesianState) -> tuple[CartesianCommand, Fault | None]:
        """Return the command of this tick, and a fault once when one begins.

        Raises:
            HandloomError: The controller was not started.
        """
        trajectory = self._running()
        before, pose = self._last
        stalled = now - before > self.config.longest_tick_s * 1e9 and trajectory.end > before
        if stalled:
            trajectory.resume(now, pose)
            self._untold.append(Fault(kind="missed_slots", message=_MESSAGES["missed_slots"], stamp=now))
        pose, twist, width_m = trajectory.at(now)
        self._last = max(now, before), pose
        events: dict[FaultKind, bool] = {
            "no_reference": trajectory.moves and now > trajectory.end,
            "lost_state": not np.isfinite(state.pose).all(),
        }
        command = CartesianCommand(stamp=now, pose=pose, twist=twist, width_m=width_m)
        return command, self._news(now, events)

    def stop(self) -> None:
        """Forget the trajectory; the next `start` begins anew."""
        self._trajectory, self._untold, self._told = None, [], frozenset()

    def _running(self) -> NumpyTrajectory:
        if self._trajectory is None:
            raise HandloomError("The controller has no state to begin from; call start first.")
        return self._trajectory

    def _news(self, now: int, events: Mapping[FaultKind, bool]) -> Fault | None:
        """Return the first event that began and was not told yet, else what happened once and was not told yet."""
        present = frozenset(kind for kind, holds in events.items() if holds)
        news = [kind for kind in events if kind in present - self._told]
        self._told = (self._told & present) | frozenset(news[:1])
        if news:
            return Fault(kind=news[0], message=_MESSAGES[news[0]], stamp=now)
        return attrs.evolve(self._untold.pop(0), stamp=now) if self._untold else None


_MESSAGES: Mapping[FaultKind, str] = {
    "missed_slots": "No command was asked for during too long; the tool sets out anew from where it was left.",
    "no_reference": "The last waypoint is past; the tool is held there.",
    "lost_state": "The measured pose is lost; the trajectory goes on without it.",
}


@hookimpl
def controller(kind: str) -> type[Controller]:
    """Answer for `cartesian_follower`."""
    return CartesianFollower
