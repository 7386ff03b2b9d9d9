"""Coverage, gaps, jumps and speeds are those of the motion."""

from __future__ import annotations

import numpy as np
import pytest

from handloom_pose_sources.continuity import motion


def _line(count, *, period_ns=10_000_000, step_m=0.001):
    stamps = np.arange(count, dtype=np.int64) * period_ns
    poses = np.tile([0.0, 0, 0, 0, 0, 0, 1], (count, 1))
    poses[:, 0] = np.arange(count) * step_m
    return stamps, poses, np.ones(count, bool)


def _measure(stamps, poses, tracked, *, max_gap_s=0.05, span=None):
    poses = np.where(tracked[:, None], poses, np.nan)
    return motion(stamps, poses, tracked, max_gap_s=max_gap_s, span=span or (int(stamps[0]), int(stamps[-1])))


def test_an_unbroken_line_is_covered_whole_at_constant_speed():
    measured = _measure(*_line(101))
    assert measured.coverage == pytest.approx(1)
    assert measured.largest_gap_s == pytest.approx(0.01)
    assert np.allclose(measured.speeds_m_per_s, 0.1)


def test_two_poses_at_the_ends_cover_nothing():
    stamps, poses, tracked = _line(101)
    tracked[1:-1] = False
    measured = _measure(stamps, poses, tracked)
    assert measured.coverage == 0
    assert measured.largest_gap_s == pytest.approx(1.0)


def test_a_lost_row_breaks_the_step_over_it():
    stamps, poses, tracked = _line(11)
    tracked[5] = False
    measured = _measure(stamps, poses, tracked)
    assert measured.coverage == pytest.approx(0.8)
    assert len(measured.distances_m) == 8


def test_a_span_beyond_the_rows_counts_as_a_gap():
    stamps, poses, tracked = _line(11)
    measured = _measure(stamps, poses, tracked, span=(-100_000_000, 100_000_000))
    assert measured.coverage == pytest.approx(0.5)
    assert measured.largest_gap_s == pytest.approx(0.1)


def test_a_stream_that_is_lost_altogether_has_figures_too():
    stamps, poses, tracked = _line(11)
    measured = _measure(stamps, poses, ~tracked)
    assert measured.coverage == 0
    assert measured.to_json()["largest_jump_m"] is None
    assert measured.to_json()["speed_m_per_s"] is None


def test_a_jump_is_the_longest_step():
    stamps, poses, tracked = _line(11)
    poses[6:, 1] += 0.5
    poses[8:, 3:] = [1, 0, 0, 0]
    json = _measure(stamps, poses, tracked).to_json()
    assert json["largest_jump_m"] == pytest.approx(np.hypot(0.5, 0.001))
    assert json["largest_jump_deg"] == pytest.approx(180)
