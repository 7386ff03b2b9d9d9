"""Stamps keep to their clock and to whole nanoseconds."""

import operator

import numpy as np
import pytest

from handloom.errors import ClockError
from handloom.time import Stamp

EPOCH = 1_700_000_000_123_456_789


def test_difference_of_epoch_stamps_keeps_the_last_nanosecond():
    assert Stamp(EPOCH + 1, "camera") - Stamp(EPOCH, "camera") == 1


def test_shift_and_difference_undo_each_other():
    start = Stamp(EPOCH, "camera")
    assert (start + 5) - start == 5
    assert (start + 5) - 5 == start


def test_stamps_of_one_clock_are_ordered():
    early, late = Stamp(1, "camera"), Stamp(2, "camera")
    assert early < late
    assert late > early
    assert early <= Stamp(1, "camera") <= late
    assert late >= early


@pytest.mark.parametrize("operation", [operator.sub, operator.lt, operator.le, operator.gt, operator.ge])
def test_two_clocks_never_meet(operation):
    with pytest.raises(ClockError, match=r"'camera'.*'mocap'"):
        operation(Stamp(1, "camera"), Stamp(2, "mocap"))


def test_equal_numbers_on_two_clocks_are_not_equal():
    assert Stamp(1, "camera") != Stamp(1, "mocap")
    assert len({Stamp(1, "camera"), Stamp(1, "mocap"), Stamp(1, "camera")}) == 2


@pytest.mark.parametrize("ns", [0.5, 1.0, True, "1", None, 2**63, np.float64(1)])
def test_only_whole_nanoseconds_that_fit_are_taken(ns):
    with pytest.raises(ClockError, match="whole"):
        Stamp(ns, "camera")
    with pytest.raises(ClockError, match="whole"):
        Stamp(0, "camera") + ns


def test_numpy_integers_become_python_integers():
    assert type(Stamp(np.int64(3), "camera").ns) is int


def test_comparison_with_a_bare_number_is_refused():
    with pytest.raises(ClockError, match="no stamp"):
        _ = Stamp(1, "camera") < 2


def test_clock_needs_a_name():
    with pytest.raises(ClockError, match="name"):
        Stamp(1, "")
