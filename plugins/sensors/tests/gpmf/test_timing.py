import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import RecordingError
from handloom.streams import check_knots, rate_hz, stamps_at
from handloom_sensors.gpmf.counting import Share
from handloom_sensors.gpmf.stamping import WRAP_US
from handloom_sensors.gpmf.timing import Zero, place, zeros_of

SECOND = 1_000_000_000


def recorded(rate_hz, seconds, *, start_us=0, lead_us=0, drift_ppm_per_s=0.0, stamped=True, counter_bits=64):
    """Return shares of a sensor and its true times in ns, one payload a second."""
    index = np.arange(int(rate_hz * seconds))
    nominal = index / rate_hz
    true_us = nominal * 1e6 * (1 + drift_ppm_per_s * 1e-6 * nominal / 2) - lead_us
    payload = np.clip((nominal - lead_us * 1e-6) // 1, 0, seconds - 1).astype(int)
    shares = []
    for second in range(seconds):
        inside = np.flatnonzero(payload == second)
        stamp = round(start_us + true_us[inside[0]]) % 2**counter_bits
        shares.append(
            Share(
                count=len(inside),
                stamp_us=stamp if stamped else None,
                total=int(inside[-1]) + 1,
                pts_ns=second * SECOND,
                duration_ns=SECOND,
            )
        )
    return shares, np.rint(true_us * 1000).astype(np.int64)


def placed_stamps(timing):
    check_knots(timing.knots)
    return stamps_at(timing.knots, np.arange(timing.count))


@settings(max_examples=40, deadline=None)
@given(st.floats(24, 400), st.integers(0, 2**33), st.integers(-20_000, 20_000))
def test_stamped_samples_are_placed_within_the_resolution_of_the_counter(rate, start, lead):
    shares, truth = recorded(rate, 6, start_us=start + 20_000, lead_us=lead)
    timing = place(shares, (Zero(stamp_us=start + 20_000, time_ns=0),))
    assert timing.source == "STMP"
    assert np.abs(placed_stamps(timing) - truth).max() <= 2000


def test_a_counter_that_wraps_between_the_frame_and_the_sensor_keeps_the_lead():
    shares, truth = recorded(200.0, 4, start_us=WRAP_US + 1000, lead_us=2273, counter_bits=32)
    assert shares[0].stamp_us > shares[1].stamp_us
    timing = place(shares, (Zero(stamp_us=1000, time_ns=0),))
    assert placed_stamps(timing)[0] == -2_273_000
    assert np.abs(placed_stamps(timing) - truth).max() <= 2000


def test_a_drifting_clock_is_followed_piece_by_piece():
    shares, truth = recorded(200.0, 120, drift_ppm_per_s=1.0)
    timing = place(shares, (Zero(stamp_us=0, time_ns=0),))
    assert timing.residual_ns > 1_000_000
    assert np.abs(placed_stamps(timing) - truth)[:-200].max() < 3000


def test_stamps_keep_their_distance_to_a_frame_that_is_not_at_zero():
    shares, _ = recorded(200.0, 3, start_us=5_000_000)
    timing = place(shares, (Zero(stamp_us=5_000_000, time_ns=16_000_000),))
    assert timing.knots[0].tolist() == [0, 16_000_000]


def test_a_lost_payload_leaves_a_gap_in_time_and_a_note():
    shares, truth = recorded(200.0, 6)
    kept = shares[:2] + shares[3:]
    present = np.concatenate([truth[: shares[1].total], truth[shares[2].total :]])
    timing = place(kept, (Zero(stamp_us=0, time_ns=0),))
    stamps = placed_stamps(timing)
    assert np.abs(stamps - present).max() <= 2000
    assert np.diff(stamps).max() > 0.99 * SECOND
    assert timing.lost == 200
    assert "200 samples are missing before payload 2" in timing.notes[0]


def test_a_lost_payload_is_a_gap_without_stamps_too():
    shares, _ = recorded(200.0, 6, stamped=False)
    timing = place(shares[:2] + shares[3:], (None,))
    assert timing.lost == 200
    assert np.diff(placed_stamps(timing)).max() > 0.99 * SECOND


@settings(max_examples=30, deadline=None)
@given(st.floats(100, 400), st.integers(5, 100))
def test_without_stamps_the_short_last_payload_is_placed_by_rate(rate, count):
    shares, _ = recorded(rate, 8, stamped=False)
    last = Share(count=count, stamp_us=None, total=shares[-1].total + count, pts_ns=8 * SECOND, duration_ns=SECOND)
    timing = place([*shares, last], (None,))
    stamps = placed_stamps(timing)
    assert timing.source == "payload"
    assert np.ptp(np.diff(stamps)) <= 2
    assert rate_hz(timing.knots) == pytest.approx(rate, rel=5e-3)


def test_without_stamps_the_video_bounds_the_last_payload():
    shares, _ = recorded(200.0, 4, stamped=False)
    end = 3 * SECOND + 900_000_000
    timing = place(shares, (None,), end_ns=end)
    assert placed_stamps(timing)[-1] == end
    assert "to end with the video" in timing.notes[-1]
    assert placed_stamps(timing)[599] == pytest.approx(599 * SECOND / 200, abs=2)


def test_a_lone_payload_goes_by_its_duration_and_the_end_of_the_video():
    lone = [Share(count=100, stamp_us=None, total=100, pts_ns=0, duration_ns=1_001_000_000)]
    assert rate_hz(place(lone, (None,), end_ns=500_000_000).knots) == pytest.approx(200)


def test_a_lone_payload_without_duration_is_refused_rather_than_given_a_rate():
    lone = [Share(count=199, stamp_us=None, total=199, pts_ns=0)]
    with pytest.raises(RecordingError, match="199 samples in a single payload of unknown duration has no rate"):
        place(lone, (None,))


def test_one_badly_flushed_payload_does_not_move_the_rate():
    counts = [29, *[30] * 11, 2]
    totals = np.cumsum(counts)
    shares = [
        Share(
            count=count, stamp_us=None, total=int(total), pts_ns=index * 1_001_000_000, duration_ns=1_001_000_000
        )
        for index, (count, total) in enumerate(zip(counts, totals, strict=True))
    ]
    assert rate_hz(place(shares, (None,)).knots) == pytest.approx(30 / 1.001, rel=1e-9)


def frames(stamps_us, chapters):
    return [
        Share(count=30, stamp_us=stamp, total=None, pts_ns=0, chapter=chapter)
        for stamp, chapter in zip(stamps_us, chapters, strict=True)
    ]


def test_a_counter_that_goes_on_shares_one_zero_over_chapters():
    found = zeros_of(frames([1_000_000, 2_000_000, 3_000_400], [0, 0, 1]), [0, 2 * SECOND])
    assert found == (Zero(stamp_us=1_000_000, time_ns=0),) * 2


def test_a_counter_that_starts_anew_has_a_zero_for_each_chapter():
    found = zeros_of(frames([1_000_000, 2_000_000, 50_000], [0, 0, 1]), [0, 2 * SECOND])
    assert found == (Zero(stamp_us=1_000_000, time_ns=0), Zero(stamp_us=50_000, time_ns=2 * SECOND))


def test_a_chapter_without_stamps_has_no_zero():
    assert zeros_of(frames([1_000_000, None], [0, 1]), [0, SECOND])[1] is None
