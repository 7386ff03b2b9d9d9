"""How alike two evenly sampled series with gaps are at every lag, and where between samples the best lag lies."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

_STILL = 1e-9
"""A stretch that varies by less than this share of the whole series stands still: nothing can be told from it."""


def masked_correlation(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return Pearson's correlation of two series at every lag, over the samples that both have.

    Source: Padfield, "Masked object registration in the Fourier domain", IEEE Trans. Image Processing 21 (2012).

    Args:
        first: (N,) NaN where missing.
        second: (M,) likewise.

    Returns:
        (N + M - 1,) correlation, -1 to 1, NaN where it can't be told, and as many counts of shared samples.
        Entry k is for second[j] beside first[j + k - (M - 1)].
    """
    length = len(first) + len(second) - 1
    size = 1 << (length - 1).bit_length()
    f, f2, mf, whole_f = _spectra(first, size)
    g, g2, mg, whole_g = _spectra(second[::-1], size)

    def at_lags(product: npt.NDArray[np.complex128]) -> FloatArray:
        return np.fft.irfft(product, size)[:length]

    count = np.rint(at_lags(mf * mg))
    share = 1.0 / np.maximum(count, 1.0)
    sum_f, sum_g = at_lags(f * mg), at_lags(mf * g)
    spread_f = at_lags(f2 * mg) - sum_f**2 * share
    spread_g = at_lags(mf * g2) - sum_g**2 * share
    product = at_lags(f * g) - sum_f * sum_g * share
    least = _STILL * max(whole_f, whole_g, 1e-12)
    known = (count > 2) & (spread_f > least) & (spread_g > least)
    scale = np.sqrt(np.where(known, spread_f * spread_g, 1.0))
    return np.where(known, np.clip(product / scale, -1.0, 1.0), np.nan), count


_Spectrum = npt.NDArray[np.complex128]


def _spectra(values: FloatArray, size: int) -> tuple[_Spectrum, _Spectrum, _Spectrum, float]:
    """Return the spectra of a series, of its squares and of its mask, and the sum of the squares.

    The mean goes out first, so that sums of squares do not cancel.
    """
    mask = np.isfinite(values)
    level = np.where(mask, values - (values[mask].mean() if mask.any() else 0.0), 0.0)
    spectra = [np.fft.rfft(each, size) for each in (level, level**2, mask.astype(np.float64))]
    return spectra[0], spectra[1], spectra[2], float(np.sum(level**2))


def top_between(before: float, at: float, after: float) -> float:
    """Return how far the top of a parabola through three even samples lies from the middle one, in samples.

    At most half a sample either way; 0 where the three do not bend down.
    """
    bend = before - 2.0 * at + after
    return float(np.clip(0.5 * (before - after) / bend, -0.5, 0.5)) if bend < 0.0 else 0.0
