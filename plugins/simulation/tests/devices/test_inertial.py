import attrs
import numpy as np

from handloom.geometry import pose, quaternion
from handloom.time import ClockMap
from handloom_simulation.devices import InertialSettings, Sampling, measure_inertial
from handloom_simulation.devices.inertial import GRAVITY_M_PER_S2, true_inertial
from handloom_simulation.gripper import MOUNTED

SIM = ClockMap(source="sim", target="gopro", offset_ns=-30_000_000, origin_ns=30_000_000, drift_ppm=30.0)


def sampled(take, settings, **more):
    sampling = Sampling.within(
        SIM, start_ns=28_000_000, end_ns=int(take.stamps[-1]) - 30_000_000, rate_hz=settings.rate_hz
    )
    return sampling, measure_inertial(take, sampling, settings=settings, seed=1)


def integrated(start, velocity, times_s, force, rate):
    """Return the pose and velocity after dead reckoning with the measurements, by the midpoint rule."""
    position, q = start[:3], start[3:]
    for step in range(len(times_s) - 1):
        dt = times_s[step + 1] - times_s[step]
        turn = (rate[step] + rate[step + 1]) / 2 * dt
        middle = quaternion.multiply(q, quaternion.from_rotvec(turn / 2))
        acceleration = quaternion.rotate(middle, (force[step] + force[step + 1]) / 2) - [0, 0, GRAVITY_M_PER_S2]
        position = position + velocity * dt + 0.5 * acceleration * dt**2
        velocity = velocity + acceleration * dt
        q = quaternion.multiply(q, quaternion.from_rotvec(turn))
    return position, q


def test_a_quiet_sensor_integrates_back_to_the_pose(take):
    sampling, measured = sampled(take, InertialSettings().quiet())
    instants = sampling.instants_ns()
    T_world_imu = pose.compose(take.pose_at("gripper", instants), np.asarray(MOUNTED["imu"]))
    around = np.array([instants[0] - 1_000_000, instants[0] + 1_000_000])
    ends = pose.compose(take.pose_at("gripper", around), np.asarray(MOUNTED["imu"]))[:, :3]
    position, q = integrated(
        T_world_imu[0],
        (ends[1] - ends[0]) / 2e-3,
        sampling.instants_s(),
        measured.specific_force,
        measured.angular_velocity,
    )
    assert np.linalg.norm(position - T_world_imu[-1, :3]) < 2e-3
    assert quaternion.angle_between(q, T_world_imu[-1, 3:]) < 2e-4


def test_a_sensor_at_rest_feels_only_the_table(take):
    still = attrs.evolve(take, poses={"gripper": np.tile(take.poses["gripper"][0], (len(take.stamps), 1))})
    force, rate = true_inertial(still, np.linspace(0.1, 1.0, 50))
    np.testing.assert_allclose(np.linalg.norm(force, axis=1), GRAVITY_M_PER_S2, rtol=1e-9)
    np.testing.assert_allclose(rate, 0.0, atol=1e-9)


def test_noise_has_the_density_of_the_data_sheet(take):
    settings = attrs.evolve(InertialSettings().quiet(), force_noise=1.6e-3, rate_noise=1.4e-4)
    _, quiet = sampled(take, InertialSettings().quiet())
    _, noisy = sampled(take, settings)
    density = np.std(noisy.specific_force - quiet.specific_force) / np.sqrt(settings.rate_hz)
    np.testing.assert_allclose(density, 1.6e-3, rtol=0.06)
    density = np.std(noisy.angular_velocity - quiet.angular_velocity) / np.sqrt(settings.rate_hz)
    np.testing.assert_allclose(density, 1.4e-4, rtol=0.06)


def test_a_bias_wanders_as_far_in_a_second_as_the_data_sheet_says_and_farther_in_more(take):
    settings = attrs.evolve(InertialSettings().quiet(), rate_hz=2000.0, force_walk=2e-2, rate_walk=2e-3)
    _, quiet = sampled(take, attrs.evolve(settings, force_walk=0.0, rate_walk=0.0))
    _, wandering = sampled(take, settings)
    for walk, away in (
        (2e-2, wandering.specific_force - quiet.specific_force),
        (2e-3, wandering.angular_velocity - quiet.angular_velocity),
    ):
        for lag in (1, 100):
            moved = away[lag:] - away[:-lag]
            expected = walk * np.sqrt(lag / settings.rate_hz)
            # All steps of 0.05 s that lie in the take, which overlap, leave some 40 independent ones an axis.
            np.testing.assert_allclose(np.sqrt(np.mean(moved**2)), expected, rtol=0.03 if lag == 1 else 0.25)


def test_the_first_sample_leads_the_first_frame(take):
    _, measured = sampled(take, InertialSettings())
    assert measured.times_s[0] < 0 < measured.times_s[1]
