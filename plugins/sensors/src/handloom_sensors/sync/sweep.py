"""The sync chirp: a tone that rises or falls in a straight line, whatever recorder hears it."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True)
class Sweep:
    """A linear sine sweep.

    Attributes:
        start_hz: Frequency at the onset.
        end_hz: Frequency at the end, above or below it.
        duration_s: Length.
    """

    start_hz: float
    end_hz: float
    duration_s: float

    @property
    def low_hz(self) -> float:
        """Return the lowest frequency."""
        return min(self.start_hz, self.end_hz)

    @property
    def high_hz(self) -> float:
        """Return the highest frequency."""
        return max(self.start_hz, self.end_hz)

    @property
    def steady_s(self) -> float:
        """Return how long after the onset lies the instant that a wrong rate does not move.

        Where the recorder's clock runs too fast by a share e, frequency f is heard (2 f - start) e / slope later
        than a template of the true length expects, so a sweep of even spectrum is found end e / slope late, f
        being (start + end) / 2 on average. The template itself reads an instant x after its onset x e early. Both
        cancel at x = end / slope, 33 ms after the end of a 0.5 s sweep from 440 to 7000 Hz. At the onset 0.53 us
        remain for each ppm, at the centre 0.28.

        Source: the range-Doppler coupling of a linear sweep, e.g. Cook and Bernfeld, Radar Signals, chapter 6,
        with the time scale in place of a shift of frequency.
        """
        return self.end_hz * self.duration_s / (self.end_hz - self.start_hz)

    def reversed(self) -> Sweep:
        """Return the sweep that runs the other way."""
        return attrs.evolve(self, start_hz=self.end_hz, end_hz=self.start_hz)

    def samples(self, rate_hz: float) -> FloatArray:
        """Return (N,) samples of amplitude 1 at a recorder's own rate, the first at the onset, its phase 0."""
        t = np.arange(self.count(rate_hz)) / rate_hz
        slope = (self.end_hz - self.start_hz) / self.duration_s
        return np.asarray(np.sin(2 * np.pi * (self.start_hz * t + 0.5 * slope * t**2)))

    def count(self, rate_hz: float) -> int:
        """Return how many samples it has at a rate."""
        return int(np.ceil(self.duration_s * rate_hz - 1e-9))
