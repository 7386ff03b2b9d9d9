"""The envelope around one place of a track, as finely as an arrival is measured."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom_sensors.sync.compression import matched
from handloom_sensors.sync.sweep import Sweep
from handloom_sensors.sync.track import Track

FloatArray = npt.NDArray[np.float64]

EARLIER_S = 0.03
"""How much earlier than the loudest arrival the first may be: ten metres of a way around."""

FINER = 8.0
"""Values of the envelope for each independent one; a parabola through its logarithm then errs by 0.01 us."""


@attrs.frozen(kw_only=True, eq=False)
class Nearby:
    """The envelope around a place.

    Attributes:
        values: (M,) complex.
        magnitude: (M,) theirs, never 0.
        band: Samples from `first` on, the sweep's band alone.
        gain: How much higher noise in the band comes out in the envelope.
        first: Sample index of the first value.
        step: Samples from value to value.
        rate_hz: Of the track.
    """

    values: npt.NDArray[Any]
    magnitude: FloatArray
    band: FloatArray
    gain: float
    first: int
    step: float
    rate_hz: float

    def steps(self, seconds: float) -> int:
        """Return how many values lie within a time."""
        return round(seconds * self.rate_hz / self.step)


def nearby(track: Track, sweep: Sweep, index: float) -> Nearby:
    """Compress onsets up to half a sweep away from an index."""
    reach = sweep.count(track.rate_hz) // 2
    length = 1 << int(np.ceil(np.log2(2 * reach + sweep.count(track.rate_hz) + 1)))
    filter_ = matched(sweep, track.rate_hz, length=length, finer=FINER, dtype=np.complex128)
    first = round(index) - reach
    block = track.between(first, first + length)
    values = filter_.envelope(block)[: int(2 * reach / filter_.step)]
    return Nearby(
        band=filter_.in_band(block),
        gain=filter_.noise_gain(),
        values=values,
        magnitude=np.maximum(np.abs(values), 1e-9 * track.hush),
        first=first,
        step=filter_.step,
        rate_hz=track.rate_hz,
    )
