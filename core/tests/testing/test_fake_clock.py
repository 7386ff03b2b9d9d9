"""Fake clocks move only when told to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import ClockError
from handloom.testing import DriftingClock, FakeClock
from handloom.time import Clock, ClockMap, Stamp


def test_both_are_clocks():
    base = FakeClock()
    assert isinstance(base, Clock)
    assert isinstance(DriftingClock(base, by=ClockMap(source="simulation", target="arm", offset_ns=0)), Clock)


def test_a_fake_clock_stands_still_until_advanced():
    clock = FakeClock(start_ns=5)
    assert clock.now() == clock.now() == Stamp(5, "simulation")
    clock.advance(7)
    assert clock.now().ns == 12


def test_sleeping_jumps_forward_and_never_back():
    clock = FakeClock()
    clock.sleep_until(Stamp(100, "simulation"))
    clock.sleep_until(Stamp(50, "simulation"))
    assert clock.now().ns == 100


def test_time_and_clocks_are_not_mixed_up():
    clock = FakeClock()
    with pytest.raises(ClockError, match="can't go back"):
        clock.advance(-1)
    with pytest.raises(ClockError, match="can't wait"):
        clock.sleep_until(Stamp(1, "arm"))
    with pytest.raises(ClockError, match="can't be moved by"):
        DriftingClock(clock, by=ClockMap(source="arm", target="hand", offset_ns=0))


@settings(max_examples=40, deadline=None)
@given(offset=st.integers(-(10**10), 10**10), drift=st.floats(-500, 500), ahead=st.integers(0, 10**12))
def test_sleeping_on_a_drifting_clock_reaches_the_stamp(offset, drift, ahead):
    base = FakeClock(start_ns=10**9)
    device = DriftingClock(base, by=ClockMap(source="simulation", target="arm", offset_ns=offset, drift_ppm=drift))
    wanted = device.now() + ahead
    device.sleep_until(wanted)
    assert 0 <= device.now() - wanted <= 2
