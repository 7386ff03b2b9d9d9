"""A smooth path of a camera whose velocities and turning rates are known exactly: what a demo moves along."""

from __future__ import annotations

from functools import reduce

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import quaternion

FloatArray = npt.NDArray[np.float64]

GRAVITY_M_PER_S2 = 9.80665
"""Standard gravity. Source: ISO 80000-3."""

_LEVEL_QUATERNION = np.array([-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])
"""R_world_optical of a camera that looks along the world's y with its top up, x y z w: -90 degrees about x."""


@attrs.frozen(kw_only=True, eq=False)
class Motion:
    """A sum of sines for each of x, y, z (m) and roll, pitch, yaw (rad).

    The world's z points up. The orientation is yaw about z, then pitch about the new y, then roll about the new x,
    of a camera that at zero angles looks along y.

    Attributes:
        amplitudes: (6, K), m and rad.
        frequencies_hz: (6, K).
        phases: (6, K) rad.
    """

    amplitudes: FloatArray
    frequencies_hz: FloatArray
    phases: FloatArray

    def positions(self, times_s: FloatArray) -> FloatArray:
        """Return (N, 3) m in world."""
        return self._derivative(times_s, 0)[:, :3]

    def orientations(self, times_s: FloatArray) -> FloatArray:
        """Return (N, 4) quaternions x y z w of R_world_optical."""
        roll, pitch, yaw = self._derivative(times_s, 0)[:, 3:].T
        turned = reduce(quaternion.multiply, (_about(2, yaw), _about(1, pitch), _about(0, roll)))
        return quaternion.multiply(turned, _LEVEL_QUATERNION)

    def orientation_since_start(self, times_s: FloatArray) -> FloatArray:
        """Return (N, 4) quaternions x y z w of R_start_optical, start being at 0 s."""
        start = self.orientations(np.zeros(1))
        return quaternion.multiply(quaternion.conjugate(start), self.orientations(times_s))

    def angular_velocity(self, times_s: FloatArray) -> FloatArray:
        """Return (N, 3) rad/s of the camera, in its optical axes: what a gyroscope reads.

        Source: J. Diebel, Representing Attitude, 2006, section 5.6 (yaw, pitch, roll).
        """
        roll, pitch, _ = self._derivative(times_s, 0)[:, 3:].T
        roll_rate, pitch_rate, yaw_rate = self._derivative(times_s, 1)[:, 3:].T
        body = np.stack(
            [
                roll_rate - yaw_rate * np.sin(pitch),
                pitch_rate * np.cos(roll) + yaw_rate * np.cos(pitch) * np.sin(roll),
                -pitch_rate * np.sin(roll) + yaw_rate * np.cos(pitch) * np.cos(roll),
            ],
            axis=1,
        )
        return _to_optical(_LEVEL_QUATERNION, body)

    def specific_force(self, times_s: FloatArray) -> FloatArray:
        """Return (N, 3) m/s^2 in optical axes, what an accelerometer reads: acceleration without gravity's."""
        acceleration = self._derivative(times_s, 2)[:, :3] + [0.0, 0.0, GRAVITY_M_PER_S2]
        return _to_optical(self.orientations(times_s), acceleration)

    def gravity(self, times_s: FloatArray) -> FloatArray:
        """Return (N, 3) unit vectors in optical axes: where gravity pulls."""
        return _to_optical(self.orientations(times_s), np.array([0.0, 0.0, -1.0]))

    def _derivative(self, times_s: FloatArray, order: int) -> FloatArray:
        """Return the (N, 6) derivative: each one turns the phase by a quarter and multiplies by 2 pi f."""
        turns = 2 * np.pi * self.frequencies_hz
        phase = turns * np.asarray(times_s)[:, None, None] + self.phases + order * np.pi / 2
        derivative: FloatArray = (self.amplitudes * turns**order * np.sin(phase)).sum(axis=2)
        return derivative


def random_motion(seed: int) -> Motion:
    """Return the path of a hand that moves a camera: decimetres and some ten degrees within seconds."""
    rng = np.random.default_rng([seed, 0])
    reach = np.array([0.10, 0.10, 0.06, 0.15, 0.15, 0.25])[:, None]
    return Motion(
        amplitudes=reach * np.array([1.0, 0.35]) * rng.uniform(0.6, 1.0, (6, 2)),
        frequencies_hz=rng.uniform([0.2, 0.7], [0.4, 1.1], (6, 2)),
        phases=rng.uniform(0, 2 * np.pi, (6, 2)),
    )


def _about(axis: int, angles: FloatArray) -> FloatArray:
    return quaternion.from_rotvec(angles[:, None] * np.eye(3)[axis])


def _to_optical(orientations: FloatArray, vectors: FloatArray) -> FloatArray:
    """Turn vectors into optical axes, by the inverse of the camera's orientation."""
    return quaternion.rotate(quaternion.conjugate(orientations), vectors)
