"""Which of a camera's frames have a time that can be believed: repeated and backward stamps, gaps, clock jumps."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_LEAST_JUMP_NS = 400_000_000
"""A forward step of less is a stall of the camera or the card, whatever else is known; so may a longer one be (the
Pi stalls for up to 1.8 s on SD cards), unless the sound, which runs on, contradicts it."""

_SAME_NS = 1_000
"""Stamps closer than the microsecond that a video's own ticks have are one."""


@attrs.frozen(kw_only=True)
class Jump:
    """A place where the clock of the stamps was set.

    Attributes:
        row: The first frame after it.
        by_ns: How far the stamps jump beyond what the frame rate explains.
    """

    row: int
    by_ns: int


@attrs.frozen(kw_only=True, eq=False)
class FrameTimes:
    """What was found.

    Attributes:
        keep: (N,) bool, whether a frame's stamp can be believed.
        period_ns: Usual time between two frames; 0 for fewer than two.
        repeated: Frames left out because they repeat the stamp of the one before.
        odd: Frames left out because their stamp alone goes back or ahead.
        gaps: (row of the frame after it, ns without a frame) of each pause that is longer than 1.5 periods.
        jump: Where the clock was set; frames from there on are left out.
    """

    keep: BoolArray
    period_ns: int
    repeated: int = 0
    odd: int = 0
    gaps: tuple[tuple[int, int], ...] = ()
    jump: Jump | None = None

    def notes(self, name: str, *, each: str = "frame") -> Iterator[str]:
        """Yield what the person who recorded should know.

        Args:
            name: What recorded, "The finger camera".
            each: What it recorded.
        """
        count = len(self.keep)
        if self.repeated:
            yield f"{name}: {self.repeated} of {count} {each}s repeat the stamp of the one before; left out."
        if self.odd:
            yield f"{name}: {self.odd} of {count} {each}s have a stamp that does not fit and are left out."
        if self.gaps:
            total, longest = sum(gap for _, gap in self.gaps), max(self.gaps, key=lambda gap: gap[1])
            missing = round(total / self.period_ns)
            yield (
                f"{name}: {len(self.gaps)} gaps, about {missing} {each}s or {total * 1e-9:.3f} s together, the "
                f"longest {longest[1] * 1e-9:.3f} s before {each} {longest[0]}; nothing was filled in."
            )
        if self.jump is not None:
            yield (
                f"{name}: the clock jumps by {self.jump.by_ns * 1e-9:+.3f} s at {each} {self.jump.row}; the time "
                f"of the {count - self.jump.row} {each}s from there on is not known, and they are left out."
            )


def believe(indices: Int64Array, stamps: Int64Array, *, lasts_ns: int | None = None) -> FrameTimes:
    """Say which frames' stamps can be believed.

    Args:
        indices: (N,) numbers the recorder gave the frames, increasing; missing ones may explain a gap.
        stamps: (N,) int64 ns, in any order.
        lasts_ns: How long the recording was by another clock that runs on, such as the sound's; a long forward
            step is a jump of the clock only where this contradicts it. None when nothing tells.
    """
    period = _period_ns(indices, stamps)
    keep, repeated, odd, jump = _walk(stamps, period)
    rows = np.flatnonzero(keep)
    late = _forward_jump(indices[rows], stamps[rows], period, lasts_ns)
    if late is not None:
        jump = Jump(row=int(rows[late.row]), by_ns=late.by_ns)
        keep[jump.row :] = False
        rows = np.flatnonzero(keep)
    pauses = np.diff(stamps[rows])
    long = np.flatnonzero(pauses > 1.5 * period) if period else np.zeros(0, np.int64)
    gaps = tuple((int(rows[place + 1]), int(pauses[place]) - period) for place in long)
    return FrameTimes(keep=keep, period_ns=period, repeated=repeated, odd=odd, gaps=gaps, jump=jump)


def _period_ns(indices: Int64Array, stamps: Int64Array) -> int:
    steps, numbers = np.diff(stamps), np.diff(indices)
    forward = (steps > 0) & (numbers > 0)
    return round(float(np.median(steps[forward] / numbers[forward]))) if forward.any() else 0


def _walk(stamps: Int64Array, period: int) -> tuple[BoolArray, int, int, Jump | None]:
    """Keep stamps that go forward; what a stamp means depends on the last one kept, hence the loop."""
    keep = np.zeros(len(stamps), np.bool_)
    repeated, odd, last = 0, 0, None
    for row in range(len(stamps)):
        if last is None:
            keep[row], last = True, row
            continue
        step = int(stamps[row] - stamps[last])
        if abs(step) < _SAME_NS:
            repeated += 1
        elif step < 0 and not _alone(stamps, row, last, period):
            return keep, repeated, odd, Jump(row=row, by_ns=step - period)
        elif step < 0 or _ahead_alone(stamps, row, last, period):
            odd += 1
        else:
            keep[row], last = True, row
    return keep, repeated, odd, None


def _alone(stamps: Int64Array, row: int, last: int, period: int) -> bool:
    """Say whether only this stamp goes back: the next one stands where two periods lead."""
    return row + 1 == len(stamps) or int(stamps[row + 1] - stamps[last]) >= 1.5 * period


def _ahead_alone(stamps: Int64Array, row: int, last: int, period: int) -> bool:
    """Say whether only this stamp is ahead: the next one is before it, yet where two periods lead."""
    if row + 1 == len(stamps) or stamps[row + 1] >= stamps[row]:
        return False
    return 1.5 * period <= int(stamps[row + 1] - stamps[last]) <= 2.5 * period


def _forward_jump(indices: Int64Array, stamps: Int64Array, period: int, lasts_ns: int | None) -> Jump | None:
    """Find a forward step that makes the frames last longer than the recording did."""
    if len(stamps) < 2 or lasts_ns is None:
        return None
    unexplained = np.diff(stamps) - np.diff(indices) * period
    place = int(np.argmax(unexplained))
    size = int(unexplained[place])
    excess = int(stamps[-1] - stamps[0]) - lasts_ns
    if size < _LEAST_JUMP_NS or excess < 0.6 * size:
        return None
    return Jump(row=place + 1, by_ns=size)
