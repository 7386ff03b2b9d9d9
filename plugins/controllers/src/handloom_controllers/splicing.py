"""Splice a new chunk into a running curve without a step in pose or velocity, and brake one to rest."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import quaternion
from handloom_controllers.draft import drafts
from handloom_controllers.planning import Plan
from handloom_controllers.spaces import ORIENTATIONS, POSITIONS
from handloom_controllers.trajectory import Curve, Passing, Track, TrajectoryConfig, Waypoint, Widths

Float64Array = npt.NDArray[np.float64]


class Instant(NamedTuple):
    """One instant, as it is for the arm and for the gripper.

    Attributes:
        arm: int64 ns stamp of the waypoint that the arm is commanded for.
        gripper: Likewise of the width.
    """

    arm: int
    gripper: int


@attrs.frozen(kw_only=True, eq=False)
class Fresh:
    """The waypoints of a chunk, none of them refused.

    Attributes:
        stamps: (N,) int64 ns.
        poses: (N, 7).
        widths_m: (N,).
        first: The first row that the arm has still before it.
    """

    stamps: npt.NDArray[np.int64]
    poses: Float64Array
    widths_m: Float64Array
    first: int

    def waypoints(self) -> tuple[Waypoint, ...]:
        """Return those the arm has still before it."""
        rows = zip(self.stamps[self.first :].tolist(), self.poses[self.first :], strict=True)
        return tuple(Waypoint(stamp, pose[:3].copy(), quaternion.normalize(pose[3:])) for stamp, pose in rows)


def spliced(
    running: Curve, fresh: Fresh, now: Instant, config: TrajectoryConfig, start: tuple[Passing, Passing] | None
) -> tuple[Curve, int]:
    """Return the curve through pending and fresh waypoints, and by how many ns the most delayed one is late.

    Args:
        running: The present curve.
        fresh: The chunk.
        now: When it is spliced in.
        config: Caps, braking and interpolation.
        start: Where the tool really is and how fast, when it is not on the curve.
    """
    waypoints = fresh.waypoints()
    pending = tuple(each for each in running.ahead(now.arm) if each.stamp < waypoints[0].stamp)
    found = None
    if len(pending) >= 2 and start is None and config.interpolation == "cubic":
        found = _kept(running, pending, waypoints, now, config)
    planned = pending[-1:] if found else pending
    curve, plan = found or _anew(
        start or present(running, now.arm), (*pending, *waypoints), running.widths, config
    )
    retimed = [*fresh.stamps[: fresh.first].tolist(), *plan.stamps[1 + len(planned) :]]
    widths = _widths(running.widths, retimed, fresh.widths_m, now.gripper)
    return attrs.evolve(curve, widths=widths), plan.longest_delay


def present(running: Curve, stamp: int) -> tuple[Passing, Passing]:
    """Return where the curve passes at a stamp, in both spaces."""
    return running.positions.passing(stamp), running.orientations.passing(stamp)


def resting(start: tuple[Passing, Passing], widths: Widths) -> Curve:
    """Return the curve that rests at a point."""
    return Curve(
        positions=Track(space=POSITIONS, stamps=(start[0].stamp,), points=(start[0].point,)),
        orientations=Track(space=ORIENTATIONS, stamps=(start[1].stamp,), points=(start[1].point,)),
        widths=widths,
        waypoints=(),
        end=start[0].stamp,
    )


def braked(running: Curve, now: Instant, config: TrajectoryConfig, start: tuple[Passing, Passing] | None) -> Curve:
    """Return the curve that brakes along the present velocity to rest, and nothing after it."""
    begin = start or present(running, now.arm)
    curve = resting(begin, Widths(stamps=(now.gripper,), widths_m=(running.widths.at(now.gripper),)))
    positions, orientations = drafts(config, begin, ())
    for draft in (positions, orientations):
        if draft.moving():
            draft.brake()
    return attrs.evolve(
        curve,
        positions=positions.written([now.arm], curve.positions),
        orientations=orientations.written([now.arm], curve.orientations),
        end=max(positions.begins, orientations.begins),
    )


def resumed(running: Curve, now: Instant, config: TrajectoryConfig, start: tuple[Passing, Passing]) -> Curve:
    """Return the curve from where the tool is to what is still ahead, or to the end if nothing is."""
    rest = Waypoint(now.arm + 1, running.positions.points[-1], running.orientations.points[-1])
    return _anew(start, running.ahead(now.arm) or (rest,), running.widths, config)[0]


def _kept(
    running: Curve,
    pending: Sequence[Waypoint],
    waypoints: Sequence[Waypoint],
    now: Instant,
    config: TrajectoryConfig,
) -> tuple[Curve, Plan] | None:
    """Leave the curve as it is up to the last but one of the pending waypoints; the last one has a new neighbour.

    None where that can't be, because the caps then ask for a later time.
    """
    start = pending[-2].stamp
    plan = Plan(config, present(running, start), (pending[-1], *waypoints))
    if plan.positions.brakes or plan.orientations.brakes or plan.stamps[1] > plan.due[0]:
        return None
    kept = attrs.evolve(
        running,
        positions=running.positions.until(now.arm, start),
        orientations=running.orientations.until(now.arm, start),
        waypoints=tuple(pending[:-1]),
    )
    return _continued(kept, plan, (pending[-1], *waypoints)), plan


def _anew(
    start: tuple[Passing, Passing], waypoints: Sequence[Waypoint], widths: Widths, config: TrajectoryConfig
) -> tuple[Curve, Plan]:
    """Go on from a point and a velocity through all waypoints."""
    plan = Plan(config, start, waypoints)
    return _continued(resting(start, widths), plan, waypoints), plan


def _continued(curve: Curve, plan: Plan, waypoints: Sequence[Waypoint]) -> Curve:
    retimed = tuple(each._replace(stamp=stamp) for each, stamp in zip(waypoints, plan.stamps[1:], strict=True))
    return attrs.evolve(
        curve,
        positions=plan.positions.written(plan.stamps, curve.positions),
        orientations=plan.orientations.written(plan.stamps, curve.orientations),
        waypoints=(*curve.waypoints, *retimed),
        end=plan.stamps[-1],
    )


def _widths(running: Widths, retimed: Sequence[int], widths_m: Float64Array, now: int) -> Widths:
    """Return the widths ahead: they are moved later with the waypoints they belong to.

    One that is past becomes due at once only if it is the last.
    """
    first = min(bisect_right(retimed, now), len(retimed) - 1)
    pending = [
        (stamp, width)
        for stamp, width in zip(running.stamps, running.widths_m, strict=True)
        if now < stamp < retimed[first]
    ]
    ahead = [(max(stamp, now + 1), float(widths_m[first + i])) for i, stamp in enumerate(retimed[first:])]
    stamps, widths = zip((now, running.at(now)), *pending, *ahead, strict=True)
    return Widths(stamps=stamps, widths_m=widths)
