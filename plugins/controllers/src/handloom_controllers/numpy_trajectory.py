"""The trajectory of the real-time library in numpy: what it means, for tests, simulation and reading."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.api import Chunk
from handloom.errors import HandloomError
from handloom.geometry import IDENTITY, quaternion
from handloom_controllers.refusal import MOST_WAYPOINTS, Expected, SpliceReport, refusal
from handloom_controllers.splicing import Fresh, Instant, braked, present, resting, resumed, spliced
from handloom_controllers.trajectory import Passing, TrajectoryConfig, Widths

Float64Array = npt.NDArray[np.float64]

MOST_WIDTHS = 3 * MOST_WAYPOINTS
"""How many widths may be ahead at once."""


class NumpyTrajectory:
    """Absolutely stamped waypoints, the curve through them, and splicing."""

    def __init__(self, config: TrajectoryConfig | None = None) -> None:
        self.config = config or TrajectoryConfig()
        self._latency = Instant(round(self.config.arm_latency_s * 1e9), round(self.config.width_latency_s * 1e9))
        self._tool: tuple[Passing, Passing] | None = None
        self._last_observed: int | None = None
        self.start(0, IDENTITY)

    def start(self, stamp: int, T_base_tcp: Float64Array, width_m: float = float("nan")) -> None:
        """Begin at rest; forgets everything before.

        Args:
            stamp: int64 ns.
            T_base_tcp: (7,) metres and quaternion x y z w.
            width_m: Of the gripper; NaN without one.

        Raises:
            HandloomError: The pose is lost.
        """
        at = self._passing(stamp, T_base_tcp, np.zeros(6))
        width = width_m if np.isfinite(width_m) else float("nan")
        self._curve = resting(at, Widths(stamps=(stamp,), widths_m=(width,)))
        self._tool = self._last_observed = None

    def splice(self, chunk: Chunk, now: int) -> SpliceReport:
        """Splice a chunk in, or refuse it and leave the running trajectory as it was."""
        instant = self._instant(now)
        expected = Expected(
            reach_m=self.config.reach_m,
            ahead_ns=round(self.config.ahead_s * 1e9),
            last_observed=self._last_observed,
        )
        refused = refusal(chunk, now, instant.arm, expected) or self._too_many(chunk, instant)
        if refused:
            return refused
        first = int(np.searchsorted(chunk.stamps, instant.arm, side="right"))
        fresh = Fresh(stamps=chunk.stamps, poses=chunk.poses, widths_m=chunk.widths_m, first=first)
        self._curve, delay = spliced(self._curve, fresh, instant, self.config, self._tool_at(instant.arm))
        self._tool, self._last_observed = None, chunk.observed
        return SpliceReport("stretched_chunk" if delay else "taken", dropped=first, stretched_ns=delay)

    def rebase(self, now: int, T_base_tcp: Float64Array, twist: Float64Array) -> None:
        """Go on from another pose and (6,) twist than the curve's at the next splice or brake.

        Raises:
            HandloomError: The pose or the twist is lost.
        """
        self._tool = self._passing(self._instant(now).arm, T_base_tcp, twist)

    def brake(self, now: int) -> int:
        """Replace everything ahead by braking to rest; return the stamp from which on the command rests."""
        instant = self._instant(now)
        self._curve = braked(self._curve, instant, self.config, self._tool_at(instant.arm))
        self._tool = None
        return self._curve.end - self._latency.arm

    def resume(self, now: int, T_base_tcp: Float64Array) -> None:
        """Set out anew from where the tool rests, after a time in which nobody moved it.

        Raises:
            HandloomError: The pose is lost.
        """
        instant = self._instant(now)
        start = self._passing(instant.arm, T_base_tcp, np.zeros(6))
        self._curve, self._tool = resumed(self._curve, instant, self.config, start), None

    def at(self, stamp: int) -> tuple[Float64Array, Float64Array, float]:
        """Return the (7,) pose, the (6,) twist in base axes and the gripper width commanded at a stamp."""
        instant = self._instant(stamp)
        position, orientation = present(self._curve, instant.arm)
        angular = quaternion.rotate(orientation.point, orientation.velocity)
        pose = np.concatenate([position.point, orientation.point])
        return pose, np.concatenate([position.velocity, angular]), self._curve.widths.at(instant.gripper)

    def at_many(self, stamps: npt.NDArray[np.int64]) -> Float64Array:
        """Return the same for many stamps: (N, 14), pose, twist and width."""
        rows = [np.concatenate([pose, twist, [width]]) for pose, twist, width in map(self.at, stamps.tolist())]
        return np.array(rows).reshape(-1, 14)

    @property
    def moves(self) -> bool:
        """Whether there is a waypoint, past or ahead."""
        return bool(self._curve.waypoints)

    @property
    def end(self) -> int:
        """int64 ns stamp of the last waypoint, as it was retimed."""
        return self._curve.end

    def pending(self, now: int) -> tuple[npt.NDArray[np.int64], Float64Array]:
        """Return the (N,) stamps and (N, 7) poses of the waypoints ahead, as they were retimed."""
        ahead = self._curve.ahead(self._instant(now).arm)
        stamps = np.array([waypoint.stamp for waypoint in ahead], dtype=np.int64)
        poses = [np.concatenate([waypoint.position, waypoint.orientation]) for waypoint in ahead]
        return stamps, np.array(poses, dtype=np.float64).reshape(-1, 7)

    def _instant(self, stamp: int) -> Instant:
        return Instant(stamp + self._latency.arm, stamp + self._latency.gripper)

    def _tool_at(self, stamp: int) -> tuple[Passing, Passing] | None:
        return self._tool and (self._tool[0]._replace(stamp=stamp), self._tool[1]._replace(stamp=stamp))

    def _too_many(self, chunk: Chunk, now: Instant) -> SpliceReport | None:
        fresh = chunk.stamps[chunk.stamps > now.arm]
        kept = sum(waypoint.stamp < fresh[0] for waypoint in self._curve.ahead(now.arm))
        widths_ahead = sum(stamp > now.gripper for stamp in self._curve.widths.stamps)
        if kept + len(fresh) <= MOST_WAYPOINTS and widths_ahead + 1 + len(chunk.stamps) <= MOST_WIDTHS:
            return None
        return SpliceReport("invalid_chunk", "too_many", MOST_WAYPOINTS - kept + len(chunk.stamps) - len(fresh))

    def _passing(self, stamp: int, T_base_tcp: Float64Array, twist: Float64Array) -> tuple[Passing, Passing]:
        if not (np.isfinite(T_base_tcp).all() and np.any(T_base_tcp[3:]) and np.isfinite(twist).all()):
            raise HandloomError(
                f"A trajectory can't go on from the lost pose {T_base_tcp.tolist()} or twist {twist.tolist()}."
            )
        orientation = quaternion.normalize(T_base_tcp[3:])
        angular = quaternion.rotate(quaternion.conjugate(orientation), twist[3:])
        return Passing(stamp, T_base_tcp[:3].copy(), twist[:3].copy()), Passing(stamp, orientation, angular)
