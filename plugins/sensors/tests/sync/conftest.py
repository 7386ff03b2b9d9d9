"""Two recorders that hear one chirp, each on its own clock, made sample by sample."""

from __future__ import annotations

import numpy as np
import pytest

from handloom.api import clock_map_of
from handloom.streams import Samples, StreamType
from handloom.testing import MemoryInputs
from handloom_sensors.sync.chirp_settings import ChirpSyncConfig
from handloom_sensors.sync.chirp_sync import ChirpSync

GOPRO, PI = "session/gopro", "session/pi"
UP = (440.0, 7000.0)


def sweep_at(times_s, hertz=UP, length_s=0.5):
    inside = (times_s >= 0) & (times_s < length_s)
    t = np.where(inside, times_s, 0.0)
    return np.sin(2 * np.pi * (hertz[0] * t + (hertz[1] - hertz[0]) / (2 * length_s) * t**2)) * inside


class Recorder:
    """Its clock reads `reads_s + (t - starts_s) * (1 + drift)`; its first sample is at true time `starts_s`."""

    def __init__(self, clock, rate_hz, *, starts_s=0.0, reads_s=0.0, drift_ppm=0.0, length_s=4.0):
        self.clock, self.rate_hz, self.starts_s, self.reads_s = clock, rate_hz, starts_s, reads_s
        self.rate, self.count = 1 + drift_ppm * 1e-6, round(length_s * rate_hz)

    def instants_s(self):
        return self.starts_s + np.arange(self.count) / self.rate_hz / self.rate

    def stamp_ns(self, true_s):
        return (self.reads_s + (true_s - self.starts_s) * self.rate) * 1e9

    def hears(self, *chirps_s, noise=0.01, seed=0, gain=0.3, turns=(UP,)):
        times, sound = self.instants_s(), np.zeros(self.count)
        for number, start in enumerate(chirps_s):
            sound += gain * sweep_at(times - start, turns[number % len(turns)])
        return self.records(sound + noise * np.random.default_rng(seed).standard_normal(self.count))

    def records(self, sound, **attributes):
        start, end = round(self.reads_s * 1e9), round((self.reads_s + self.count / self.rate_hz) * 1e9)
        return Samples(
            type=StreamType(kind="audio", dtype="float32", shape=(1,), clock=self.clock),
            data=np.asarray(sound, np.float32)[:, None],
            knots=np.array([[0, start], [self.count, end]], dtype=np.int64),
            attributes=attributes,
        )


@pytest.fixture
def gopro():
    return Recorder(GOPRO, 48_000, starts_s=0.25, reads_s=0.1, drift_ppm=30.0)


@pytest.fixture
def pi():
    return Recorder(PI, 16_000, starts_s=0.4, reads_s=5000.0, drift_ppm=-20.0)


@pytest.fixture(scope="session")
def recorder():
    """Return the class of recorders."""
    return Recorder


@pytest.fixture(scope="session")
def sync():
    """Return a function that syncs two sounds by chirp."""

    def run(first, second, rig=None, **settings):
        inputs = {"wired": {"first": first, "second": second}} | ({} if rig is None else {"rig": rig})
        return ChirpSync(ChirpSyncConfig(**settings)).run(MemoryInputs(**inputs), lambda share: None)

    return run


@pytest.fixture(scope="session")
def synced(sync):
    """Return a function that gives the map alone."""
    return lambda *args, **settings: clock_map_of(sync(*args, **settings).streams["map"])
