"""Whether a path keeps its distance from the table and the arm's own links, between samples too."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom_controllers.collision import Collisions, Near
from handloom_controllers.gate.path import Path

Float64Array = npt.NDArray[np.float64]

_ROUNDING_M = 1e-9

_AHEAD = 64
"""Points that are looked at together; few distances last for longer."""


@attrs.frozen(kw_only=True, eq=False)
class Clearance:
    """Follows a path in steps no longer than the distance that is left (conservative advancement).

    Nothing of the arm moves further than the sum over the joints of angle times reach, so a pair that is d apart
    can't meet before that sum has grown by d. A thin obstacle can't be passed through between two samples.

    Attributes:
        collisions: Measures distances.
        clearance_m: What the end of a path keeps; on the way it is three quarters at the samples, and so half
            between them.
    """

    collisions: Collisions
    clearance_m: float

    def begin(self, q: Float64Array) -> tuple[tuple[str, str], ...]:
        """Take a posture for granted: pairs too near there may stay so and part, but end no nearer."""
        return self.collisions.credit(q, self.clearance_m)

    def breach(self, path: Path) -> Near | None:
        """Return the pair that comes too near on a path; None where none does."""
        if not self.collisions.sees:
            return None
        near = self.collisions.nearest(path.end)
        if near and near.distance_m < self.clearance_m - _ROUNDING_M:
            return near
        return self.on_the_way(path)

    def on_the_way(self, path: Path) -> Near | None:
        """Return the pair that comes too near before the end; None where none does."""
        points = path.points().q
        turned = np.zeros_like(points)
        np.cumsum(np.abs(np.diff(points, axis=0)), axis=0, out=turned[1:])
        place, share, before_m, leaving = 0, 0.0, 0.0, True
        while place < len(points) - 1:
            codes, distances = self.collisions.contacts(_between(points, place, share))
            near = self.collisions.near(codes, distances)
            near_m = near.distance_m if near else self.collisions.sight_m
            # An arm that was stopped on its way may stand as near as that; it may leave, not linger.
            leaving = leaving and near_m < 0.75 * self.clearance_m and near_m >= before_m
            if near and near_m < 0.75 * self.clearance_m and not leaving:
                return near
            before_m = near_m
            place, share = self._advanced(turned, place, share, codes, distances)
        return None

    def _advanced(
        self,
        turned: Float64Array,
        place: int,
        share: float,
        codes: npt.NDArray[np.int64],
        distances: Float64Array,
    ) -> tuple[int, float]:
        """Return how far the path is clear whatever it does: the point, and the share of the way to the next."""
        rows = turned[place : place + _AHEAD]
        here = _between(turned, place, share)
        # The last column stands for all the pairs out of sight.
        reach = np.vstack([self.collisions.pair_reach_m[codes], self.collisions.reach_m])
        room = np.append(distances, self.collisions.sight_m) - 0.5 * self.clearance_m
        np.maximum(room, 0.02 * self.clearance_m, out=room)
        nearer = (rows - here) @ reach.T - room
        free = (nearer <= 0).all(axis=1)
        last = len(rows) if free.all() else int(free.argmin())
        if last == len(rows):
            return place + last - 1, 0.0
        before, after = nearer[last - 1], nearer[last]
        crossing = after > 0
        shares = -before[crossing] / (after[crossing] - before[crossing])
        return place + last - 1, float(shares.min())


def _between(rows: Float64Array, place: int, share: float) -> Float64Array:
    """Return the row that lies a share of the way from one to the next."""
    between: Float64Array = rows[place] + share * (rows[place + 1] - rows[place])
    return between
