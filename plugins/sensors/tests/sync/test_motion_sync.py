"""The step `motion_sync` on a gyroscope and a tracker that saw one motion, each with its own mounting."""

import attrs
import numpy as np
import pytest

from handloom.api import clock_map_of
from handloom.errors import PluginError, StepError
from handloom.geometry import quaternion
from handloom.streams import Samples, StreamType
from handloom.testing import MemoryInputs, StepContract
from handloom_sensors.motion import Motion, random_motion
from handloom_sensors.sync import motion_sync
from handloom_sensors.sync.motion_settings import MotionSyncConfig
from handloom_sensors.sync.motion_sync import MotionSync

OFFSET_S, LATER_S = 12.3, 0.4
GYROSCOPE = StreamType(kind="angular_velocity", dtype="float64", shape=(3,), unit="rad/s", clock="g")
POSE = StreamType(kind="pose", dtype="float64", shape=(7,), unit="m", frame="world", body="tool", clock="p")


def gyroscope(motion, seed=0, length_s=21.0):
    times = np.arange(int(length_s * 199.3)) / 199.3
    rng = np.random.default_rng(seed)
    rates = motion.angular_velocity(times) + 0.002 * rng.standard_normal((len(times), 3)) + [0.01, -0.02, 0.005]
    mount = quaternion.from_rotvec(rng.standard_normal(3))
    return Samples(type=GYROSCOPE, data=quaternion.rotate(mount, rates), stamps=(times * 1e9).astype(np.int64))


def tracker(motion, seed=0, length_s=20.0, noise_deg=0.17, later_s=LATER_S):
    times = later_s + np.arange(int(length_s * 60)) / 60
    noise = np.radians(noise_deg) * np.random.default_rng(seed + 100).standard_normal((len(times), 3))
    turned = quaternion.multiply(motion.orientations(times), quaternion.from_rotvec(noise))
    data = np.concatenate([np.zeros((len(times), 3)), turned], axis=1)
    tracked = np.ones(len(times), bool)
    tracked[len(times) // 4 : len(times) // 4 + 30] = False
    data[~tracked] = np.nan
    return Samples(
        type=POSE, data=data, stamps=np.rint((times + OFFSET_S) * 1e9).astype(np.int64), tracked=tracked
    )


def run(gyro, pose, **settings):
    inputs = MemoryInputs(wired={"gyroscope": gyro, "pose": pose})
    return MotionSync(MotionSyncConfig(**settings)).run(inputs, lambda share: None)


class TestMotionSync(StepContract):
    component = MotionSync

    def inputs(self, tmp_path):
        motion = random_motion(1)
        return MemoryInputs(
            wired={"gyroscope": gyroscope(motion, length_s=9), "pose": tracker(motion, length_s=8)}
        )


def test_the_hook_answers_the_class():
    assert motion_sync.step("motion_sync") is MotionSync


@pytest.mark.parametrize("seed", range(4))
def test_the_offset_is_found_within_a_millisecond_in_twenty_seconds(seed):
    motion = random_motion(seed)
    outputs = run(gyroscope(motion, seed), tracker(motion, seed), fixed_sigma_ms=0.0)
    found = clock_map_of(outputs.streams["map"])
    error_us = (found.offset_ns * 1e-9 - OFFSET_S) * 1e6
    assert abs(error_us) < min(1000.0, 4 * found.uncertainty_ns * 1e-3)
    assert (found.source, found.target) == ("g", "p")
    assert outputs.streams["map"].attributes["method"] == "motion"


def test_a_later_tracker_moves_the_offset_by_as_much():
    motion = random_motion(2)
    gyro, pose = gyroscope(motion), tracker(motion)
    later = attrs.evolve(pose, stamps=pose.stamps + 123_456_789)
    first, second = (clock_map_of(run(gyro, each).streams["map"]) for each in (pose, later))
    assert second.offset_ns - first.offset_ns == 123_456_789


def test_other_motions_are_refused():
    with pytest.raises(StepError, match=r"correlate by 0\.\d\d at best|agree at two lags|at the end of the lags"):
        run(gyroscope(random_motion(1)), tracker(random_motion(7)))


def test_a_tool_at_rest_tells_nothing():
    still = Motion(amplitudes=np.zeros((6, 1)), frequencies_hz=np.ones((6, 1)), phases=np.zeros((6, 1)))
    with pytest.raises(StepError, match="gyroscope hardly moves"):
        run(gyroscope(still), tracker(random_motion(0)))
    with pytest.raises(StepError, match="tracker hardly moves"):
        run(gyroscope(random_motion(0)), tracker(still))


def test_a_motion_that_repeats_is_refused():
    amplitudes = np.array([0, 0, 0, 0.4, 0.2, 0.3])[:, None]
    shake = Motion(amplitudes=amplitudes, frequencies_hz=np.full((6, 1), 1.0), phases=np.arange(6.0)[:, None])
    with pytest.raises(StepError, match="the motion repeats"):
        run(gyroscope(shake), tracker(shake, noise_deg=0.05))


def test_a_lag_beyond_the_allowed_is_no_answer():
    motion = random_motion(3)
    with pytest.raises(StepError, match=r"pose_starts_s|correlate by"):
        run(gyroscope(motion), tracker(motion, later_s=1.0, length_s=15), max_lag_s=0.7)
    found = run(gyroscope(motion), tracker(motion, later_s=1.0, length_s=15), max_lag_s=0.3, pose_starts_s=1.0)
    assert abs(clock_map_of(found.streams["map"]).offset_ns * 1e-9 - OFFSET_S) < 1e-3


def test_too_little_in_common_is_refused():
    motion = random_motion(3)
    with pytest.raises(StepError, match="in common"):
        run(gyroscope(motion, length_s=2.0), tracker(motion, length_s=2.0))


def test_a_scale_that_is_wrong_leaves_a_residual_and_is_refused():
    motion = random_motion(1)
    gyro = gyroscope(motion)
    with pytest.raises(StepError, match="deg RMS after the fit"):
        run(attrs.evolve(gyro, data=1.5 * gyro.data), tracker(motion))


def test_one_clock_needs_no_map():
    motion = random_motion(1)
    pose = tracker(motion)
    with pytest.raises(StepError, match="both on clock"):
        run(gyroscope(motion), attrs.evolve(pose, type=attrs.evolve(POSE, clock="g")))


def test_without_scipy_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(motion_sync, "find_spec", lambda name: None)
    motion = random_motion(1)
    with pytest.raises(PluginError, match=r"handloom-sensors\[sync\]"):
        run(gyroscope(motion, length_s=2), tracker(motion, length_s=2))
