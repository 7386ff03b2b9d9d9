import attrs
import numpy as np

from handloom.time import ClockMap
from handloom_simulation.devices import Sampling, ServoSettings, measure_jaw, width_of_ticks

PI = ClockMap(source="sim", target="pi", offset_ns=5_000_000_000_000, drift_ppm=-20.0)


def measured(take, settings):
    sampling = Sampling.within(
        PI, start_ns=50_000_000, end_ns=int(take.stamps[-1]) - 50_000_000, rate_hz=settings.rate_hz
    )
    return sampling, measure_jaw(take, sampling, settings)


def test_ticks_tell_the_width_within_the_dead_band(take):
    settings = attrs.evolve(ServoSettings(), latency_s=0.0)
    sampling, jaw = measured(take, settings)
    tick_m = width_of_ticks(1, settings) - width_of_ticks(0, settings)
    error = width_of_ticks(jaw.ticks, settings) - take.width_at(sampling.instants_ns())
    assert np.abs(error).max() <= 1.5 * tick_m
    assert jaw.ticks.dtype == np.int64


def test_latency_shows_what_was(take):
    settings = ServoSettings(latency_s=0.05, dead_band_ticks=0)
    sampling, jaw = measured(take, settings)
    earlier = take.width_at(sampling.instants_ns() - 50_000_000)
    tick_m = width_of_ticks(1, settings) - width_of_ticks(0, settings)
    assert np.abs(width_of_ticks(jaw.ticks, settings) - earlier)[10:].max() <= tick_m


def test_a_still_jaw_reports_one_value(take):
    still = attrs.evolve(
        take, width_m=np.full(len(take.stamps), 0.04) + 1e-5 * np.sin(np.arange(len(take.stamps)))
    )
    _, jaw = measured(still, ServoSettings())
    assert len(np.unique(jaw.ticks)) == 1
