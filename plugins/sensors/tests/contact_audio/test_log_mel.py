"""Log-mel images: what the strided transform gives is what the definition gives, and nothing later is in it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom_sensors.contact_audio import LogMel, log_mel
from handloom_sensors.contact_audio.log_mel import mel_filters

RATE = 16_000


def by_definition(waveform, rate_hz, config):
    """Return the image by slow sums: a window, a Fourier sum for each bin, a triangle for each band."""
    window, hop = round(config.window_s * rate_hz), round(config.hop_s * rate_hz)
    high = config.high_hz or rate_hz / 2
    bins = np.arange(config.n_fft // 2 + 1)
    kernel = np.exp(-2j * np.pi * np.outer(bins, np.arange(window)) / config.n_fft)
    mel = {"htk": lambda f: 2595 * np.log10(1 + f / 700), "slaney": _slaney}[config.scale]
    fine = np.linspace(0, rate_hz / 2, 2_000_001)
    edges = np.interp(np.linspace(mel(config.low_hz), mel(high), config.bands + 2), mel(fine), fine)
    rows = []
    for start in range(0, len(waveform) - window + 1, hop):
        piece = waveform[start : start + window] * np.sin(np.pi * np.arange(window) / window) ** 2
        spectrum = np.abs(kernel @ piece) ** config.power
        bands = []
        for low, middle, top in zip(edges[:-2], edges[1:-1], edges[2:], strict=True):
            triangle = np.interp(bins * rate_hz / config.n_fft, [low, middle, top], [0, 1, 0])
            bands.append(spectrum @ triangle * (2 / (top - low) if config.equal_area else 1))
        rows.append(np.maximum(bands, config.floor))
    return np.log(rows) if config.base == "e" else np.log10(rows)


def _slaney(hertz):
    hertz = np.asarray(hertz, float)
    return np.where(hertz < 1000, 3 * hertz / 200, 15 + 27 * np.log(np.maximum(hertz, 1) / 1000) / np.log(6.4))


@pytest.mark.parametrize(
    "config",
    [
        LogMel(),
        LogMel(scale="slaney", equal_area=True, base="10", bands=40, high_hz=7000.0),
        LogMel(window_s=0.032, hop_s=0.016, power=1.0, low_hz=0.0),
    ],
)
def test_the_image_is_that_of_the_definition(config):
    waveform = np.random.default_rng(0).normal(size=3000) + np.sin(0.3 * np.arange(3000))
    assert log_mel(waveform, RATE, config) == pytest.approx(by_definition(waveform, RATE, config), abs=2e-5)


def test_the_spectrum_is_scipy_s():
    from scipy.signal import ShortTimeFFT

    config = LogMel(hop_s=200 / RATE)
    waveform = np.random.default_rng(1).normal(size=2000)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(400) / 400)
    transform = ShortTimeFFT(window, hop=200, fs=RATE, mfft=512)
    # scipy's windows stand around multiples of the hop, ours begin there: half a window is one hop here.
    power = np.abs(transform.stft(waveform)[:, 1 - transform.p_min : 10 - transform.p_min]) ** 2
    assert log_mel(waveform, RATE, config) == pytest.approx(np.log(mel_filters(RATE, config) @ power).T, abs=1e-5)


def test_a_tone_lights_the_band_it_lies_in():
    config = LogMel(bands=32)
    image = log_mel(np.sin(2 * np.pi * 2000 * np.arange(RATE) / RATE), RATE, config)
    edges = 700 * (
        10 ** (np.linspace(2595 * np.log10(1 + 20 / 700), 2595 * np.log10(1 + 8000 / 700), 34) / 2595) - 1
    )
    band = int(np.bincount(image.argmax(axis=1)).argmax())
    assert edges[band] < 2000 < edges[band + 2]


@settings(max_examples=20, deadline=None)
@given(st.integers(400, 1999))
def test_a_later_sample_changes_no_earlier_row(place):
    waveform = np.random.default_rng(2).normal(size=2000)
    changed = waveform.copy()
    changed[place:] += 1.0
    rows = (place - 400) // 160 + 1
    assert np.array_equal(log_mel(waveform, RATE)[:rows], log_mel(changed, RATE)[:rows])


def test_silence_is_the_floor_and_a_gap_stays_a_gap():
    config = LogMel()
    waveform = np.zeros(2000)
    waveform[900] = np.nan
    image = log_mel(waveform, RATE, config)
    lost = np.isnan(image).all(axis=1)
    assert lost.tolist() == [160 * row <= 900 < 160 * row + 400 for row in range(len(image))]
    assert image[~lost] == pytest.approx(np.log(config.floor))


def test_less_than_a_window_has_no_row():
    assert log_mel(np.zeros(399), RATE).shape == (0, 64)


def test_a_window_longer_than_the_transform_is_refused():
    with pytest.raises(ValueError, match="expected 1 to n_fft = 256"):
        log_mel(np.zeros(1000), RATE, LogMel(n_fft=256))


def test_bands_beyond_half_the_rate_are_refused():
    with pytest.raises(ValueError, match="at most 8000 Hz"):
        log_mel(np.zeros(1000), RATE, LogMel(high_hz=9000.0))
