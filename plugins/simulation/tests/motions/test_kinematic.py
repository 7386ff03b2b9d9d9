import numpy as np
import pytest

from handloom.errors import StreamError
from handloom.geometry import pose, quaternion
from handloom.streams import LAYOUTS, Trajectory, read_trajectory
from handloom_simulation.gripper import MOUNTED, STROKE_M
from handloom_simulation.motions import Occlusion, replay_take, synthetic_take


def trajectory_of(poses, stamps, tracked=None):
    flags = np.ones(len(stamps), dtype=bool) if tracked is None else tracked
    known = np.where(flags[:, None], poses, np.nan)
    return Trajectory(name="path.txt", keys=stamps, poses=known, tracked=flags, lines=np.arange(len(stamps)))


def test_a_minute_is_sixty_thousand_smooth_steps_that_start_and_end_at_rest():
    take = synthetic_take(60.0, seed=3)
    assert len(take.stamps) == 60_001
    velocity = np.gradient(take.poses["gripper"][:, :3], 1e-3, axis=0)
    acceleration = np.gradient(velocity, 1e-3, axis=0)[2:-2]
    assert 0.15 < np.linalg.norm(velocity, axis=1).max() < 0.8
    assert np.linalg.norm(acceleration, axis=1).max() < 5.0
    assert np.linalg.norm(np.gradient(acceleration, 1e-3, axis=0), axis=1)[2:-2].max() < 50.0
    np.testing.assert_allclose(velocity[[0, -1]], 0.0, atol=1e-4)


def test_a_synthetic_take_is_the_same_for_the_same_seed():
    first, again, other = (synthetic_take(2.0, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.poses["gripper"], again.poses["gripper"])
    assert not np.array_equal(first.poses["gripper"], other.poses["gripper"])


def test_the_fingers_are_as_far_apart_as_the_width_says_about_the_tool_s_point():
    take = synthetic_take(3.0, seed=1)
    left, right = take.poses["finger_left"][:, :3], take.poses["finger_right"][:, :3]
    np.testing.assert_allclose(np.linalg.norm(right - left, axis=1), take.width_m, atol=1e-12)
    tcp = pose.transform_points(take.poses["gripper"], MOUNTED["tcp"][:3])
    np.testing.assert_allclose(0.5 * (left + right), tcp, atol=1e-12)
    assert 0.0 < take.width_m.min() < take.width_m.max() < STROKE_M


def test_things_nobody_touches_take_no_memory_and_stay():
    cube = synthetic_take(2.0).poses["cube"]
    assert cube.strides[0] == 0
    assert cube.shape == (2001, 7)


def test_an_occlusion_comes_and_goes_without_a_jump():
    take = synthetic_take(4.0, occlusions=(Occlusion(covers="finger_right", start_s=1.0, end_s=2.0),))
    thumb = pose.compose(pose.inverse(take.poses["finger_right"]), take.poses["thumb_right"])
    during = thumb[1000:2001, :3]
    assert np.ptp(during, axis=0).max() < 1e-9
    near = take.poses["thumb_right"][:, 2] > -10.0
    assert 1250 < near.sum() < 1350
    assert np.linalg.norm(np.diff(thumb[near, :3], axis=0), axis=1).max() < 0.01
    assert (take.poses["thumb_left"][:, 2] < -10.0).all()


def test_an_occlusion_that_ends_before_it_starts_is_refused():
    with pytest.raises(ValueError, match="must end after it starts"):
        Occlusion(covers="finger_left", start_s=2.0, end_s=1.0)


def test_a_replayed_path_is_the_recorded_one_moved_to_the_lab(shared_data):
    recorded = read_trajectory(shared_data / "trajectories" / "freiburg1_xyz-groundtruth.txt", LAYOUTS["tum"])
    take = replay_take(recorded, T_world_origin=pose.IDENTITY)
    inside = (recorded.keys > recorded.keys[0]) & (recorded.keys - recorded.keys[0] < take.duration_ns)
    replayed = take.pose_at("gripper", recorded.keys[inside] - recorded.keys[0])
    error = np.linalg.norm(replayed[:, :3] - recorded.poses[inside, :3], axis=1)
    assert np.sqrt((error**2).mean()) < 0.004
    assert np.median(quaternion.angle_between(replayed[:, 3:], recorded.poses[inside, 3:])) < np.deg2rad(0.5)
    acceleration = np.diff(take.poses["gripper"][:, :3], n=2, axis=0) / 1e-6
    assert np.linalg.norm(acceleration, axis=1).max() < 10.0


def test_without_a_place_a_replayed_path_begins_where_demonstrations_do():
    stamps = np.arange(300, dtype=np.int64) * 10_000_000
    poses = np.tile(pose.IDENTITY, (300, 1))
    poses[:, 0] = 5.0 + 0.1 * np.sin(np.linspace(0.0, 3.0, 300))
    take = replay_take(trajectory_of(poses, stamps))
    tcp = pose.transform_points(take.poses["gripper"][0], MOUNTED["tcp"][:3])
    np.testing.assert_allclose(tcp, [0.0, -0.16, 0.22], atol=0.03)


def test_a_short_gap_is_bridged_and_a_long_one_refused():
    stamps = np.arange(400, dtype=np.int64) * 10_000_000
    poses = np.tile(pose.IDENTITY, (400, 1))
    tracked = np.ones(400, dtype=bool)
    tracked[100:120] = False
    assert len(replay_take(trajectory_of(poses, stamps, tracked)).stamps) == 3991
    tracked[100:180] = False
    with pytest.raises(StreamError, match=r"gap of 0\.810 s"):
        replay_take(trajectory_of(poses, stamps, tracked))
    with pytest.raises(StreamError, match="a second or more"):
        replay_take(trajectory_of(poses[:50], stamps[:50]))
