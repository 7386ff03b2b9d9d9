"""The GoPro's calendar: what it writes of the time of day, in whole seconds and frames, and how wrong that is."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import attrs
import numpy as np


@attrs.frozen(kw_only=True)
class GoProClock:
    """A real-time clock that was set over Bluetooth and is off by some.

    Attributes:
        error_ns: What it shows minus the time of day.
    """

    error_ns: int

    @classmethod
    def random(cls, seed: int) -> GoProClock:
        """Return one that is 20 ms to 2 s late or early, small errors as likely as large ones.

        Source: gopro/labs issues 46 and 1664, gopro/OpenGoPro issue 212: 20-40 ms to 1-2 s, by model.
        """
        rng = np.random.default_rng([seed, 102])
        size_s = np.exp(rng.uniform(np.log(0.02), np.log(2.0)))
        return cls(error_ns=round(float(rng.choice([-1.0, 1.0]) * size_s * 1e9)))

    def creation_time(self, wall_ns: int) -> str:
        """Return the creation_time of a file whose first frame was taken at a time of day, ISO 8601."""
        return self._shown(wall_ns).strftime("%Y-%m-%dT%H:%M:%S.000000Z")

    def timecode(self, wall_ns: int, rate: Fraction) -> str:
        """Return the first frame's "hh:mm:ss:ff", frames counted at the rounded rate, none dropped."""
        shown = self._shown(wall_ns)
        frame = int(shown.microsecond * 1e-6 * round(rate))
        return f"{shown:%H:%M:%S}:{frame:02d}"

    def _shown(self, wall_ns: int) -> dt.datetime:
        return dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=(wall_ns + self.error_ns) // 1000)
