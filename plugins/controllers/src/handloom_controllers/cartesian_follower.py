"""The controller `cartesian_follower`: follows chunks of waypoints in numpy, for tests, simulation and reading.

It shows what the contract of a controller means: splices are smooth, caps hold, bad chunks change nothing. It is
not for a robot's real-time loop: it allocates and runs in Python, hundreds of microseconds a tick.
"""

from __future__ import annotations

import math
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import CartesianCommand, CartesianState, Chunk, Controller, Fault, Ports, hookimpl
from handloom.errors import HandloomError
from handloom.geometry import quaternion
from handloom_controllers.hermite import turn_between
from handloom_controllers.refusal import Expected, refusal
from handloom_controllers.splicing import Limits, splice
from handloom_controllers.trajectory import AT_REST, Trajectory, passing

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
        braking_m_per_s2: How hard it brakes when carried away from a new waypoint. Source: FR3 limit, 9 m/s^2.
        braking_rad_per_s2: Likewise. Source: FR3 limit, 17 rad/s^2.
        longest_tick_s: Time that one tick may make good at most; a stalled caller gets no leap.
        reach_m: Furthest waypoint that is taken for one, on each axis.
        ahead_s: Furthest a waypoint may lie in the future.
    """

    frame: str = "base"
    body: str = "tcp"
    clock: str = ""
    interpolation: Literal["cubic", "linear"] = "cubic"
    max_speed_m_per_s: float = 1.0
    max_speed_rad_per_s: float = math.pi
    braking_m_per_s2: float = 9.0
    braking_rad_per_s2: float = 17.0
    longest_tick_s: float = 0.1
    reach_m: float = 10.0
    ahead_s: float = 60.0


@attrs.frozen(kw_only=True, eq=False)
class _Output:
    """The last command, and whether a cap held it back from the curve."""

    stamp: int
    pose: Float64Array
    twist: Float64Array
    held_back: bool


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
        self._trajectory: Trajectory | None = None
        self._output: _Output | None = None
        self._last_observed: int | None = None
        self._told: frozenset[str] = frozenset()

    def start(self, state: CartesianState) -> None:
        """Begin at rest at a measured state.

        Raises:
            HandloomError: The state is lost.
        """
        if not np.isfinite(state.pose).all() or not np.any(state.pose[3:]):
            raise HandloomError(f"A controller can't start at the lost pose {state.pose.tolist()}.")
        self.stop()
        pose = np.concatenate([state.pose[:3], quaternion.normalize(state.pose[3:])])
        start = passing(state.stamp, pose, AT_REST, state.width_m)
        self._trajectory = Trajectory(knots=(start,), interpolation=self.config.interpolation)
        self._output = _Output(stamp=state.stamp, pose=pose, twist=AT_REST, held_back=False)

    def accept(self, chunk: Chunk, now: int) -> Fault | None:
        """Splice a chunk in, or refuse it and leave the running trajectory untouched.

        Raises:
            HandloomError: The controller was not started.
        """
        trajectory, output = self._running()
        found = refusal(chunk, now, self._expected(), self._last_observed)
        if found:
            return Fault(kind=found.kind, message=found.message, stamp=now)
        from_pose = None
        if output.held_back:
            from_pose = passing(now, output.pose, output.twist, trajectory.at(now)[2])
        self._trajectory = splice(trajectory, chunk, now, self._limits(), from_pose=from_pose)
        self._last_observed = chunk.observed
        self._told = frozenset()
        return None

    def step(self, now: int, state: CartesianState) -> tuple[CartesianCommand, Fault | None]:
        """Return the command of this tick, and a fault once when one begins.

        Raises:
            HandloomError: The controller was not started.
        """
        trajectory, output = self._running()
        target, twist, width_m = trajectory.at(now)
        elapsed_s = min(max((now - output.stamp) * 1e-9, 0.0), self.config.longest_tick_s)
        self._output = self._capped(max(now, output.stamp), output.pose, target, twist, elapsed_s)
        command = CartesianCommand(stamp=now, pose=self._output.pose, twist=self._output.twist, width_m=width_m)
        return command, self._fault(now, state, trajectory)

    def stop(self) -> None:
        """Forget the trajectory; the next `start` begins anew."""
        self._trajectory = self._output = self._last_observed = None
        self._told = frozenset()

    def _running(self) -> tuple[Trajectory, _Output]:
        if self._trajectory is None or self._output is None:
            raise HandloomError("The controller has no state to begin from; call start first.")
        return self._trajectory, self._output

    def _capped(
        self, now: int, pose: Float64Array, target: Float64Array, twist: Float64Array, elapsed_s: float
    ) -> _Output:
        """Move from the last pose towards the curve, no faster than the caps."""
        caps = (self.config.max_speed_m_per_s, self.config.max_speed_rad_per_s)
        shift, slow = _shortened(target[:3] - pose[:3], caps[0] * elapsed_s)
        turn, slow_turn = _shortened(turn_between(pose, target), caps[1] * elapsed_s)
        if not slow and not slow_turn:
            linear, angular = _shortened(twist[:3], caps[0])[0], _shortened(twist[3:], caps[1])[0]
            reached = target
        else:
            turned = quaternion.normalize(quaternion.multiply(pose[3:], quaternion.from_rotvec(turn)))
            reached = np.concatenate([pose[:3] + shift, turned])
            per_s = 1 / elapsed_s if elapsed_s else 0.0
            linear, angular = shift * per_s, quaternion.rotate(turned, turn * per_s)
        held_back = slow or slow_turn
        return _Output(stamp=now, pose=reached, twist=np.concatenate([linear, angular]), held_back=held_back)

    def _fault(self, now: int, state: CartesianState, trajectory: Trajectory) -> Fault | None:
        """Return the first event that began with this tick and was not told yet."""
        events = {
            "no_reference": len(trajectory.knots) > 1 and now > trajectory.end,
            "clip_reached": self._output is not None and self._output.held_back,
            "lost_state": not np.isfinite(state.pose).all(),
        }
        present = frozenset(kind for kind, holds in events.items() if holds)
        news = [kind for kind in events if kind in present - self._told]
        self._told = (self._told & present) | frozenset(news[:1])
        return Fault(kind=news[0], message=_MESSAGES[news[0]], stamp=now) if news else None  # type: ignore[arg-type]

    def _expected(self) -> Expected:
        config = self.config
        return Expected(
            frame=config.frame,
            body=config.body,
            clock=config.clock,
            reach_m=config.reach_m,
            ahead_s=config.ahead_s,
        )

    def _limits(self) -> Limits:
        config = self.config
        return Limits(
            speeds=(config.max_speed_m_per_s, config.max_speed_rad_per_s),
            braking=(config.braking_m_per_s2, config.braking_rad_per_s2),
        )


_MESSAGES = {
    "no_reference": "The last waypoint is past; the tool is held there.",
    "clip_reached": "The waypoints ask for more than the speed caps allow; the tool lags behind them.",
    "lost_state": "The measured pose is lost; the trajectory goes on without it.",
}


def _shortened(vector: Float64Array, limit: float) -> tuple[Float64Array, bool]:
    """Return the vector no longer than the limit, and whether it had to be shortened."""
    length = float(np.linalg.norm(vector))
    # A hair of tolerance: a curve at exactly the cap is not held back by rounding.
    if length <= limit * (1 + 1e-9) or length < 1e-12:
        return vector, False
    return vector * (limit / length), True


@hookimpl
def controller(kind: str) -> type[Controller]:
    """Answer for `cartesian_follower`."""
    return CartesianFollower
