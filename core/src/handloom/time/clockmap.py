"""Maps between two clocks: offset, rate and uncertainty."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]


@attrs.frozen(kw_only=True)
class ClockMap:
    """Turns stamps of one clock into stamps of another.

    target = source + offset_ns + (source - origin_ns) * drift_ppm / 1e6

    Attributes:
        source: Name of the clock the stamps come from.
        target: Name of the clock they go to.
        offset_ns: Target minus source at the origin.
        origin_ns: Source stamp at which the offset holds exactly.
        drift_ppm: How much faster the target runs, in parts per million.
        uncertainty_ns: One standard deviation of the mapped stamp, near the origin.
    """

    source: str
    target: str
    offset_ns: int
    origin_ns: int = 0
    drift_ppm: float = 0.0
    uncertainty_ns: float = 0.0

    def apply(self, stamps: npt.ArrayLike) -> Int64Array:
        """Map (N,) int64 ns stamps of the source clock to the target clock, rounded to the nearest ns."""
        stamp = np.asarray(stamps, dtype=np.int64)
        drift = np.rint((stamp - self.origin_ns) * (self.drift_ppm * 1e-6)).astype(np.int64)
        mapped: Int64Array = stamp + self.offset_ns + drift
        return mapped
