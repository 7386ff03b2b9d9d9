"""What a HERO11 says of motion and frames is read back as it was."""

import numpy as np
import pytest

from handloom_sensors.gpmf.axes import optical_from_channels, orientation_from_cori
from handloom_sensors.gpmf.hero11 import UNIT_SCALE, frame_signals, motion_signals

STAMPS_US = np.arange(20, dtype=np.int64) * 5000


@pytest.mark.parametrize("orientation", ["ZXY", "XzY"])
def test_motion_in_optical_axes_comes_back_through_the_recorded_ones(orientation):
    random = np.random.default_rng(3)
    force, rate = random.uniform(-9, 9, (20, 3)), random.uniform(-3, 3, (20, 3))
    signals = motion_signals(force, rate, stamps_us=STAMPS_US, orientation=orientation, temperature_c=40.0)
    assert [signal.key for signal in signals] == ["ACCL", "GYRO"]
    for signal, wanted in zip(signals, (force, rate), strict=True):
        read = signal.values / signal.scale[0] @ optical_from_channels(signal.orientation).T
        assert read == pytest.approx(wanted, abs=0.5 / signal.scale[0] + 1e-12)


def test_orientation_and_gravity_of_a_frame_come_back():
    random = np.random.default_rng(4)
    orientations, down = random.normal(size=(20, 4)), random.normal(size=(20, 3))
    orientations /= np.linalg.norm(orientations, axis=1, keepdims=True)
    down /= np.linalg.norm(down, axis=1, keepdims=True)
    signals = frame_signals(orientations, down, stamps_us=STAMPS_US, exposure_s=1 / 240)
    values = {signal.key: signal.values for signal in signals}
    assert np.unique(values["SHUT"]) == [1 / 240]
    assert orientation_from_cori(values["CORI"] / UNIT_SCALE) == pytest.approx(orientations, abs=1e-4)
    assert values["GRAV"] / UNIT_SCALE == pytest.approx(down, abs=1e-4)
