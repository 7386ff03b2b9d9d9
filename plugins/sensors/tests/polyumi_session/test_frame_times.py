"""Which stamps are believed: laws that hold for any list, and the places where a clock was set."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom_sensors.polyumi_session.frame_times import Jump, believe

PERIOD = 100_000_000


def even(count, *, start=7_000_000_000):
    return np.arange(count), start + np.arange(count, dtype=np.int64) * PERIOD


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(0, 10**10), min_size=1, max_size=40),
    st.one_of(st.none(), st.integers(0, 10**10)),
)
def test_what_is_believed_goes_forward_and_every_frame_is_accounted_for(stamps, lasts_ns):
    stamps = np.array(stamps, np.int64)
    found = believe(np.arange(len(stamps)), stamps, lasts_ns=lasts_ns)
    assert found.keep[0]
    assert (np.diff(stamps[found.keep]) > 0).all()
    after = len(stamps) - found.jump.row if found.jump else 0
    assert found.keep.sum() + after >= 1
    assert (~found.keep).sum() <= found.repeated + found.odd + after
    assert all(note.endswith(".") for note in found.notes("The camera"))


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 60), st.integers(0, 2**32 - 1))
def test_a_sound_camera_that_jitters_by_a_tenth_of_a_period_loses_no_frame(count, seed):
    # Then no step is longer than 1.5 of any other, so that no median of few steps can make a gap of one.
    indices, stamps = even(count)
    stamps = stamps + np.random.default_rng(seed).integers(-PERIOD // 10 + 1, PERIOD // 10, count)
    found = believe(indices, stamps, lasts_ns=count * PERIOD)
    assert found.keep.all()
    assert found.jump is None
    assert not list(found.notes("The camera"))


@settings(max_examples=50, deadline=None)
@given(st.integers(3, 30), st.integers(400_000_000, 10**12), st.sampled_from([-1, 1]))
def test_a_clock_that_is_set_is_found_at_its_frame(row, size, sign):
    indices, stamps = even(60, start=2 * 10**12)
    stamps[row:] += sign * size
    found = believe(indices, stamps, lasts_ns=60 * PERIOD)
    assert found.jump == Jump(row=row, by_ns=sign * size)
    assert np.flatnonzero(found.keep).tolist() == list(range(row))


def test_one_stamp_that_goes_back_alone_costs_one_frame():
    indices, stamps = even(20)
    stamps[9] -= 5 * PERIOD
    found = believe(indices, stamps, lasts_ns=20 * PERIOD)
    assert np.flatnonzero(~found.keep).tolist() == [9]
    assert found.odd == 1
    assert found.jump is None


def test_one_stamp_that_is_ahead_alone_costs_one_frame():
    indices, stamps = even(20)
    stamps[9] += 5 * PERIOD
    found = believe(indices, stamps, lasts_ns=20 * PERIOD)
    assert np.flatnonzero(~found.keep).tolist() == [9]
    assert found.odd == 1


def test_a_repeated_stamp_costs_the_second_frame():
    indices, stamps = even(20)
    stamps[9] = stamps[8]
    found = believe(indices, stamps)
    assert np.flatnonzero(~found.keep).tolist() == [9]
    assert found.repeated == 1


def test_numbers_that_are_missing_explain_a_pause():
    indices, stamps = even(60)
    kept = np.r_[0:20, 50:60]
    found = believe(indices[kept], stamps[kept], lasts_ns=20 * PERIOD)
    assert found.jump is None
    assert found.gaps == ((20, 30 * PERIOD),)


@pytest.mark.parametrize("lasts_ns", [None, 50 * PERIOD])
def test_without_another_clock_that_contradicts_a_pause_is_a_pause(lasts_ns):
    indices, stamps = even(20)
    stamps[10:] += 30 * PERIOD
    found = believe(indices, stamps, lasts_ns=lasts_ns)
    assert found.keep.all()
    assert found.gaps == ((10, 30 * PERIOD),)
    assert found.period_ns == PERIOD
