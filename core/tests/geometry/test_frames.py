"""The frame tree composes along any way, and says what is missing instead of guessing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handloom.errors import ClockError, FrameError, StreamError
from handloom.geometry import IDENTITY, FrameTree, interpolate_poses, pose

T_WORLD_BASE = pose.exp([1.0, 0.0, 0.0, 0.0, 0.0, 0.5])
T_BASE_FLANGE = pose.exp([0.0, 0.2, 0.1, 0.3, 0.0, 0.0])
T_FLANGE_TCP = pose.exp([0.0, 0.0, 0.1, 0.0, -0.4, 0.1])
T_WORLD_TABLE = pose.exp([0.0, 2.0, 0.0, 0.1, 0.1, 0.1])

TREE = (
    FrameTree()
    .with_static("flange", "tcp", T_FLANGE_TCP)
    .with_static("world", "base", T_WORLD_BASE)
    .with_static("base", "flange", T_BASE_FLANGE)
    .with_static("world", "table", T_WORLD_TABLE)
    .with_static("mocap", "marker", IDENTITY)
)
FRAMES = ["world", "base", "flange", "tcp", "table"]

STAMPS = 1_700_000_000_000_000_000 + np.arange(4) * 10
POSES = pose.exp(np.linspace(0.0, 1.0, 24).reshape(4, 6))


def moving(**more):
    return TREE.with_timed("table", "camera", STAMPS, POSES, np.ones(4, bool), 10, **more)


def test_transforms_compose_down_the_tree():
    expected = pose.compose(pose.compose(T_WORLD_BASE, T_BASE_FLANGE), T_FLANGE_TCP)
    assert np.allclose(TREE.transform("world", "tcp"), expected, atol=1e-14)


@settings(max_examples=40, deadline=None)
@given(a=st.sampled_from(FRAMES), b=st.sampled_from(FRAMES), c=st.sampled_from(FRAMES))
def test_every_way_round_gives_the_same_transform(a, b, c):
    T_a_c = pose.compose(TREE.transform(a, b), TREE.transform(b, c))
    difference = pose.log(pose.compose(pose.inverse(T_a_c), TREE.transform(a, c)))
    assert np.allclose(difference, 0.0, atol=1e-13)


def test_a_frame_is_the_identity_to_itself():
    assert np.array_equal(TREE.transform("world", "world"), IDENTITY)
    assert np.allclose(pose.log(TREE.transform("tcp", "tcp")), 0.0, atol=1e-15)


def test_points_given_in_the_tool_are_mapped_into_the_world():
    corner = pose.transform_points(TREE.transform("world", "tcp"), [0.0, 0.0, 0.0])
    assert np.allclose(corner, TREE.transform("world", "tcp")[:3])


def test_adding_a_frame_leaves_the_tree_as_it_was():
    more = TREE.with_static("tcp", "finger", IDENTITY)
    assert "finger" in more.frames
    assert "finger" not in TREE.frames
    with pytest.raises(TypeError):
        TREE.edges["finger"] = more.edges["finger"]


def test_timed_transforms_are_interpolated_and_composed():
    at = STAMPS[:-1] + 3
    known, _ = interpolate_poses(STAMPS, POSES, np.ones(4, bool), at, max_gap_ns=10)
    poses, tracked = moving().transform_at("tcp", "camera", at)
    expected = pose.compose(pose.compose(TREE.transform("tcp", "table"), IDENTITY), known)
    assert tracked.all()
    assert np.allclose(poses, expected, atol=1e-12)


def test_what_lies_outside_the_recording_is_lost():
    poses, tracked = moving().transform_at("camera", "tcp", [STAMPS[0] - 1, STAMPS[0], STAMPS[-1] + 1])
    assert tracked.tolist() == [False, True, False]
    assert np.isnan(poses[[0, 2]]).all()


def test_static_transforms_hold_at_every_stamp():
    poses, tracked = TREE.transform_at("world", "tcp", [0, 5])
    assert tracked.all()
    assert np.array_equal(poses, np.tile(TREE.transform("world", "tcp"), (2, 1)))


def test_frames_under_the_moving_one_are_fixed_to_each_other():
    tree = moving().with_static("camera", "lens", T_FLANGE_TCP)
    assert np.allclose(tree.transform("camera", "lens"), T_FLANGE_TCP)


def test_a_moving_transform_is_not_given_without_stamps():
    with pytest.raises(FrameError, match=r"T_world_camera changes with time.*transform_at"):
        moving().transform("world", "camera")


def test_unknown_frames_get_a_suggestion():
    with pytest.raises(FrameError, match="did you mean 'flange'"):
        TREE.transform("world", "flnage")
    with pytest.raises(FrameError, match="'x' is unknown"):
        FrameTree().transform("x", "x")


def test_two_trees_are_not_joined_by_guessing():
    with pytest.raises(FrameError, match=r"'tcp' and 'marker' are not joined.*'world'.*'mocap'"):
        TREE.transform("tcp", "marker")


def test_a_second_parent_is_refused():
    with pytest.raises(FrameError, match=r"'tcp' already hangs under 'flange'.*'table'"):
        TREE.with_static("table", "tcp", IDENTITY)


def test_rings_are_refused():
    with pytest.raises(FrameError, match="ring: 'world' under 'tcp' under 'flange' under 'base' under 'world'"):
        TREE.with_static("tcp", "world", IDENTITY)
    with pytest.raises(FrameError, match="ring: 'new' under 'new'"):
        TREE.with_static("new", "new", IDENTITY)


@pytest.mark.parametrize(
    "wrong",
    [[0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 1.1], [0, 0, 0, np.nan, 0, 0, 1], [0, 0, np.inf, 0, 0, 0, 1], [1]],
)
def test_what_is_no_transform_is_refused(wrong):
    with pytest.raises(FrameError, match="T_world_x"):
        TREE.with_static("world", "x", wrong)


def test_frames_need_names():
    with pytest.raises(FrameError, match="names"):
        TREE.with_static("", "x", IDENTITY)


def test_timed_rows_that_do_not_fit_are_refused():
    with pytest.raises(StreamError, match="need poses"):
        TREE.with_timed("world", "x", STAMPS, POSES[:2], np.ones(2, bool), 10)


def test_stamps_must_be_on_the_clock_of_the_transforms():
    tree = moving(clock="camera")
    assert tree.transform_at("world", "camera", STAMPS, clock="camera")[1].all()
    assert tree.transform_at("world", "camera", STAMPS)[1].all()
    with pytest.raises(ClockError, match="camera, mocap"):
        tree.transform_at("world", "camera", STAMPS, clock="mocap")
    both = tree.with_timed("camera", "hand", STAMPS, POSES, np.ones(4, bool), 10, clock="mocap")
    with pytest.raises(ClockError, match="camera, mocap"):
        both.transform_at("world", "hand", STAMPS)


def test_the_tree_does_not_change_with_the_callers_array():
    mine = np.array(IDENTITY)
    tree = FrameTree().with_static("a", "b", mine)
    mine[0] = 5.0
    assert np.array_equal(tree.transform("a", "b"), IDENTITY)
