from hypothesis import given, settings
from hypothesis import strategies as st

from handloom_sensors.gpmf.counting import Share
from handloom_sensors.gpmf.stamping import WRAP_US, difference_us, unwrapped


def stamped(stamps, chapters=None):
    chapters = chapters or [0] * len(stamps)
    return [
        Share(count=1, stamp_us=stamp, total=None, pts_ns=0, chapter=chapter)
        for stamp, chapter in zip(stamps, chapters, strict=True)
    ]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, WRAP_US - 1), st.integers(1, 2_000_000_000), st.integers(2, 6))
def test_a_32_bit_counter_that_wraps_goes_on(start, step, count):
    truth = [start + index * step for index in range(count)]
    found, notes = unwrapped(stamped([stamp % WRAP_US for stamp in truth]))
    assert list(found) == truth
    assert not notes


def test_a_64_bit_counter_is_left_alone():
    truth = [2**40, 2**40 + 5, 2**40 + 10]
    assert unwrapped(stamped(truth)) == (tuple(truth), ())


def test_a_stamp_that_goes_back_is_not_used():
    found, notes = unwrapped(stamped([10, 20, 15, 30]))
    assert found == (10, 20, None, 30)
    assert "goes back" in notes[0]


def test_a_chapter_may_stamp_anew():
    found, notes = unwrapped(stamped([1000, 2000, 10, 1010], [0, 0, 1, 1]))
    assert found == (1000, 2000, 10, 1010)
    assert not notes


def test_a_difference_across_the_wrap_goes_the_short_way():
    assert difference_us(WRAP_US - 2273, 5) == -2278
    assert difference_us(5, WRAP_US - 2273) == 2278


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 5), st.integers(10**8, 2**32 - 10**8) | st.integers(2**33, 2**64 - 1))
def test_a_damaged_stamp_spoils_no_other(damaged, value):
    truth = [1_000_000 * (index + 1) for index in range(6)]
    stamps = [value if index == damaged else stamp for index, stamp in enumerate(truth)]
    shares = [
        Share(count=1, stamp_us=stamp, total=None, pts_ns=index * 1_000_000_000)
        for index, stamp in enumerate(stamps)
    ]
    found, _ = unwrapped(shares)
    rest = [stamp for index, stamp in enumerate(found) if index not in (damaged, damaged + 1)]
    assert rest == [stamp for index, stamp in enumerate(truth) if index not in (damaged, damaged + 1)]


def test_a_damaged_stamp_is_named():
    shares = [
        Share(count=1, stamp_us=stamp, total=None, pts_ns=index * 1_000_000_000)
        for index, stamp in enumerate([2**63, 2_000_000, 3_000_000, 4_000_000])
    ]
    (note,) = unwrapped(shares)[1]
    assert note == "STMP 9223372036854775808 of payload 0 does not fit the others and is not used"
