import numpy as np
import pytest

from handloom_simulation.devices.interpolation import values_at


@pytest.mark.parametrize("hz", [300.0, 4_000.0, 9_000.0])
def test_a_tone_is_read_between_its_samples(hz):
    rate = 24_000
    tone = np.sin(2 * np.pi * hz * np.arange(4_800) / rate)
    times = np.random.default_rng(0).uniform(0.01, 0.19, 2_000)
    np.testing.assert_allclose(values_at(tone, rate, times), np.sin(2 * np.pi * hz * times), atol=4e-4)


def test_a_signal_is_silent_outside_its_samples():
    beyond = np.array([-1.0, -0.01, 0.21, 5.0])
    np.testing.assert_array_equal(values_at(np.ones(4_800), 24_000, beyond), 0.0)


def test_a_late_sound_is_not_lost_in_a_long_silence():
    signal = np.zeros(200_000)
    signal[150_000] = 1.0
    times = np.arange(200_000) / 24_000
    np.testing.assert_allclose(values_at(signal, 24_000, times), signal, atol=1e-12)
