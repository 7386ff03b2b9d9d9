from hypothesis import given, settings
from hypothesis import strategies as st

from handloom_sensors.gpmf.counting import Share, number_samples

SECOND = 1_000_000_000


def shares(counts, *, start=0, totals=True, chapter=lambda index: 0):
    found, total = [], start
    for index, count in enumerate(counts):
        total += count
        found.append(
            Share(
                count=count,
                stamp_us=None,
                total=total if totals else None,
                pts_ns=index * SECOND,
                duration_ns=SECOND,
                chapter=chapter(index),
            )
        )
    return found


def numbered(found):
    return number_samples(found, [share.pts_ns for share in found])


def test_counting_starts_at_zero_wherever_the_counter_stood():
    assert numbered(shares([208, 207, 207], start=198_965)).first.tolist() == [0, 208, 415]


def test_without_a_counter_samples_are_counted():
    assert numbered(shares([3, 4, 5], totals=False)).first.tolist() == [0, 3, 7]


@settings(max_examples=40, deadline=None)
@given(st.integers(195, 205), st.integers(1, 8), st.integers(1, 3))
def test_lost_payloads_leave_a_gap_of_known_length(count, at, missing):
    whole = shares([count] * 12)
    kept = whole[:at] + whole[at + missing :]
    numbering = numbered(kept)
    assert numbering.lost.sum() == missing * count
    assert numbering.first[at] == (at + missing) * count
    assert not numbering.notes


def test_a_gap_between_only_two_payloads_is_seen():
    whole = shares([200] * 4)
    assert numbered([whole[0], whole[3]]).lost.tolist() == [0, 400]


def test_a_jump_of_the_counter_that_time_does_not_confirm_is_not_believed():
    found = shares([200] * 5)
    broken = [*found[:2], Share(count=200, stamp_us=None, total=9_000_000, pts_ns=2 * SECOND), *found[3:]]
    numbering = numbered(broken)
    assert numbering.first.tolist() == [0, 200, 400, 600, 800]
    assert "not believed" in numbering.notes[0]


def test_a_chapter_may_count_anew_without_a_word():
    found = [*shares([200] * 3), *shares([200] * 3, chapter=lambda index: 1)]
    later = [Share(**{**_fields(share), "pts_ns": index * SECOND}) for index, share in enumerate(found)]
    numbering = numbered(later)
    assert numbering.first.tolist() == [0, 200, 400, 600, 800, 1000]
    assert not numbering.notes


def _fields(share):
    return {name: getattr(share, name) for name in ("count", "stamp_us", "total", "duration_ns", "chapter")}
