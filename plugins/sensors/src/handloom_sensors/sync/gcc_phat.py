"""Generalised cross-correlation of two microphones with the phase transform: which lag makes both hear the same.

Source: Knapp and Carter, The generalized correlation method for estimation of time delay, IEEE Trans. ASSP 1976.
"""

from __future__ import annotations

import math

import attrs
import numpy as np
import numpy.typing as npt

from handloom.streams import top_between
from handloom_sensors.sync.track import Track

FloatArray = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True)
class Lag:
    """What one window of sound says.

    Attributes:
        first_ns: Stamp of the window's middle on the first clock.
        second_ns: Stamp of the same instant on the second clock.
        confidence: Height of the correlation's peak over its median.
        sigma_ns: One standard deviation of the lag, from noise.
        pinned: Whether the peak lies at the end of the lags that were allowed.
    """

    first_ns: int
    second_ns: int
    confidence: float
    sigma_ns: float
    pinned: bool


@attrs.frozen(kw_only=True)
class Correlation:
    """How sounds are correlated.

    Attributes:
        window_s: Length of sound.
        max_lag_s: Largest lag, either way.
        low_hz: Lower end of the band.
        high_hz: Upper end of it.
        whitening: 1 counts every frequency alike (phase transform), 0 by its power.
        finer: Values of the correlation for each independent one.
    """

    window_s: float
    max_lag_s: float
    low_hz: float
    high_hz: float
    whitening: float
    finer: int

    def lag(self, first: Track, second: Track, middle_ns: int, guess_ns: int) -> Lag | None:
        """Return the lag of the sound around an instant; None where a track is silent there.

        Args:
            first: A window of it is cut out.
            second: It is laid over a stretch of this one that is longer by the largest lag at both ends.
            middle_ns: Stamp of the window's middle on the first clock.
            guess_ns: The same instant on the second clock, as far as known.
        """
        whole_s = self.window_s + 2 * self.max_lag_s
        one, first_ns = _cut(first, middle_ns, whole_s)
        two, second_ns = _cut(second, guess_ns, whole_s)
        one = _faded(one, self.window_s / whole_s)
        if not (one.any() and two.any()):
            return None
        envelope, step_s = self._envelope(one, two, whole_s)
        middle = len(envelope) // 2
        reach = min(round(self.max_lag_s / step_s), middle - 2)
        allowed = envelope[middle - reach : middle + reach + 1]
        peak = int(np.argmax(allowed))
        confidence = float(allowed[peak] / np.median(allowed))
        pinned = not 0 < peak < len(allowed) - 1
        place = peak + (0.0 if pinned else _vertex(allowed[peak - 1 : peak + 2]))
        return Lag(
            first_ns=first_ns,
            second_ns=second_ns + round((place - reach) * step_s * 1e9),
            confidence=confidence,
            sigma_ns=1e9 / (2 * math.pi * (self.high_hz - self.low_hz) / math.sqrt(12) * confidence),
            pinned=pinned,
        )

    def _envelope(self, one: FloatArray, two: FloatArray, whole_s: float) -> tuple[FloatArray, float]:
        """Return the correlation's envelope, lag 0 in the middle, and its step in s.

        Both stretches last equally long, so their bins are the same frequencies whatever their rates.
        """
        bins = slice(math.ceil(self.low_hz * whole_s), int(self.high_hz * whole_s) + 1)
        cross = np.fft.rfft(two)[bins] * np.conj(np.fft.rfft(one)[bins])
        cross *= np.maximum(np.abs(cross), np.finfo(np.float64).tiny) ** -self.whitening
        length = 1 << (self.finer * (bins.stop - bins.start) - 1).bit_length()
        return np.asarray(np.fft.fftshift(np.abs(np.fft.ifft(cross, length)))), whole_s / length


def _cut(track: Track, middle_ns: int, whole_s: float) -> tuple[FloatArray, int]:
    """Return samples around a stamp, and the stamp of their very middle."""
    count = round(whole_s * track.rate_hz)
    start = round(track.index(middle_ns) - 0.5 * count)
    return track.between(start, start + count), track.stamp(start + 0.5 * count)


def _faded(part: FloatArray, share: float) -> FloatArray:
    """Keep a share in the middle, faded at both ends, so that no frequency is made by the cut."""
    length = round(share * len(part))
    start = (len(part) - length) // 2
    fade = np.zeros(len(part))
    fade[start : start + length] = np.hanning(length)
    return part * fade


def _vertex(three: FloatArray) -> float:
    """Return by how many values the peak lies beside the middle one of three: a parabola through logarithms."""
    return top_between(*np.log(np.maximum(three, np.finfo(np.float64).tiny)))
