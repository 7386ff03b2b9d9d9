"""Ticks to nanoseconds: exact, whatever the time base."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.media.stamps import tick_to_ns, ticks_to_ns

BASES = st.builds(Fraction, st.integers(1, 2000), st.integers(1, 1_000_000_000)).filter(lambda base: base < 10)


@given(tick=st.integers(-(10**12), 10**12), base=BASES)
@settings(max_examples=60, deadline=None)
def test_stamps_are_the_nearest_nanosecond(tick, base):
    exact = tick * base * 10**9
    if abs(exact) < 2**62:
        assert abs(int(ticks_to_ns([tick], base)[0]) - exact) <= Fraction(1, 2)


@given(tick=st.integers(-(10**12), 10**12), base=BASES)
@settings(max_examples=60, deadline=None)
def test_one_tick_is_stamped_like_many(tick, base):
    if abs(tick * base * 10**9) < 2**62:
        assert tick_to_ns(tick, base) == ticks_to_ns([tick, 0], base)[0]


def test_epoch_stamps_keep_their_last_nanosecond():
    epoch_ticks = 1_700_000_000 * 90_000 + 1
    assert tick_to_ns(epoch_ticks, Fraction(1, 90_000)) == 1_700_000_000_000_011_111
