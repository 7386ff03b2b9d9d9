"""Sway and tremor of a hand: band-limited noise that is smooth to every derivative."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

TREMOR_HZ = (0.3, 10.0)
"""Slow sway up to physiological tremor. Source: Elble and Randall, "Mechanistic components of normal hand tremor",
Electroencephalography and Clinical Neurophysiology 44 (1978): 8 to 12 Hz in an outstretched hand."""

_WAVES = 24


def tremor(times_s: FloatArray, channels: int, rng: np.random.Generator) -> FloatArray:
    """Return tremor of RMS 1 in each channel, (N, channels); its speeds are alike at every frequency."""
    return waves(times_s, channels, rng, band_hz=TREMOR_HZ, falling=1.0)


def waves(
    times_s: FloatArray, channels: int, rng: np.random.Generator, *, band_hz: tuple[float, float], falling: float
) -> FloatArray:
    """Return noise of RMS 1 in each channel, (N, channels): a sum of sines.

    Args:
        times_s: (N,).
        channels: How many that are independent.
        rng: Where chance comes from.
        band_hz: Lowest and highest frequency; the sines are spread evenly over its logarithm.
        falling: Amplitudes go as f to the power of minus this.
    """
    low, high = np.log(band_hz)
    frequencies = np.exp(rng.uniform(low, high, (channels, _WAVES)))
    phases = rng.uniform(0.0, 2.0 * np.pi, (channels, _WAVES))
    amplitudes = frequencies**-falling
    amplitudes *= np.sqrt(2.0 / (amplitudes**2).sum(axis=1, keepdims=True))
    noise = np.zeros((len(times_s), channels))
    for wave in range(_WAVES):  # one wave at a time keeps a long take's memory small
        noise += amplitudes[:, wave] * np.sin(
            2.0 * np.pi * frequencies[:, wave] * times_s[:, None] + phases[:, wave]
        )
    return noise
