"""Angular speed finds the offset between clocks, through gaps, and only where the motion shows it."""

from __future__ import annotations

import numpy as np
import pytest

from handloom.geometry import quaternion
from handloom_pose_sources.alignment import Take, Track, offset_candidates

GAP_NS = 150_000_000


def _track(rate_hz, start_s, end_s, *, seed=0, clock_s=0.0, lost=(0.0, 0.0)):
    """Return a body that turns at random, as its own clock stamps it."""
    times = np.arange(start_s, end_s, 1 / rate_hz)
    random = np.random.default_rng(seed)
    frequencies, phases = random.uniform(0.2, 1.5, (2, 5, 3))
    waves = np.sin(2 * np.pi * (times[:, None, None] * frequencies + phases * 4))
    poses = np.concatenate([np.zeros((len(times), 3)), quaternion.from_rotvec(0.25 * waves.sum(axis=1))], axis=1)
    tracked = (times < lost[0]) | (times >= lost[1])
    poses[~tracked] = np.nan
    return Track(stamps=np.rint((times + clock_s) * 1e9).astype(np.int64), poses=poses, tracked=tracked)


def _offsets(reference, other, **options):
    take = Take(episode="e", reference=reference, other=other)
    return offset_candidates(take, **{"min_overlap_s": 3.0, "max_gap_ns": GAP_NS, **options})


@pytest.mark.parametrize("clock_s", [0.0, 1234.5, -7.0])
def test_the_offset_is_found_wherever_the_clocks_stand(clock_s):
    reference = _track(60, 0, 12, clock_s=3.0, lost=(5, 6))
    best = _offsets(reference, _track(240, -4, 14, clock_s=clock_s, lost=(8, 8.4)))[0]
    assert best.offset_ns == pytest.approx((3.0 - clock_s) * 1e9, abs=1e7)
    assert best.correlation > 0.98


def test_a_short_take_is_found_inside_a_long_one():
    best = _offsets(_track(60, 50, 60), _track(120, 0, 90, clock_s=-50.0))[0]
    assert best.offset_ns == pytest.approx(50e9, abs=1e7)


def test_the_search_stays_near_a_clock_map():
    near = {"near_ns": 2_000_000_000, "search_ns": 500_000_000}
    found = _offsets(_track(60, 0, 12), _track(60, 0, 12, seed=1), **near)
    assert all(abs(candidate.offset_ns - 2_000_000_000) < 520_000_000 for candidate in found)


def test_without_overlap_or_turning_there_is_no_candidate():
    still = _track(60, 0, 12)
    still.poses[:, 3:] = [0, 0, 0, 1]
    assert _offsets(still, _track(60, 0, 12)) == []
    assert _offsets(_track(60, 0, 2), _track(60, 0, 2)) == []
    assert _offsets(_track(60, 0, 12, lost=(0, 12)), _track(60, 0, 12)) == []
