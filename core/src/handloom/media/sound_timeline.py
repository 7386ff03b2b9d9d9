"""Puts blocks of sound together on one time axis: a knot wherever the clock does not simply run on."""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import numpy.typing as npt

from handloom.media.stamps import tick_to_ns

FloatArray = npt.NDArray[np.float32]
_NS = 1_000_000_000


@attrs.define
class SoundTimeline:
    """Blocks of sound in order, with the knots that place them.

    Attributes:
        rate: Samples a second.
        count: Samples so far.
        gaps: (start, length) in ns of each span without samples.
        left_out: Samples left out because earlier ones cover their time.
    """

    rate: int
    count: int = 0
    gaps: list[tuple[int, int]] = attrs.field(factory=list)
    left_out: int = 0
    _blocks: list[FloatArray] = attrs.field(factory=list)
    _knots: list[tuple[int, int]] = attrs.field(factory=list)

    def end_ns(self) -> int | None:
        """Return when the next sample is due, one sample after the last; None before the first."""
        if not self._knots:
            return None
        sample, stamp = self._knots[-1]
        return stamp + self._span_ns(self.count - sample)

    def add(self, block: FloatArray, stamp: int | None, *, tolerance_ns: int) -> None:
        """Append a block, without the samples whose time earlier ones cover.

        Args:
            block: (N, channels).
            stamp: int64 ns of its first sample; None where the container does not say.
            tolerance_ns: Differences up to this are rounding.
        """
        due = self.end_ns()
        if due is None:
            due = stamp if stamp is not None else 0
            self._knots.append((0, due))
        late = 0 if stamp is None else stamp - due
        if late < -tolerance_ns:
            block = self._uncovered(block, -late)
        elif late > tolerance_ns:
            self._jump(due, late)
        self._blocks.append(block)
        self.count += len(block)

    def data(self) -> FloatArray:
        """Return all samples, (N, channels)."""
        return np.concatenate(self._blocks)

    def knots(self) -> npt.NDArray[np.int64]:
        """Return (K, 2) of [sample index, ns], the last one sample after the end."""
        return np.array([*self._knots, (self.count, self.end_ns())], dtype=np.int64)

    def _uncovered(self, block: FloatArray, early_ns: int) -> FloatArray:
        covered = min(round(early_ns * self.rate / _NS), len(block))
        self.left_out += covered
        return block[covered:]

    def _jump(self, due: int, late: int) -> None:
        """Note a gap: one knot at the last sample before it, one at the first after it."""
        self.gaps.append((due, late))
        last = self.count - 1
        if last > self._knots[-1][0]:
            self._knots.append((last, due - self._span_ns(1)))
        self._knots.append((self.count, due + late))

    def _span_ns(self, samples: int) -> int:
        return tick_to_ns(samples, Fraction(1, self.rate))
