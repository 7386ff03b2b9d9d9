"""Trackers that look at the gripper from outside: OptiTrack and a VR tracker, on clocks of their own."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import pose
from handloom_simulation.devices.clocks import Sampling
from handloom_simulation.gripper import MOUNTED, Transform, unit_transform
from handloom_simulation.take import Take

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@attrs.frozen(kw_only=True)
class TrackerSettings:
    """How a tracker measures.

    Attributes:
        rate_hz: By its own clock.
        T_world_tracker: Its frame in the world, m and quaternion x y z w.
        T_gripper_body: What it tracks on the gripper.
        noise_m: Standard deviation of each coordinate, from sample to sample.
        noise_rad: Standard deviation about each axis, likewise.
        wander_m: Standard deviation of each coordinate of an error that lasts for `wander_s`.
        wander_s: How long such an error lasts.
        latency_s: How old a pose is when it is stamped.
        dropouts_per_minute: How often it loses the body by chance.
        dropout_s: How long such a loss lasts on average.
        lost_spans_s: (start, end) pairs, s of simulation time, in which it is lost for sure.
    """

    rate_hz: float
    T_world_tracker: Transform
    T_gripper_body: Transform
    noise_m: float
    noise_rad: float
    wander_m: float = 0.0
    wander_s: float = 0.3
    latency_s: float = 0.0
    dropouts_per_minute: float = 0.0
    dropout_s: float = 0.05
    lost_spans_s: tuple[tuple[float, float], ...] = ()

    def quiet(self) -> TrackerSettings:
        """Return the same without noise, delay and losses by chance."""
        return attrs.evolve(self, noise_m=0.0, noise_rad=0.0, wander_m=0.0, latency_s=0.0, dropouts_per_minute=0.0)


Y_UP_IN_WORLD: Transform = (0.35, -0.42, 0.0, 0.685198, -0.174655, -0.174655, 0.685198)
"""OptiTrack's frame: y up, its ground plane on the world's floor, turned by -28.6 degrees about the vertical."""

TRACKER_IN_WORLD: Transform = (-1.1, 0.6, 0.02, 0.0, 0.0, 0.382683, 0.92388)
"""The VR system's frame: z up, turned by 45 degrees, its origin where the room was set up."""


def optitrack_settings(rate_hz: float = 120.0) -> TrackerSettings:
    """Return a well-calibrated OptiTrack: a tenth of a millimetre."""
    return TrackerSettings(
        rate_hz=rate_hz,
        T_world_tracker=Y_UP_IN_WORLD,
        T_gripper_body=MOUNTED["markers"],
        noise_m=1e-4,
        noise_rad=5e-4,
        dropouts_per_minute=4.0,
    )


def vr_settings(rate_hz: float = 90.0) -> TrackerSettings:
    """Return a VR tracker: errors of one to two millimetres that linger, and a latency that it does not tell."""
    return TrackerSettings(
        rate_hz=rate_hz,
        T_world_tracker=TRACKER_IN_WORLD,
        T_gripper_body=MOUNTED["markers"],
        noise_m=4e-4,
        noise_rad=2e-3,
        wander_m=1.2e-3,
        latency_s=0.011,
        dropouts_per_minute=6.0,
        dropout_s=0.15,
    )


@attrs.frozen(kw_only=True, eq=False)
class Tracked:
    """What a tracker recorded.

    Attributes:
        stamps: (N,) int64 ns on its own clock.
        poses: (N, 7) T_tracker_body; NaN where lost.
        tracked: (N,) bool.
    """

    stamps: Int64Array
    poses: FloatArray
    tracked: BoolArray


def track(take: Take, sampling: Sampling, *, settings: TrackerSettings, seed: int) -> Tracked:
    """Return the poses that a tracker sees at its sampling's instants."""
    rng = np.random.default_rng([seed, 401])
    instants = sampling.instants_ns()
    seen = np.clip(instants - round(settings.latency_s * 1e9), take.stamps[0], take.stamps[-1])
    T_tracker_world = pose.inverse(unit_transform(settings.T_world_tracker))
    T_world_body = pose.compose(take.pose_at("gripper", seen), unit_transform(settings.T_gripper_body))
    poses = pose.compose(pose.compose(T_tracker_world, T_world_body), _noise(rng, len(instants), settings))
    lost = _lost(rng, instants.astype(np.float64) * 1e-9, settings)
    poses[lost] = np.nan
    return Tracked(stamps=sampling.stamps_ns(), poses=poses, tracked=~lost)


def _noise(rng: np.random.Generator, count: int, settings: TrackerSettings) -> FloatArray:
    """Return small transforms, (count, 7), that are multiplied from the body's side."""
    twists = np.zeros((count, 6))
    twists[:, :3] = rng.standard_normal((count, 3)) * settings.noise_m
    twists[:, 3:] = rng.standard_normal((count, 3)) * settings.noise_rad
    twists[:, :3] += _wander(rng, count, settings)
    return pose.exp(twists)


def _wander(rng: np.random.Generator, count: int, settings: TrackerSettings) -> FloatArray:
    """Return a first-order Gauss-Markov process, (count, 3) m."""
    from scipy.signal import lfilter

    keep = np.exp(-1 / (settings.rate_hz * settings.wander_s))
    steps = rng.standard_normal((count, 3)) * settings.wander_m * np.sqrt(1 - keep**2)
    if count:
        steps[0] = rng.standard_normal(3) * settings.wander_m
    wandering: FloatArray = lfilter([1.0], [1.0, -keep], steps, axis=0)
    return wandering


def _lost(rng: np.random.Generator, times_s: FloatArray, settings: TrackerSettings) -> BoolArray:
    lost = np.zeros(len(times_s), dtype=bool)
    if not len(times_s):
        return lost
    length_s = float(times_s[-1] - times_s[0])
    begins = times_s[0] + rng.uniform(0, length_s, rng.poisson(settings.dropouts_per_minute * length_s / 60))
    chance = [(begin, begin + rng.exponential(settings.dropout_s)) for begin in np.sort(begins)]
    for start_s, end_s in (*chance, *settings.lost_spans_s):
        lost |= (times_s >= start_s) & (times_s < end_s)
    return lost
