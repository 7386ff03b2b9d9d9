from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.time import ClockMap
from handloom_simulation.devices import GoProClock, Sampling, random_clocks
from handloom_simulation.devices.clocks import LARGEST_DRIFT_PPM

SECOND = 1_000_000_000


def clocks(seed=1, started_ns=0, **more):
    return random_clocks(
        seed, started_ns=started_ns, gopro_start_ns=30_000_000, wall_ns=1_785_357_004_361_000_000, **more
    )


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_no_crystal_is_worse_than_its_data_sheet(seed):
    assert all(abs(clock.drift_ppm) <= LARGEST_DRIFT_PPM for clock in clocks(seed))


def test_the_clocks_of_a_later_take_run_on_from_those_of_an_earlier_one():
    first, later = clocks(started_ns=0), clocks(started_ns=40 * SECOND)
    for name in ("pi", "wall", "optitrack", "vr"):
        in_first = getattr(first, name).apply(43 * SECOND)
        in_later = getattr(later, name).apply(3 * SECOND)
        assert abs(int(in_first) - int(in_later)) <= 1
    assert int(later.gopro.apply(30_000_000)) == 0


def test_both_clocks_of_the_pi_run_alike():
    made = clocks()
    between = made.pi.inverse().compose(made.wall)
    assert between.drift_ppm == pytest.approx(0.0, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(drift=st.floats(-50, 50), rate=st.floats(10, 50_000), start=st.integers(0, 10 * SECOND))
def test_a_device_stamps_an_instant_with_what_its_clock_shows_then(drift, rate, start):
    clock = ClockMap(source="sim", target="pi", offset_ns=5_000 * SECOND, drift_ppm=drift)
    sampling = Sampling(clock=clock, start_ns=start, rate_hz=rate, count=500)
    shown = clock.apply(sampling.instants_ns())
    assert np.abs(shown - sampling.stamps_ns()).max() <= 2
    np.testing.assert_allclose(sampling.instants_s() * 1e9, sampling.instants_ns(), atol=1.0)


def test_samples_stay_within_the_asked_time():
    clock = ClockMap(source="sim", target="pi", offset_ns=0, drift_ppm=50.0)
    sampling = Sampling.within(clock, start_ns=SECOND, end_ns=3 * SECOND, rate_hz=16_000)
    instants = sampling.instants_s()
    assert instants[0] == 1.0
    assert 3.0 - 1 / 16_000 < instants[-1] <= 3.0


@pytest.mark.parametrize("seed", range(8))
def test_the_gopro_is_wrong_by_20_ms_to_2_s(seed):
    assert 0.02 <= abs(GoProClock.random(seed).error_ns) * 1e-9 <= 2.0


def test_creation_time_and_timecode_show_the_same_second():
    calendar = GoProClock(error_ns=-361_000_000)
    wall = 1_785_357_004_361_000_000 + 500_000_000
    assert calendar.creation_time(wall) == "2026-07-29T20:30:04.000000Z"
    assert calendar.timecode(wall, Fraction(60000, 1001)) == "20:30:04:30"
