"""The monotonic clock waits for its own stamps only."""

import pytest

from handloom.errors import ClockError
from handloom.time import Clock, MonotonicClock, Stamp


def test_monotonic_clock_is_a_clock():
    assert isinstance(MonotonicClock(), Clock)


def test_now_carries_the_name_and_never_goes_back():
    clock = MonotonicClock("arm")
    first, second = clock.now(), clock.now()
    assert first.clock == "arm"
    assert second >= first


def test_sleep_until_returns_after_the_stamp():
    clock = MonotonicClock()
    wake = clock.now() + 3_000_000
    clock.sleep_until(wake)
    assert clock.now() >= wake


def test_sleep_until_the_past_returns_at_once():
    clock = MonotonicClock()
    clock.sleep_until(clock.now() - 10**18)


def test_sleep_until_another_clocks_stamp_is_refused():
    with pytest.raises(ClockError, match=r"'arm'.*'camera'"):
        MonotonicClock("arm").sleep_until(Stamp(0, "camera"))
