"""One channel of a recording as a search sees it: numbers at an even rate, and the stamps that belong to them."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import StepError
from handloom.streams import Samples
from handloom.streams.knots import Int64Array, indices_at, stamps_at

FloatArray = npt.NDArray[np.float64]

_GAP_S = 1e-3
"""A jump of the stamps by more than this is a gap; the knots of a recorder wander less within a chirp."""


@attrs.frozen(kw_only=True, eq=False)
class Track:
    """A channel of sound.

    Attributes:
        name: For sentences: "first", "second".
        values: (N,) of any number type; a view, not a copy.
        knots: (K, 2) int64 of [sample index, ns].
        rate_hz: Samples in a second of its own clock, gaps left aside.
        clock: Name of that clock.
        hush: Level of an envelope that rounding alone may leave in digital silence: 100 dB below the loudest
            value.
    """

    name: str
    values: npt.NDArray[Any]
    knots: Int64Array
    rate_hz: float
    clock: str
    hush: float

    def __len__(self) -> int:
        return len(self.values)

    def between(self, start: int, end: int) -> FloatArray:
        """Return samples start to end, exclusive, as float64; 0 outside the track and where unknown."""
        part = np.zeros(end - start)
        first, last = max(start, 0), min(end, len(self))
        if first < last:
            part[first - start : last - start] = np.nan_to_num(self.values[first:last], posinf=0.0, neginf=0.0)
        return part

    def stamp(self, index: float) -> int:
        """Return the stamp of a fractional sample index, int64 ns."""
        return int(stamps_at(self.knots, [index])[0])

    def index(self, stamp: int) -> float:
        """Return the fractional sample index of a stamp."""
        return float(indices_at(self.knots, [stamp])[0])

    def seconds(self, index: float) -> float:
        """Return how long after the first sample an index lies, for sentences."""
        return (self.stamp(index) - self.stamp(0)) * 1e-9

    def gap_s(self, start: float, end: float) -> float:
        """Return by how much the stamps between two indices jump past what the rate makes of them, or lag."""
        inside = self.knots[(self.knots[:, 0] > start) & (self.knots[:, 0] < end), 0]
        indices = np.concatenate([[start], inside, [end]])
        elapsed_s = np.diff(stamps_at(self.knots, indices)) * 1e-9
        jump = float(np.abs(elapsed_s - np.diff(indices) / self.rate_hz).max())
        return jump if jump > _GAP_S else 0.0


def track_of(samples: Samples, name: str, channel: int) -> Track:
    """Return a channel of a stream.

    Raises:
        StepError: There is no such channel, no sample, no even rate, or nothing but one value.
    """
    if not len(samples):
        raise StepError(f"The {name} track holds no sound.")
    if channel >= samples.data.shape[1]:
        raise StepError(
            f"The {name} track has {samples.data.shape[1]} channels, so there is no channel {channel}; "
            f"set '{name}_channel' to one from 0 to {samples.data.shape[1] - 1}."
        )
    values = samples.data[:, channel]
    # fmin and fmax pass over what is not a number.
    lowest, highest = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    if not lowest < highest:
        raise StepError(f"The {name} track is silent: all its {len(values)} samples have one value.")
    if samples.knots is None:
        raise StepError(f"The {name} track has a stamp for each sample; an even rate, kept as knots, is needed.")
    return Track(
        name=name,
        values=values,
        knots=samples.knots,
        rate_hz=_rate_hz(samples.knots),
        clock=samples.type.clock,
        hush=1e-5 * max(-lowest, highest),
    )


def _rate_hz(knots: Int64Array) -> float:
    """Return samples a second over all stretches between knots that keep the usual pace; a gap does not."""
    counts, lengths_ns = np.diff(knots, axis=0).T.astype(np.float64)
    pace = lengths_ns / counts
    order = np.argsort(pace)
    middle = pace[order][np.searchsorted(np.cumsum(counts[order]), counts.sum() / 2)]
    usual = abs(pace / middle - 1) < 0.02
    return float(counts[usual].sum() / lengths_ns[usual].sum() * 1e9)
