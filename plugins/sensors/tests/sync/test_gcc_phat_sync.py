"""The step `gcc_phat_sync` on two microphones that heard the same knocks, and on two that did not."""

import attrs
import numpy as np
import pytest

from handloom.api import clock_map_of
from handloom.errors import StepError
from handloom.testing import MemoryInputs, StepContract
from handloom_sensors.sync import gcc_phat_sync
from handloom_sensors.sync.gcc_phat_settings import GccPhatSyncConfig
from handloom_sensors.sync.gcc_phat_sync import GccPhatSync

KNOCKS = np.random.default_rng(3).uniform(0.8, 9.5, (40, 4)) * [1, 200, 0.002, 0.1]


def knocks_at(times_s):
    """Short bursts that ring; evaluated at any time, so that no clock is resampled."""
    sound = np.zeros(len(times_s))
    for start, hertz, decay, level in KNOCKS:
        for mode in (1.0, 2.7, 4.1):
            t = times_s - start
            inside = (t >= 0) & (t < 20 * decay)
            sound[inside] += level * np.exp(-t[inside] / decay) * np.sin(2 * np.pi * mode * hertz * t[inside])
    return sound


@pytest.fixture(scope="module")
def heard(recorder):
    gopro = recorder("g", 48_000, starts_s=0.3, reads_s=1.0, drift_ppm=30.0, length_s=9)
    pi = recorder("p", 16_000, starts_s=0.7, reads_s=500.0, drift_ppm=-20.0, length_s=9)
    sounds = []
    for seed, each in enumerate((gopro, pi)):
        times = each.instants_s()
        noise = 1e-3 * np.random.default_rng(seed).standard_normal(each.count)
        sounds.append(each.records(knocks_at(times) - 0.4 * knocks_at(times - 0.007 - 0.004 * seed) + noise))
    return gopro, pi, *sounds


def run(first, second, **settings):
    return GccPhatSync(GccPhatSyncConfig(**{"windows": 8, "max_lag_s": 1.0, **settings})).run(
        MemoryInputs(wired={"first": first, "second": second}), lambda share: None
    )


class TestGccPhatSync(StepContract):
    component = GccPhatSync

    def config(self):
        return GccPhatSyncConfig(windows=4, max_lag_s=1.0)

    @pytest.fixture(autouse=True)
    def _sounds(self, heard):
        self.wired = {"first": heard[2], "second": heard[3]}

    def inputs(self, tmp_path):
        return MemoryInputs(wired=self.wired)


def test_the_hook_answers_the_class():
    assert gcc_phat_sync.step("gcc_phat_sync") is GccPhatSync


def test_offset_and_drift_come_out_of_shared_sound(heard):
    gopro, pi, first, second = heard
    outputs = run(first, second)
    found = clock_map_of(outputs.streams["map"])
    true_s = gopro.starts_s + (found.origin_ns * 1e-9 - gopro.reads_s) / gopro.rate
    assert abs(int(found.apply(found.origin_ns)) - pi.stamp_ns(true_s)) < 30_000
    assert abs(found.drift_ppm - (pi.rate / gopro.rate - 1) * 1e6) < 10
    assert outputs.streams["map"].attributes["method"] == "gcc_phat"


def test_how_far_the_microphones_may_be_apart_is_an_uncertainty(heard):
    found = clock_map_of(run(heard[2], heard[3], apart_m=0.686).streams["map"])
    assert found.uncertainty_ns == pytest.approx(2e6, rel=0.01)


def test_swapped_sounds_give_the_inverse(heard):
    there = clock_map_of(run(heard[2], heard[3]).streams["map"])
    back = clock_map_of(run(heard[3], heard[2]).streams["map"]).inverse()
    assert abs(int(there.apply(5_000_000_000)) - int(back.apply(5_000_000_000))) < 20_000


def test_two_rooms_share_too_little(heard):
    _, pi, first, _ = heard
    other = pi.records(0.1 * np.random.default_rng(9).standard_normal(pi.count))
    with pytest.raises(StepError, match=r"share too little sound: 0 of 8 stretches.*\.$"):
        run(first, other)


def test_a_lag_beyond_the_allowed_is_not_found(heard):
    with pytest.raises(StepError, match=r"share too little sound|contradict one another"):
        run(heard[2], heard[3], second_starts_s=-1.0, max_lag_s=0.3)


def test_sound_that_jumps_in_the_middle_contradicts_itself(heard):
    second = heard[3]
    thirds = np.array_split(second.data, 3)
    torn = np.concatenate([thirds[0], np.roll(thirds[1], 300, axis=0), np.roll(thirds[2], 900, axis=0)])
    with pytest.raises(StepError, match="contradict one another"):
        run(heard[2], attrs.evolve(second, data=torn), min_windows=6)


def test_tracks_that_never_ran_together_are_refused(heard):
    with pytest.raises(StepError, match="in common"):
        run(heard[2], heard[3], second_starts_s=100.0)


def test_a_band_above_the_slower_track_is_refused(heard):
    with pytest.raises(StepError, match="high_hz"):
        run(heard[2], heard[3], high_hz=9000.0)
