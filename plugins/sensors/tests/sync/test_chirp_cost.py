"""A long recording is searched in little memory."""

import tracemalloc

import numpy as np

from handloom_sensors.sync.chirp_settings import ChirpSyncConfig
from handloom_sensors.sync.pattern import chirps_in
from handloom_sensors.sync.track import track_of


def test_memory_does_not_grow_with_the_track(recorder):
    config, used = ChirpSyncConfig(), []
    for length_s in (10, 40):
        pi = recorder("p", 16_000, length_s=length_s)
        track = track_of(pi.hears(length_s - 5.0), "first", 0)
        tracemalloc.start()
        chirps_in(track, config.pattern(), None, config.rules())
        used.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert used[1] < 1.1 * used[0]
    assert used[1] < 40e6


def test_a_window_far_from_the_start_is_searched_alone(recorder, monkeypatch):
    from handloom_sensors.sync import compression

    pi = recorder("p", 16_000, length_s=40)
    track = track_of(pi.hears(30.0), "first", 0)
    blocks = []
    filtered = compression.Filter.envelope
    monkeypatch.setattr(
        compression.Filter, "envelope", lambda self, block: blocks.append(1) or filtered(self, block)
    )
    config = ChirpSyncConfig()
    (found,) = chirps_in(track, config.pattern(), (27 * 16_000, 33 * 16_000), config.rules())
    assert abs(found.onset - 30 * 16_000) < 1
    assert np.sum(blocks) < 10
