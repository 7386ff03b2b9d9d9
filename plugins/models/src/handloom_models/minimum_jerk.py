"""The model `minimum_jerk`: moves the tool to given goals as smoothly as a hand does; it has learnt nothing.

It is what a robot is brought up with: a policy whose every answer can be foreseen, with the same contract as a
learnt one.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Chunk, Model, Observation, ObservationSpec, PolicyContract, Ports, hookimpl
from handloom.errors import ConfigError, StreamError
from handloom.geometry import quaternion
from handloom.streams import POSE
from handloom_models.minimum_jerk_path import PEAK_SPEED, Leg

Float64Array = npt.NDArray[np.float64]


def _as_poses(goals: Iterable[Iterable[float]]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(number) for number in goal) for goal in goals)


@attrs.frozen(kw_only=True)
class MinimumJerkConfig:
    """Where to go, and how fast.

    Attributes:
        goals: Poses T_frame_body to visit in order, each x y z in metres and a quaternion x y z w.
        widths_m: Gripper width on the way to each goal; empty leaves the gripper alone.
        frame: Frame `a` of the poses `T_a_b`.
        body: Body `b`.
        horizon: Waypoints in a chunk.
        period_s: Time between two of them.
        max_speed_m_per_s: Highest speed on the way.
        max_speed_rad_per_s: Highest turning rate on the way.
        off_course_m: The way is planned anew from where the tool is when it is further than this off it.
        off_course_rad: Likewise for its orientation.
        goal_noise_m: Standard deviation, on each axis, of where the goals really are in a rollout.
        goal_noise_rad: Likewise of how they are turned.
    """

    goals: tuple[tuple[float, ...], ...] = attrs.field(converter=_as_poses)
    widths_m: tuple[float, ...] = attrs.field(default=(), converter=tuple)
    frame: str = "base"
    body: str = "tcp"
    horizon: int = 16
    period_s: float = 0.1
    max_speed_m_per_s: float = 0.25
    max_speed_rad_per_s: float = 1.0
    off_course_m: float = 0.02
    off_course_rad: float = 0.2
    goal_noise_m: float = 0.0
    goal_noise_rad: float = 0.0

    def __attrs_post_init__(self) -> None:
        problems = [*_bad_goals(self.goals), *_bad_widths(self.widths_m, len(self.goals)), *_not_positive(self)]
        if problems:
            raise ConfigError(problems)


def _bad_goals(goals: tuple[tuple[float, ...], ...]) -> list[str]:
    if not goals:
        return ["goals: there is none; expected at least one pose x y z qx qy qz qw."]
    return [
        f"goals: goal {index} is {list(goal)}; expected x y z in metres and a unit quaternion x y z w."
        for index, goal in enumerate(goals)
        if len(goal) != 7 or not np.isfinite(goal).all() or abs(np.linalg.norm(goal[3:]) - 1) > 1e-3
    ]


def _bad_widths(widths_m: tuple[float, ...], goals: int) -> list[str]:
    if len(widths_m) in (0, goals) and all(width >= 0 for width in widths_m):
        return []
    return [f"widths_m: found {list(widths_m)}; expected none, or one of 0 or more for each of {goals} goals."]


def _not_positive(config: MinimumJerkConfig) -> list[str]:
    names = ("horizon", "period_s", "max_speed_m_per_s", "max_speed_rad_per_s", "off_course_m", "off_course_rad")
    return [
        f"{name}: found {getattr(config, name)}; expected more than 0."
        for name in names
        if not getattr(config, name) > 0
    ]


class MinimumJerk(Model):
    """Answers waypoints on the minimum-jerk way from the observed pose to the next goal."""

    Config = MinimumJerkConfig
    summary = "Moves the tool to given goals along minimum-jerk paths; deterministic, learns nothing"

    @classmethod
    def ports(cls, config: MinimumJerkConfig) -> Ports:
        """Declare nothing: a model is wired by its contract."""
        return Ports()

    @classmethod
    def contract(cls, config: MinimumJerkConfig) -> PolicyContract:
        """Say that it sees one pose and answers `horizon` of the same frame and body."""
        pose = attrs.evolve(POSE, frame=config.frame, body=config.body)
        return PolicyContract(
            observation={"pose": ObservationSpec(type=pose, horizon=1, period_s=config.period_s)},
            frame=config.frame,
            body=config.body,
            horizon=config.horizon,
            period_s=config.period_s,
        )

    def open(self) -> MinimumJerkPolicy:
        """Return a policy that stands before its first goal."""
        policy = MinimumJerkPolicy(self.config)
        policy.reset(0)
        return policy


class MinimumJerkPolicy:
    """One rollout at a time towards the goals, in order."""

    def __init__(self, config: MinimumJerkConfig) -> None:
        self._config = config
        self._goals = np.array(config.goals)
        self._leg: Leg | None = None

    def reset(self, seed: int) -> None:
        """Stand before the first goal again; the seed decides how far each goal is off."""
        self._goals = noisy_goals(np.array(self._config.goals), self._config, np.random.default_rng(seed))
        self._leg = None

    def predict(self, observation: Observation) -> Chunk:
        """Answer with waypoints after the observation.

        Raises:
            StreamError: The observed pose is lost or missing.
        """
        config = self._config
        leg = self._leg = self._next_leg(observation.stamp, _observed_pose(observation))
        after_ns = np.rint(np.arange(1, config.horizon + 1) * (config.period_s * 1e9)).astype(np.int64)
        stamps = observation.stamp + after_ns
        width_m = config.widths_m[leg.number] if config.widths_m else float("nan")
        return Chunk(
            stamps=stamps,
            clock=observation.clock,
            poses=leg.poses(stamps),
            widths_m=np.full(config.horizon, width_m),
            frame=config.frame,
            body=config.body,
            observed=observation.stamp,
        )

    def close(self) -> None:
        """Give back nothing: nothing was taken."""

    def _next_leg(self, stamp: int, pose: Float64Array) -> Leg:
        """Keep to the way while the tool is on it; else plan anew from where the tool is."""
        leg = self._leg
        if leg is None:
            return self._plan(stamp, pose, 0)
        if not self._near(pose, leg.poses(np.array([stamp]))[0]):
            return self._plan(stamp, pose, leg.number)
        if stamp >= leg.end_ns and leg.number + 1 < len(self._goals):
            return self._plan(stamp, pose, leg.number + 1)
        return leg

    def _plan(self, stamp: int, pose: Float64Array, number: int) -> Leg:
        goal = self._goals[number]
        fastest_s = max(
            float(np.linalg.norm(goal[:3] - pose[:3])) / self._config.max_speed_m_per_s,
            _angle(pose, goal) / self._config.max_speed_rad_per_s,
        )
        end_ns = stamp + round(PEAK_SPEED * fastest_s * 1e9)
        return Leg(start=pose, goal=goal, start_ns=stamp, end_ns=end_ns, number=number)

    def _near(self, pose: Float64Array, planned: Float64Array) -> bool:
        near = np.linalg.norm(pose[:3] - planned[:3]) <= self._config.off_course_m
        return bool(near and _angle(pose, planned) <= self._config.off_course_rad)


def noisy_goals(goals: Float64Array, config: MinimumJerkConfig, random: np.random.Generator) -> Float64Array:
    """Return the goals (G, 7) moved and turned by the configured noise."""
    shift = random.normal(0.0, 1.0, (len(goals), 3)) * config.goal_noise_m
    turn = random.normal(0.0, 1.0, (len(goals), 3)) * config.goal_noise_rad
    turned = quaternion.normalize(quaternion.multiply(goals[:, 3:], quaternion.from_rotvec(turn)))
    return np.column_stack([goals[:, :3] + shift, turned])


def _angle(first: Float64Array, second: Float64Array) -> float:
    """Return the angle between two (7,) poses in radians."""
    return float(quaternion.angle_between(first[3:], second[3:]))


def _observed_pose(observation: Observation) -> Float64Array:
    stream = observation.streams.get("pose")
    if stream is None or stream.shape != (1, 7):
        found = "none" if stream is None else f"shape {stream.shape}"
        raise StreamError(f"The policy sees one pose, (1, 7), as 'pose'; found {found}.")
    pose: Float64Array = stream[-1].astype(np.float64)
    if not np.isfinite(pose).all():
        raise StreamError(
            f"The pose observed at {observation.stamp} ns is lost; no way can be planned from there."
        )
    return np.concatenate([pose[:3], quaternion.normalize(pose[3:])])


@hookimpl
def model(kind: str) -> type[Model]:
    """Answer for `minimum_jerk`."""
    return MinimumJerk
