"""A log-mel image of a waveform; what it looks like is the model's affair, so everything is a setting."""

from __future__ import annotations

from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True)
class LogMel:
    """Settings of a log-mel image.

    Attributes:
        window_s: Length of the analysed window, a Hann window.
        hop_s: From one window to the next.
        n_fft: Samples of the transform, at least those of a window; the rest is 0.
        bands: Mel bands.
        low_hz: Lower edge of the lowest band.
        high_hz: Upper edge of the highest band; 0 is half the sample rate.
        scale: How mels are counted: "htk" (one formula) or "slaney" (straight below 1 kHz).
        equal_area: Whether filters are scaled to one area, as Slaney's are, in place of one height.
        power: Exponent of the magnitude: 2 for power, 1 for magnitude.
        floor: Least value before the logarithm.
        base: Of the logarithm: "e" or "10".
    """

    window_s: float = attrs.field(default=0.025, validator=attrs.validators.gt(0))
    hop_s: float = attrs.field(default=0.010, validator=attrs.validators.gt(0))
    n_fft: int = attrs.field(default=512, validator=attrs.validators.ge(2))
    bands: int = attrs.field(default=64, validator=attrs.validators.ge(1))
    low_hz: float = attrs.field(default=20.0, validator=attrs.validators.ge(0))
    high_hz: float = attrs.field(default=0.0, validator=attrs.validators.ge(0))
    scale: Literal["htk", "slaney"] = "htk"
    equal_area: bool = False
    power: float = attrs.field(default=2.0, validator=attrs.validators.gt(0))
    floor: float = attrs.field(default=1e-10, validator=attrs.validators.gt(0))
    base: Literal["e", "10"] = "e"


def log_mel(waveform: npt.ArrayLike, rate_hz: float, config: LogMel | None = None) -> npt.NDArray[np.float32]:
    """Return the log-mel image of a waveform, (frames, bands) float32; row i begins at sample i * hop.

    Only whole windows count: nothing is padded, so an image is as causal as its waveform. A window that holds a
    gap (NaN) gives NaN.

    Source: Davis and Mermelstein, IEEE TASSP 28 (1980), with the scales of HTK and of Slaney's Auditory Toolbox.

    Args:
        waveform: (N,) samples.
        rate_hz: Samples a second.
        config: What the image is like; None for the default.

    Raises:
        ValueError: The window has no sample or more than `n_fft`, or the band edges are not in order.
    """
    config = config or LogMel()
    sound = np.asarray(waveform, np.float64)
    window, hop = round(config.window_s * rate_hz), max(round(config.hop_s * rate_hz), 1)
    if not 0 < window <= config.n_fft:
        raise ValueError(f"A window of {window} samples was asked for; expected 1 to n_fft = {config.n_fft}.")
    filters = mel_filters(rate_hz, config)
    if len(sound) < window:
        return np.zeros((0, config.bands), np.float32)
    pieces = np.lib.stride_tricks.sliding_window_view(sound, window)[::hop]
    spectrum = np.abs(np.fft.rfft(pieces * _hann(window), config.n_fft, axis=1)) ** config.power
    mel = np.maximum(spectrum @ filters.T, config.floor)
    return (np.log(mel) if config.base == "e" else np.log10(mel)).astype(np.float32)


def _hann(length: int) -> FloatArray:
    """Return a periodic Hann window, as spectra want it."""
    window: FloatArray = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(length) / length)
    return window


def mel_filters(rate_hz: float, config: LogMel) -> FloatArray:
    """Return the triangular filters, (bands, n_fft // 2 + 1).

    Raises:
        ValueError: The band edges are not in order.
    """
    high_hz = config.high_hz or rate_hz / 2
    if not config.low_hz < high_hz <= rate_hz / 2:
        raise ValueError(
            f"Mel bands from {config.low_hz:g} to {high_hz:g} Hz were asked for; expected an upper edge above the "
            f"lower one and at most {rate_hz / 2:g} Hz."
        )
    ends = _mel(np.array([config.low_hz, high_hz]), config.scale)
    edges = _hertz(np.linspace(ends[0], ends[1], config.bands + 2), config.scale)
    bins = np.arange(config.n_fft // 2 + 1) * rate_hz / config.n_fft
    rising = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    filters: FloatArray = np.maximum(np.minimum(rising, falling), 0.0)
    return filters * (2.0 / (edges[2:] - edges[:-2]))[:, None] if config.equal_area else filters


_KNEE_HZ, _KNEE_MEL = 1000.0, 15.0
_LOG_STEP = np.log(6.4) / 27.0
"""Slaney's scale: 200/3 Hz a mel up to 1 kHz, then 27 mels for each factor of 6.4."""


def _mel(hertz: FloatArray, scale: str) -> FloatArray:
    if scale == "htk":
        mel: FloatArray = 2595.0 * np.log10(1.0 + hertz / 700.0)
        return mel
    above = _KNEE_MEL + np.log(np.maximum(hertz, _KNEE_HZ) / _KNEE_HZ) / _LOG_STEP
    return np.where(hertz < _KNEE_HZ, hertz * (_KNEE_MEL / _KNEE_HZ), above)


def _hertz(mel: FloatArray, scale: str) -> FloatArray:
    if scale == "htk":
        hertz: FloatArray = 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
        return hertz
    above = _KNEE_HZ * np.exp(_LOG_STEP * (np.maximum(mel, _KNEE_MEL) - _KNEE_MEL))
    return np.where(mel < _KNEE_MEL, mel * (_KNEE_HZ / _KNEE_MEL), above)
