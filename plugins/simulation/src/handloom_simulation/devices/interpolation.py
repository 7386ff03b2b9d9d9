"""Evenly sampled signals, read between their samples without losing the band they hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

_HALF_TAPS = 16
_SHAPE = 8.0
"""Of the Kaiser window; with these taps the error is below -70 dB up to four fifths of the Nyquist frequency."""

_PHASES = 1024
"""Tabulated shifts within one sample; between them the taps are interpolated, which errs by less than -110 dB."""

_BLOCK = 1 << 15


def values_at(values: FloatArray, rate_hz: float, times_s: FloatArray) -> FloatArray:
    """Return what an evenly sampled signal is at any times, by a windowed sinc; zero outside its samples.

    Source: Smith, "Digital Audio Resampling", ccrma.stanford.edu/~jos/resample: Kaiser-windowed sinc.

    Args:
        values: (N,) samples from time 0 on.
        rate_hz: Samples a second.
        times_s: (M,) s.

    Returns:
        (M,).
    """
    table = _taps()
    padded = np.concatenate([np.zeros(_HALF_TAPS), values, np.zeros(_HALF_TAPS)])
    found = np.empty(len(times_s))
    # In blocks: the taps of a long recording would not fit in memory.
    for start in range(0, len(times_s), _BLOCK):
        places = times_s[start : start + _BLOCK] * rate_hz
        near = padded[max(int(places.min()), 0) : max(int(places.max()), 0) + 2 * _HALF_TAPS + 1]
        found[start : start + _BLOCK] = _filtered(padded, places, table) if near.any() else 0.0
    return found


def _filtered(padded: FloatArray, places: FloatArray, table: FloatArray) -> FloatArray:
    whole = np.floor(places).astype(np.int64)
    phase = (places - whole) * _PHASES
    row = np.minimum(phase.astype(np.int64), _PHASES - 1)
    share = (phase - row)[:, None]
    weights = table[row] * (1 - share) + table[row + 1] * share
    index = whole[:, None] + np.arange(1, 2 * _HALF_TAPS + 1)
    filtered: FloatArray = np.einsum("ij,ij->i", padded[np.clip(index, 0, len(padded) - 1)], weights)
    return filtered


def _taps() -> FloatArray:
    """Return the taps for each shift, (phases + 1, 2 * half taps)."""
    shifts = np.arange(_PHASES + 1)[:, None] / _PHASES
    distance = shifts - np.arange(1 - _HALF_TAPS, _HALF_TAPS + 1)
    inside = np.sqrt(np.maximum(1 - (distance / _HALF_TAPS) ** 2, 0.0))
    taps: FloatArray = np.sinc(distance) * np.i0(_SHAPE * inside) / np.i0(_SHAPE)
    return taps
