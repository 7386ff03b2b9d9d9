"""When waypoints are passed: in time where the speed caps allow, later where they do not."""

from __future__ import annotations

import math
from collections.abc import Sequence

from handloom_controllers.draft import MARGIN, Draft, drafts, length
from handloom_controllers.trajectory import Passing, TrajectoryConfig, Waypoint

FASTEST = 1.5
"""A monotone cubic is nowhere faster than this many times its mean speed, or than its ends."""

ROUNDING = 1e-9
"""A curve at exactly the cap is not held back by rounding."""

OVER = 1e-6
"""One that was held back stays clear of that."""

SLACK = 1e-4
"""What is lengthened again is given more, twice as much every round."""

TRIES = 8
"""Rounds in which ways are lengthened by hardly more than they need."""

EASE = 0.005
"""By which share of the cap ways stay below it once lengthening one has made its neighbours too fast, twice as
much every round: at the cap itself there is no room to change speed in, and a round would mend one way only."""

SURE = 12
"""Rounds after which none is left to chance."""

_LONGEST = 10**15
"""ns, eleven days: no cap is low enough to make stamps overflow."""


class Plan:
    """Waypoints, and when and how they are passed.

    Attributes:
        due: int64 ns by waypoint, when they should be passed.
        stamps: int64 ns of the start and of each waypoint, not before it is due.
        positions: The draft in positions.
        orientations: Likewise.
    """

    def __init__(
        self, config: TrajectoryConfig, start: tuple[Passing, Passing], waypoints: Sequence[Waypoint]
    ) -> None:
        self.positions, self.orientations = drafts(config, start, waypoints)
        self.due = [waypoint.stamp for waypoint in waypoints]
        self._required = [self._shortest(i) for i in range(len(waypoints))]
        self.stamps = [start[0].stamp]
        self._lay_out()
        if config.interpolation == "linear":
            self.positions.straighten(self.stamps)
            self.orientations.straighten(self.stamps)
        else:
            self._settle()

    @property
    def longest_delay(self) -> int:
        """By how many ns the most delayed waypoint was moved later."""
        return max(stamp - due for stamp, due in zip(self.stamps[1:], self.due, strict=True))

    def _drafts(self) -> tuple[Draft, Draft]:
        return self.positions, self.orientations

    def _shortest(self, i: int) -> int:
        """Return the shortest time for a way at constant speed."""
        shortest_s = max(length(draft.ways[i]) / draft.limits.speed for draft in self._drafts())
        return max(_nanoseconds(shortest_s * (1 - ROUNDING)), 1)

    def _lay_out(self) -> None:
        """Pass each waypoint when it is due, or as soon after the one before as is allowed."""
        begins = max(draft.begins for draft in self._drafts())
        self._required[0] = max(self._required[0], begins - self.stamps[0] + 1)
        stamps = [self.stamps[0]]
        for due, required in zip(self.due, self._required, strict=True):
            stamps.append(max(due, stamps[-1] + required))
        self.stamps = stamps

    def _settle(self) -> None:
        for round_ in range(SURE + 1):
            for draft in self._drafts():
                draft.choose(self.stamps)
            settled = [self._check(draft, round_) for draft in self._drafts()]
            if all(settled):
                return
            if 2 <= round_ <= TRIES:
                self._ease(max(1 - EASE * 2**round_, 1 / FASTEST))
            if round_ == SURE - 1:
                for draft in self._drafts():
                    self._make_sure(draft)
            self._lay_out()
        for draft in self._drafts():
            draft.stand()

    def _check(self, draft: Draft, round_: int) -> bool:
        """Brake first where the velocity is against the way; lengthen what is too fast. True if all is well."""
        settled, limits = True, draft.limits
        for i in range(len(draft.ways)):
            cubic, duration_s = draft.cubic(i, self.stamps)
            ratio = cubic.peak() / duration_s / limits.speed
            too_fast = ratio > 1 + ROUNDING
            if i == 0 and not draft.brakes and draft.moving():
                hopeless = length(draft.velocities[0]) > limits.speed * (1 + ROUNDING) or round_ >= TRIES
                if (too_fast and hopeless) or cubic.swings_out(duration_s, braking=limits.braking, margin=MARGIN):
                    draft.brake()
                    return False
            if too_fast:
                self._lengthen(draft, i, duration_s * ratio, round_)
                settled = False
        return settled

    def _lengthen(self, draft: Draft, i: int, needed_s: float, round_: int) -> None:
        longer_s = needed_s * (1 + (OVER if round_ == 0 else SLACK * 2**round_))
        if round_ >= TRIES:
            longer_s = max(longer_s, FASTEST * length(draft.ways[i]) / draft.limits.speed)
        wait = draft.begins - self.stamps[0] if i == 0 else 0
        self._required[i] = max(self._required[i], wait + _nanoseconds(longer_s))

    def _ease(self, share: float) -> None:
        """Give every way the time that is enough at a share of the cap, on average."""
        for draft in self._drafts():
            for i, way in enumerate(draft.ways):
                wait = draft.begins - self.stamps[0] if i == 0 else 0
                longer = wait + _nanoseconds(length(way) / (draft.limits.speed * share))
                self._required[i] = max(self._required[i], longer)

    def _make_sure(self, draft: Draft) -> None:
        """Give every way the time that is enough for a cubic between its ends, whatever its neighbours are."""
        if not draft.brakes and draft.moving():
            draft.brake()
        for i, way in enumerate(draft.ways):
            longer_s = FASTEST * length(way) / draft.limits.speed * (1 + OVER)
            wait = draft.begins - self.stamps[0] if i == 0 else 0
            self._required[i] = max(self._required[i], wait + max(_nanoseconds(longer_s), 1))


def _nanoseconds(duration_s: float) -> int:
    return min(math.ceil(duration_s * 1e9), _LONGEST)
