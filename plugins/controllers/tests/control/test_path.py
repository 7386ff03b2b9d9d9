"""A recorded path is read whole or not at all, brought to the tool, and answered in chunks."""

import attrs
import numpy as np
import pytest

from handloom.errors import RecordingError
from handloom.geometry import pose, quaternion
from handloom_controllers.control.path import PathPolicy, ToolPath, placed, read_path
from handloom_controllers.control.settings import ReferenceSettings

TOOL = np.array([0.4, -0.1, 0.5, *quaternion.from_rotvec([3.0, 0.3, 0.1])])


@pytest.fixture
def settings(pipeline):
    return ReferenceSettings(file=pipeline.parent / "path.txt")


def test_a_path_begins_at_zero_and_keeps_its_time(settings):
    path = read_path(settings)
    assert path.stamps[0] == 0
    assert path.duration_ns == 2_000_000_000
    assert read_path(attrs.evolve(settings, speed=2.0)).duration_ns == 1_000_000_000


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("0 0 0 0 0 0 0 1\n0.1 0 0 0 0 0 0 0\n0.2 0 0 0 0 0 0 1", r"line 2: the pose is lost \(1 such rows\)"),
        ("0 0 0 0 0 0 0 1\n0.5 0 0 0 0 0 0 1", r"line 1: the next pose comes after 0.5 s; .* max_gap_s = 0.2 s"),
        ("0 0 0 0 0 0 0 1", "holds 1 poses; expected a path"),
    ],
)
def test_what_no_arm_can_follow_is_refused(settings, rows, told):
    settings.file.write_text(rows)
    with pytest.raises(RecordingError, match=told):
        read_path(settings)


def test_a_path_that_would_take_more_than_a_day_is_refused(settings):
    settings.file.write_text("".join(f"{50 * place} 0 0 0 0 0 0 1\n" for place in range(3)))
    with pytest.raises(RecordingError, match=r"takes 1e\+05 s at a speed of 0\.001; expected a day"):
        read_path(attrs.evolve(settings, max_gap_s=60.0, speed=0.001))


def test_a_path_that_is_placed_at_the_start_keeps_its_shape_in_the_tools_axes(settings):
    recorded = read_path(settings)
    moved = placed(recorded, TOOL, attrs.evolve(settings, lead_in_s=0.0))
    assert np.allclose(moved.poses[0], TOOL)
    shape = pose.compose(pose.inverse(recorded.poses[0]), recorded.poses)
    assert np.allclose(pose.compose(pose.inverse(moved.poses[0]), moved.poses), shape, atol=1e-12)


def test_a_path_in_the_base_is_led_to_at_rest_at_both_ends(settings):
    there = placed(read_path(settings), TOOL, attrs.evolve(settings, place="base", lead_in_s=1.0))
    assert there.duration_ns == 3_000_000_000
    assert np.allclose(there.at(np.array([0]))[0], TOOL)
    assert np.allclose(there.at(np.array([1_000_000_000]))[0], read_path(settings).poses[0])
    steps = np.linalg.norm(np.diff(there.at(np.arange(0, 1_000_000_001, 20_000_000))[:, :3], axis=0), axis=1)
    assert steps[0] < 0.02 * steps.max()
    assert steps[-1] < 0.02 * steps.max()


def test_a_chunk_is_what_comes_next_and_the_end_is_its_last_waypoint():
    path = ToolPath(stamps=np.array([0, 10**9]), poses=np.array([TOOL, TOOL + 0.1 * np.eye(7)[0]]))
    policy = PathPolicy(path=path, horizon=4, period_ns=100_000_000)
    start = 7 * 10**9
    chunk = policy.chunk(start + 200_000_000, start)
    assert (chunk.stamps - start).tolist() == [300_000_000, 400_000_000, 500_000_000, 600_000_000]
    assert np.allclose(chunk.poses[:, 0], [0.43, 0.44, 0.45, 0.46])
    assert chunk.observed == start + 200_000_000
    last = policy.chunk(start + 850_000_000, start)
    assert (last.stamps - start).tolist() == [950_000_000, 1_000_000_000]
    assert np.allclose(last.poses[-1], path.poses[-1])
    assert len(policy.chunk(start + 10**9, start).stamps) == 0
