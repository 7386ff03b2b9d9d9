"""The made-up episode agrees with its own truth."""

from __future__ import annotations

import numpy as np
import pytest

from handloom.errors import StepError
from handloom.testing import synthetic_episode
from handloom.testing.synthetic import CLICK_S

_H = 1000  # ns, for central differences


def _quaternions(episode, stamps):
    return episode.true_poses(stamps)[:, 3:]


def test_the_same_seed_gives_the_same_streams_and_another_seed_others():
    first, second, other = (synthetic_episode(seed) for seed in (3, 3, 4))
    for name, stream in first.streams.items():
        assert np.array_equal(stream.data, second.streams[name].data, equal_nan=True)
    assert not np.array_equal(first.streams["camera.acceleration"].data, other.streams["camera.acceleration"].data)


def test_the_imu_turns_as_the_poses_do():
    episode = synthetic_episode(1)
    stamps = np.array([300_000_000, 700_000_000], np.int64)
    before, after = _quaternions(episode, stamps - _H), _quaternions(episode, stamps + _H)
    middle = _quaternions(episode, stamps)
    rate = (after - before) / (2e-9 * _H)
    # omega = 2 conj(q) * dq/dt; its vector part:
    vector = 2 * (middle[:, 3:] * rate[:, :3] - rate[:, 3:] * middle[:, :3] - np.cross(middle[:, :3], rate[:, :3]))
    assert np.allclose(vector, episode.true_angular_velocity(stamps), atol=1e-5)


def test_a_tool_at_its_turning_point_feels_gravity_and_acceleration():
    from scipy.spatial.transform import Rotation

    episode = synthetic_episode(1)
    stamps = np.array([250_000_000, 800_000_000], np.int64)
    h = 1_000_000
    positions = [episode.true_poses(stamps + shift)[:, :3] for shift in (-h, 0, h)]
    acceleration = (positions[0] - 2 * positions[1] + positions[2]) / (h * 1e-9) ** 2
    felt = Rotation.from_quat(_quaternions(episode, stamps)).inv().apply(acceleration + np.array([0, 0, 9.80665]))
    assert np.allclose(felt, episode.true_specific_force(stamps), atol=1e-4)


def test_each_device_stamps_on_its_own_clock():
    episode = synthetic_episode(2)
    pose = episode.streams["tracker.pose"]
    back = episode.clock_map("tracker").inverse().apply(pose.stamps)
    assert np.allclose(pose.data[pose.tracked], episode.true_poses(back)[pose.tracked], atol=1e-8)
    sound = episode.streams["microphone.audio"]
    click = int(np.argmax(sound.data[:, 0]))
    heard = episode.clock_map("microphone").inverse().apply(sound.all_stamps()[click])
    assert abs(int(heard) - CLICK_S * 1e9) < 10


def test_the_lost_part_is_lost():
    pose = synthetic_episode().streams["tracker.pose"]
    assert 0 < np.count_nonzero(~pose.tracked) < len(pose)
    assert np.isnan(pose.data[~pose.tracked]).all()


def test_memory_inputs_can_not_be_written_and_name_a_missing_port():
    inputs = synthetic_episode().inputs(pose="tracker.pose", all=("camera.acceleration", "microphone.audio"))
    with pytest.raises(ValueError, match="read-only"):
        inputs.samples("pose").data[0] = 0
    assert list(inputs.streams("all")) == ["camera.acceleration", "microphone.audio"]
    with pytest.raises(StepError, match="no samples on port 'width'"):
        inputs.samples("width")
    with pytest.raises(StepError, match="no video on port 'pose'"):
        inputs.video("pose")
