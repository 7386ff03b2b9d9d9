"""The contracts of models and controllers catch what would hurt a robot."""

from __future__ import annotations

import inspect
from typing import ClassVar

import attrs
import numpy as np
import pytest

from handloom.api import CartesianCommand, Chunk, Controller, Model, ObservationSpec, PolicyContract, Ports
from handloom.streams import POSE
from handloom.testing import ControllerContract, ModelContract

_PERIOD_NS = 100_000_000


class Still(Model):
    """Answers the pose it sees, and is its own policy."""

    summary = "Stays where it is"
    first_ns = _PERIOD_NS

    @classmethod
    def ports(cls, config):
        return Ports()

    @classmethod
    def contract(cls, config):
        pose = attrs.evolve(POSE, frame="base", body="tcp")
        seen = {"pose": ObservationSpec(type=pose, horizon=1, period_s=0.1)}
        return PolicyContract(observation=seen, frame="base", body="tcp", horizon=4, period_s=0.1)

    def open(self):
        return self

    def reset(self, seed):
        self.random = np.random.default_rng(seed)

    def predict(self, observation):
        pose = observation.streams["pose"][-1]
        if not np.isfinite(pose).all():
            pose = np.array([0.4, 0, 0.3, 1, 0, 0, 0])
        return Chunk(
            stamps=observation.stamp + self.first_ns + np.arange(4) * _PERIOD_NS,
            clock=observation.clock,
            poses=np.tile(pose, (4, 1)),
            widths_m=self.random.random(4),
            frame="base",
            body="tcp",
            observed=observation.stamp,
        )

    def close(self):
        pass


class AnswersThePast(Still):
    first_ns = 0


class ForgetsItsSeed(Still):
    def reset(self, seed):
        self.random = np.random.default_rng()


class PassesNanOn(Still):
    def predict(self, observation):
        return attrs.evolve(super().predict(observation), poses=np.tile(observation.streams["pose"], (4, 1)))


class AnotherFrame(Still):
    def predict(self, observation):
        return attrs.evolve(super().predict(observation), frame="camera")


class Leaps(Controller):
    """Goes to the last waypoint at once, and asks no questions."""

    summary = "Leaps"

    @classmethod
    def ports(cls, config):
        return Ports()

    def start(self, state):
        self.pose = state.pose

    def accept(self, chunk, now):
        if len(chunk.poses):
            self.pose = chunk.poses[-1]

    def step(self, now, state):
        return CartesianCommand(stamp=now, pose=self.pose, twist=np.zeros(6)), None

    def stop(self):
        pass


def _broken(contract, component_):
    class Harness(contract):
        component: ClassVar[type] = component_

    failed = []
    for name, test in inspect.getmembers(Harness, inspect.isfunction):
        if not name.startswith("test_") or name in (
            "test_listing_imports_no_heavy_library",
            "test_making_one_opens_nothing",
        ):
            continue
        try:
            test(Harness())
        except (AssertionError, IndexError):
            failed.append(name.removeprefix("test_"))
    return failed


class TestStill(ModelContract):
    component = Still


@pytest.mark.parametrize(
    ("component", "rules"),
    [
        (AnswersThePast, ["waypoints_come_after_the_observation"]),
        (ForgetsItsSeed, ["reset_forgets_the_rollout_before", "the_same_seed_gives_the_same_bytes"]),
        (PassesNanOn, ["a_lost_pose_is_never_answered_with_nan"]),
        (AnotherFrame, ["chunks_are_as_the_contract_says"]),
    ],
)
def test_a_model_that_breaks_a_rule_fails_its_tests_and_no_other(component, rules):
    assert _broken(ModelContract, component) == rules


def test_a_controller_that_asks_no_questions_fails_nearly_everything():
    failed = _broken(ControllerContract, Leaps)
    for rule in (
        "a_splice_is_smooth",
        "commands_stay_finite_whatever_comes_in",
        "it_holds_after_the_last_waypoint_and_says_so",
        "it_is_at_each_waypoint_in_time",
        "pending_waypoints_before_the_new_chunk_survive",
        "speed_caps_hold_on_the_output",
        "what_is_wrong_is_refused_without_disturbing_the_motion",
    ):
        assert rule in failed
