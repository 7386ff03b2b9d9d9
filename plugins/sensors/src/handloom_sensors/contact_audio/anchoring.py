"""Which samples of a sound belong to an instant: whole-number arithmetic, so that nothing ever slips."""

from __future__ import annotations

import math

import attrs
import numpy as np
import numpy.typing as npt

from handloom.streams import Samples, check_knots

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float32]


_DRIFT = 1e-4
"""Two clocks of 50 ppm each."""


def last_sample_at(knots: Int64Array, stamps: Int64Array) -> Int64Array:
    """Return the index of the last sample taken at or before each stamp, (N,) int64.

    Sample i between two knots was taken at the exact fraction of their times; the indices go on past both ends of
    the sound with the slope there, below 0 and past the last sample.

    Args:
        knots: (K, 2) int64 of [sample index, ns].
        stamps: (N,) int64 ns on the sound's clock.
    """
    knots = check_knots(knots)
    segment = np.clip(np.searchsorted(knots[:, 1], stamps, side="right") - 1, 0, len(knots) - 2)
    start, step = knots[segment], np.diff(knots, axis=0)[segment]
    # Python's whole numbers: ten minutes of ns times samples do not fit into 64 bits.
    since: npt.NDArray[np.object_] = (stamps - start[:, 1]).astype(object)
    index: Int64Array = start[:, 0] + (since * step[:, 0].astype(object) // step[:, 1]).astype(np.int64)
    return index


def block_samples(rate_hz: float, frame_rate_hz: float) -> int:
    """Return how long blocks must be so that those of neighbouring frames leave no hole: 268 at 16 kHz, 59.94 fps.

    One sample more than the whole ones in a frame, since the anchors of two frames may round apart.
    """
    per_frame = rate_hz / frame_rate_hz
    # Measured rates differ by the drift of two clocks; all episodes of one setup shall have one length.
    whole = round(per_frame)
    return (whole if abs(per_frame - whole) <= _DRIFT * per_frame else math.ceil(per_frame)) + 1


@attrs.frozen(kw_only=True, eq=False)
class Blocks:
    """Blocks of sound that end at given instants.

    Attributes:
        data: (N, B) float32; a row is NaN where the sound does not cover it whole.
        starts: (N,) int64 index of each block's first sample, also where the sound has no such sample.
        before: (N,) bool, the block begins before the sound.
        after: (N,) bool, the instant is past the sound's end.
        broken: (N,) bool, a gap of the sound lies in the block.
    """

    data: FloatArray
    starts: Int64Array
    before: BoolArray
    after: BoolArray
    broken: BoolArray

    @property
    def missing(self) -> BoolArray:
        """Whether a row is NaN, (N,)."""
        return self.before | self.after | self.broken


def blocks_ending_at(sound: Samples, stamps: Int64Array, length: int, *, channel: int = 0) -> Blocks:
    """Cut the blocks of the last samples at or before given instants: nothing later is in them.

    Args:
        sound: (N, channels) samples with knots.
        stamps: (M,) int64 ns on the sound's clock.
        length: Samples in a block.
        channel: Which channel.
    """
    assert sound.knots is not None
    ends = last_sample_at(sound.knots, stamps)
    starts = ends - (length - 1)
    before, after = starts < 0, ends >= len(sound)
    inside = ~(before | after)
    broken = np.zeros(len(stamps), np.bool_)
    broken[inside] = _Gaps.of(sound.knots).touch(starts[inside], ends[inside], stamps[inside])
    data = np.full((len(stamps), length), np.nan, np.float32)
    whole = inside & ~broken
    if whole.any():
        windows = np.lib.stride_tricks.sliding_window_view(sound.data[:, channel], length)
        data[whole] = windows[starts[whole]]
    return Blocks(data=data, starts=starts, before=before, after=after, broken=broken)


@attrs.frozen(kw_only=True, eq=False)
class _Gaps:
    """Where a sound has gaps.

    Attributes:
        last: (G,) index of the last sample before each gap.
        covered_until: (G,) ns, when the sample after it would have been taken.
    """

    last: Int64Array
    covered_until: Int64Array

    @classmethod
    def of(cls, knots: Int64Array) -> _Gaps:
        """Find them: one sample between two knots that lasts more than two do elsewhere."""
        counts, spans = np.diff(knots, axis=0).T
        runs = counts > 1
        usual_ns = spans[runs].sum() / counts[runs].sum() if runs.any() else spans.min()
        places = np.flatnonzero(~runs & (spans > 2 * usual_ns))
        return cls(last=knots[places, 0], covered_until=knots[places, 1] + round(usual_ns))

    def touch(self, starts: Int64Array, ends: Int64Array, stamps: Int64Array) -> BoolArray:
        """Say which blocks have a gap inside, or between their last sample and their instant."""
        if not len(self.last):
            return np.zeros(len(starts), np.bool_)
        at_start, at_end = np.searchsorted(self.last, starts), np.searchsorted(self.last, ends)
        place = np.minimum(at_end, len(self.last) - 1)
        stale = (self.last[place] == ends) & (stamps >= self.covered_until[place])
        touched: BoolArray = (at_start < at_end) | stale
        return touched
