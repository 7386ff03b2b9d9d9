"""The model `minimum_jerk` keeps the contract and goes where it is told."""

from __future__ import annotations

import numpy as np
import pytest

from handloom.api import Observation
from handloom.errors import ConfigError, StreamError
from handloom.testing import ModelContract
from handloom_models import minimum_jerk as module
from handloom_models.minimum_jerk import MinimumJerk, MinimumJerkConfig

pytest_plugins = ("handloom.testing.fixtures",)

DOWN = (1.0, 0.0, 0.0, 0.0)
NEAR = (0.4, 0.1, 0.3, *DOWN)
FAR = (0.6, -0.2, 0.1, 0.0, 1.0, 0.0, 0.0)


def _rollout(config, start, steps=80, seed=1):
    """Run a perfect robot: after each half chunk it stands at the waypoint that is due."""
    policy = MinimumJerk(config).open()
    policy.reset(seed)
    stamp, pose, seen = 10**10, np.array(start), []
    for _ in range(steps):
        chunk = policy.predict(Observation(stamp=stamp, clock="host", streams={"pose": pose[None]}))
        half = config.horizon // 2
        stamp, pose = int(chunk.stamps[half - 1]), chunk.poses[half - 1]
        seen += list(chunk.poses[:half])
    return np.array([start, *seen])


class TestMinimumJerk(ModelContract):
    component = MinimumJerk

    def config(self):
        return MinimumJerkConfig(goals=(NEAR, FAR), widths_m=(0.08, 0.0))


class TestMinimumJerkWithNoise(ModelContract):
    component = MinimumJerk

    def config(self):
        return MinimumJerkConfig(goals=(FAR,), goal_noise_m=0.01, goal_noise_rad=0.1, frame="table", body="hand")

    def test_another_seed_gives_another_goal(self):
        assert not np.array_equal(self.answers(1)[0].poses, self.answers(2)[0].poses)


def test_its_entry_point_answers_it(only_these_plugins):
    host = only_these_plugins(models={"minimum_jerk": module.__name__})
    assert host.load("models", "minimum_jerk").component is MinimumJerk


def test_it_visits_every_goal_in_order_and_stays_at_the_last():
    config = MinimumJerkConfig(goals=(NEAR, FAR), period_s=0.05)
    poses = _rollout(config, (0.4, 0.0, 0.3, *DOWN))
    to_near = np.linalg.norm(poses[:, :3] - np.array(NEAR[:3]), axis=1)
    assert to_near.min() < 1e-9
    assert np.allclose(poses[-1][:3], FAR[:3], atol=1e-9)
    assert abs(poses[-1, 3:] @ np.array(FAR[3:])) == pytest.approx(1, abs=1e-9)


def test_speed_stays_below_its_caps_and_comes_near_them():
    config = MinimumJerkConfig(goals=((0.9, 0.0, 0.3, *DOWN),), period_s=0.02, max_speed_m_per_s=0.2)
    poses = _rollout(config, (0.4, 0.0, 0.3, *DOWN), steps=40)
    speeds = np.linalg.norm(np.diff(poses[:, :3], axis=0), axis=1) / config.period_s
    assert 0.19 < speeds.max() <= 0.2 * (1 + 1e-6)


def test_a_tool_off_its_course_is_led_on_from_where_it_is():
    config = MinimumJerkConfig(goals=(FAR,))
    policy = MinimumJerk(config).open()
    start = np.array([0.4, 0.0, 0.3, *DOWN])
    policy.predict(Observation(stamp=0, clock="host", streams={"pose": start[None]}))
    pushed = start + np.eye(7)[0] * 0.1
    chunk = policy.predict(Observation(stamp=10**8, clock="host", streams={"pose": pushed[None]}))
    assert np.linalg.norm(chunk.poses[0, :3] - pushed[:3]) < 0.01


def test_the_width_is_that_of_the_goal():
    config = MinimumJerkConfig(goals=(NEAR, FAR), widths_m=(0.08, 0.0))
    policy = MinimumJerk(config).open()
    for stamp, width in [(0, 0.08), (10**11, 0.0)]:
        chunk = policy.predict(Observation(stamp=stamp, clock="host", streams={"pose": np.array([NEAR])}))
        assert (chunk.widths_m == width).all()


def test_a_lost_or_misshapen_observation_is_refused():
    policy = MinimumJerk(MinimumJerkConfig(goals=(NEAR,))).open()
    for streams, words in [
        ({"pose": np.full((1, 7), np.nan)}, "is lost"),
        ({"pose": np.zeros((2, 7))}, r"found shape \(2, 7\)"),
        ({}, "found none"),
    ]:
        with pytest.raises(StreamError, match=words):
            policy.predict(Observation(stamp=0, clock="host", streams=streams))


def test_all_mistakes_of_a_config_are_told_at_once():
    with pytest.raises(ConfigError) as caught:
        MinimumJerkConfig(goals=((1, 2, 3),), widths_m=(-1,), period_s=0)
    assert [problem.split(":")[0] for problem in caught.value.problems] == ["goals", "widths_m", "period_s"]
    with pytest.raises(ConfigError, match="there is none"):
        MinimumJerkConfig(goals=())
