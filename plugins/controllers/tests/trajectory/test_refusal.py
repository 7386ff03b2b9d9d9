"""What is wrong with a chunk is found, named by row, told in a sentence, and changes not one bit."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from handloom.api import Chunk
from handloom.testing.hostile_chunks import hostile_chunks
from handloom_controllers.refusal import MOST_WAYPOINTS, SpliceReport, told, wrong_kind
from handloom_controllers.trajectory import TrajectoryConfig

EPOCH = 1_700_000_000_000_000_000
NOW = EPOCH + 50_000_000


def good(make_chunk, make_pose, count=5, observed=2):
    times = 0.1 + 0.1 * np.arange(count)
    return make_chunk(times, [make_pose(0.001 * k, 0) for k in range(count)], observed=observed)


def with_pose(chunk, row, column, value):
    poses = chunk.poses.copy()
    poses[row, column] = value
    return attrs.evolve(chunk, poses=poses)


def with_stamp(chunk, row, stamp):
    stamps = chunk.stamps.copy()
    stamps[row] = stamp
    return attrs.evolve(chunk, stamps=stamps)


WRONG = {
    "NaN": (lambda c: with_pose(c, 3, 1, np.nan), "invalid_chunk", "not_finite", 3),
    "infinite": (lambda c: with_pose(c, 2, 4, -np.inf), "invalid_chunk", "not_finite", 2),
    "zero quaternion": (lambda c: with_pose(c, 4, slice(3, 7), 0), "invalid_chunk", "quaternion", 4),
    "un-normalised": (lambda c: with_pose(c, 1, slice(3, 7), 0.6), "invalid_chunk", "quaternion", 1),
    "huge quaternion": (lambda c: with_pose(c, 1, 3, 1e300), "invalid_chunk", "quaternion", 1),
    "out of reach": (lambda c: with_pose(c, 1, 0, 10.1), "invalid_chunk", "reach", 1),
    "out of order": (lambda c: with_stamp(c, 2, EPOCH + 150_000_000), "invalid_chunk", "order", 2),
    "duplicate": (lambda c: with_stamp(c, 2, int(c.stamps[1])), "invalid_chunk", "duplicate", 2),
    "too far ahead": (lambda c: with_stamp(c, 4, NOW + 60_000_000_001), "invalid_chunk", "ahead", 4),
    "end of time": (lambda c: with_stamp(c, 4, np.iinfo(np.int64).max), "invalid_chunk", "ahead", 4),
    "beginning of time": (
        lambda c: attrs.evolve(c, stamps=np.iinfo(np.int64).min + np.arange(5)), "late_chunk", "nothing", -1,
    ),
    "all past": (lambda c: attrs.evolve(c, stamps=c.stamps - 450_000_000), "late_chunk", "nothing", -1),
    "not newer": (lambda c: attrs.evolve(c, observed=1), "late_chunk", "nothing", -1),
    "infinite width": (
        lambda c: attrs.evolve(c, widths_m=np.array([0, 0, np.inf, 0, 0])), "invalid_chunk", "width", 2,
    ),
    "negative width": (lambda c: attrs.evolve(c, widths_m=np.full(5, -0.01)), "invalid_chunk", "width", 0),
}  # fmt: skip


@pytest.fixture
def under_way(make_trajectory, make_chunk, make_pose):
    """Return a trajectory that follows a chunk."""
    trajectory = make_trajectory(TrajectoryConfig())
    trajectory.start(EPOCH, make_pose(0, 0), 0.05)
    assert trajectory.splice(good(make_chunk, make_pose, observed=1), EPOCH).taken
    return trajectory


def rows(trajectory):
    return trajectory.at_many(EPOCH + np.arange(0, 800_000_000, 10_000_000))


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named_and_changes_nothing(under_way, make_chunk, make_pose, name):
    spoil, outcome, wrong, row = WRONG[name]
    before = rows(under_way)
    chunk = spoil(good(make_chunk, make_pose))
    assert under_way.splice(chunk, NOW) == SpliceReport(outcome, wrong, row)
    assert np.array_equal(rows(under_way), before)
    fault = told(SpliceReport(outcome, wrong, row), chunk, NOW)
    assert fault.kind == outcome
    assert fault.message.endswith(".")
    assert under_way.splice(good(make_chunk, make_pose), NOW).taken  # the next good one


def test_an_empty_chunk_is_refused(under_way, make_chunk):
    assert under_way.splice(make_chunk([], np.zeros((0, 7)), observed=2), NOW).outcome == "empty_chunk"


def test_more_waypoints_than_fit_are_refused_with_those_still_pending(under_way, make_chunk, make_pose):
    times = 0.55 + 0.01 * np.arange(MOST_WAYPOINTS + 1)
    many = make_chunk(times, [make_pose(0.004, 0)] * len(times), observed=2)
    before = rows(under_way)
    assert under_way.splice(many, NOW) == SpliceReport("invalid_chunk", "too_many", MOST_WAYPOINTS)
    one_less = make_chunk(times[:-1], many.poses[:-1], observed=2)  # and five are pending
    assert under_way.splice(one_less, NOW) == SpliceReport("invalid_chunk", "too_many", MOST_WAYPOINTS - 5)
    assert np.array_equal(rows(under_way), before)
    assert under_way.splice(make_chunk(times[5:-1], many.poses[5:-1], observed=2), NOW).outcome == "taken"
    assert len(under_way.pending(NOW)[0]) == MOST_WAYPOINTS


def test_a_chunk_that_says_it_is_something_else_is_told_apart(make_chunk, make_pose):
    chunk = good(make_chunk, make_pose)
    expected = {"frame": "base", "body": "tcp", "clock": "robot"}
    assert wrong_kind(chunk, **expected) == ""
    assert "T_table_tcp" in wrong_kind(attrs.evolve(chunk, frame="table"), **expected)
    assert "clock 'wall'" in wrong_kind(attrs.evolve(chunk, clock="wall"), **expected)
    assert "float64" in wrong_kind(attrs.evolve(chunk, stamps=chunk.stamps.astype(float)), **expected)


def test_every_hostile_chunk_of_the_contract_is_refused(under_way, make_chunk, make_pose):
    expected = {"frame": "base", "body": "tcp", "clock": ""}
    for name, bad in hostile_chunks(good(make_chunk, make_pose), NOW):
        assert isinstance(bad, Chunk)
        assert wrong_kind(bad, **expected) or not under_way.splice(bad, NOW).taken, name
