"""The GoPro's motion sensors: specific force and turning rate of the take, with the noise of a data sheet."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import pose, quaternion
from handloom_simulation.devices.clocks import Sampling
from handloom_simulation.gripper import MOUNTED
from handloom_simulation.take import Take

FloatArray = npt.NDArray[np.float64]

GRAVITY_M_PER_S2 = 9.80665
"""Standard gravity. Source: ISO 80000-3."""

_UP = np.array([0.0, 0.0, GRAVITY_M_PER_S2])


@attrs.frozen(kw_only=True)
class InertialSettings:
    """How the motion sensors measure.

    Noise and random walk default to about a Bosch BMI260's, which GoPros of that age carry. Source: its data sheet
    (160 µg/√Hz, 0.008 °/s/√Hz) and Allan deviations published for such sensors.

    Attributes:
        rate_hz: By the camera's clock. Source: a HERO11's own file.
        lead_s: How long before frame 0 the first sample is taken. Source: HERO8 to MAX, 1.5 to 5.0 ms.
        force_noise: Noise density, m/s^2/√Hz.
        rate_noise: Noise density, rad/s/√Hz.
        force_walk: Random walk of the bias, m/s^2/s/√Hz.
        rate_walk: Random walk of the bias, rad/s/s/√Hz.
        force_bias: Largest constant bias, m/s^2.
        rate_bias: Largest constant bias, rad/s.
        orientation: ORIN: how the sensor lies in the camera.
    """

    rate_hz: float = 199.253
    lead_s: float = 0.002273
    force_noise: float = 1.6e-3
    rate_noise: float = 1.4e-4
    force_walk: float = 2e-4
    rate_walk: float = 2e-5
    force_bias: float = 0.03
    rate_bias: float = 0.003
    orientation: str = "ZXY"

    def quiet(self) -> InertialSettings:
        """Return the same without noise and bias."""
        return attrs.evolve(
            self, force_noise=0.0, rate_noise=0.0, force_walk=0.0, rate_walk=0.0, force_bias=0.0, rate_bias=0.0
        )


@attrs.frozen(kw_only=True, eq=False)
class Inertial:
    """What was measured.

    Attributes:
        times_s: (N,) s on the GoPro's file time; the first are negative.
        specific_force: (N, 3) m/s^2 in the camera's optical axes.
        angular_velocity: (N, 3) rad/s likewise.
    """

    times_s: FloatArray
    specific_force: FloatArray
    angular_velocity: FloatArray


def measure_inertial(take: Take, sampling: Sampling, *, settings: InertialSettings, seed: int) -> Inertial:
    """Return the measurements at the sampling's instants."""
    force, rate = true_inertial(take, sampling.instants_s())
    rng = np.random.default_rng([seed, 201])
    step_s = 1.0 / settings.rate_hz
    return Inertial(
        times_s=sampling.stamps_ns().astype(np.float64) * 1e-9,
        specific_force=force
        + _error(rng, len(force), step_s, settings.force_noise, settings.force_walk, settings.force_bias),
        angular_velocity=rate
        + _error(rng, len(rate), step_s, settings.rate_noise, settings.rate_walk, settings.rate_bias),
    )


def true_inertial(take: Take, times_s: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return specific force (M, 3) m/s^2 and turning rate (M, 3) rad/s in the sensor's optical axes.

    Positions become a cubic spline through the take's milliseconds and turning rates one through the turns from
    each to the next, which stand for their middles.

    Args:
        take: The truth.
        times_s: (M,) s of simulation time.
    """
    from scipy.interpolate import CubicSpline

    T_world_imu = pose.compose(take.poses["gripper"], np.asarray(MOUNTED["imu"]))
    at_s = take.stamps * 1e-9
    acceleration = CubicSpline(at_s, T_world_imu[:, :3])(times_s, 2) + _UP
    turns = quaternion.to_rotvec(
        quaternion.multiply(quaternion.conjugate(T_world_imu[:-1, 3:]), T_world_imu[1:, 3:])
    )
    rate = CubicSpline((at_s[:-1] + at_s[1:]) / 2, turns / np.diff(at_s)[:, None])(times_s)
    q_world_imu = take.pose_at("gripper", np.rint(times_s * 1e9).astype(np.int64))[:, 3:]
    q_world_imu = quaternion.multiply(q_world_imu, np.asarray(MOUNTED["imu"])[3:])
    return quaternion.rotate(quaternion.conjugate(q_world_imu), acceleration), rate


def _error(
    rng: np.random.Generator, count: int, step_s: float, density: float, walk: float, bias: float
) -> FloatArray:
    """Return white noise of a density, a random walk and a constant bias, (count, 3)."""
    white = rng.standard_normal((count, 3)) * density / np.sqrt(step_s)
    steps = rng.standard_normal((count, 3)) * walk * np.sqrt(step_s)
    error: FloatArray = white + np.cumsum(steps, axis=0) + rng.uniform(-1, 1, 3) * bias
    return error
