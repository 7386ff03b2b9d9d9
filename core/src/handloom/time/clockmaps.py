"""All known clock maps together, which find the way between any two clocks that are joined."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import reduce

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import ClockError
from handloom.time.clockmap import ClockMap
from handloom.time.stamp import Stamp


def _as_tuple(maps: Iterable[ClockMap]) -> tuple[ClockMap, ...]:
    return tuple(maps)


@attrs.frozen
class ClockMaps:
    """Known maps between clocks.

    Attributes:
        maps: At most one for a pair of clocks, in either direction.

    Raises:
        ClockError: Two maps join the same pair of clocks, or one joins a clock with itself.
    """

    maps: tuple[ClockMap, ...] = attrs.field(default=(), converter=_as_tuple)

    def __attrs_post_init__(self) -> None:
        seen: set[frozenset[str]] = set()
        for known in self.maps:
            pair = frozenset((known.source, known.target))
            if len(pair) == 1:
                raise ClockError(f"A clock map joins clock '{known.source}' with itself.")
            if pair in seen:
                raise ClockError(
                    f"Two clock maps join '{known.source}' and '{known.target}'; keep the one that is right."
                )
            seen.add(pair)

    def __iter__(self) -> Iterator[ClockMap]:
        return iter(self.maps)

    def __len__(self) -> int:
        return len(self.maps)

    @property
    def clocks(self) -> tuple[str, ...]:
        """Names of all clocks that some map mentions, sorted."""
        return tuple(sorted({name for known in self.maps for name in (known.source, known.target)}))

    def with_map(self, known: ClockMap) -> ClockMaps:
        """Return the maps with one more."""
        return ClockMaps((*self.maps, known))

    def between(self, source: str, target: str) -> ClockMap:
        """Return the map from one clock to another, through as few known maps as possible.

        Where two ways are equally short, the one whose clock names come first is taken, so the answer does not
        depend on the order of the maps.

        Raises:
            ClockError: No known maps join the two clocks.
        """
        if source == target:
            return ClockMap(source=source, target=target, offset_ns=0)
        return reduce(ClockMap.compose, self._way(source, target))

    def convert(self, stamp: Stamp, target: str) -> Stamp:
        """Return the same instant on another clock.

        Raises:
            ClockError: No known maps join the two clocks.
        """
        return Stamp(int(self.between(stamp.clock, target).apply(stamp.ns)), target)

    def apply(self, stamps: npt.ArrayLike, *, source: str, target: str) -> npt.NDArray[np.int64]:
        """Map (N,) int64 ns stamps from one clock to another.

        Raises:
            ClockError: No known maps join the two clocks.
        """
        return self.between(source, target).apply(stamps)

    def joined_with(self, clock: str) -> tuple[str, ...]:
        """Return the names of the clocks that a clock can be mapped to, sorted, without itself."""
        return tuple(sorted(self._reach(clock)))

    def _neighbours(self, clock: str) -> list[ClockMap]:
        steps = [known for known in self.maps if known.source == clock]
        steps += [known.inverse() for known in self.maps if known.target == clock]
        return sorted(steps, key=lambda step: step.target)

    def _reach(self, source: str) -> dict[str, ClockMap]:
        """Return, for each clock that can be reached, the last step of the shortest way to it."""
        last: dict[str, ClockMap] = {}
        waiting = deque([source])
        while waiting:
            for step in self._neighbours(waiting.popleft()):
                if step.target != source and step.target not in last:
                    last[step.target] = step
                    waiting.append(step.target)
        return last

    def _way(self, source: str, target: str) -> list[ClockMap]:
        last = self._reach(source)
        if target not in last:
            raise ClockError(
                f"No clock map joins '{source}' and '{target}': {_joined(source, last)}, "
                f"{_joined(target, self.joined_with(target))}; add the missing map to [rig.clocks] or measure it."
            )
        way = [last[target]]
        while way[0].source != source:
            way.insert(0, last[way[0].source])
        return way


def _joined(clock: str, others: Iterable[str]) -> str:
    names = sorted(others)
    return f"'{clock}' is joined with {', '.join(names)}" if names else f"'{clock}' is joined with no clock"
