"""What a hand is to do: way-points of tool and jaw, joined by curves smooth to the second derivative."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import pose, quaternion
from handloom_simulation.gripper import MOUNTED

FloatArray = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True)
class Stance:
    """Where the tool is and where it points.

    Attributes:
        tcp_m: Midpoint between the finger tips in world.
        yaw_rad: Turn about the vertical; at 0 the gripper points away from the person.
        pitch_rad: How far it points below the horizon.
        roll_rad: Turn about its own forward axis.
    """

    tcp_m: tuple[float, float, float]
    yaw_rad: float = 0.0
    pitch_rad: float = 0.9
    roll_rad: float = 0.0

    def as_row(self) -> FloatArray:
        """Return (6,) x y z m, yaw pitch roll rad."""
        return np.array([*self.tcp_m, self.yaw_rad, self.pitch_rad, self.roll_rad])


@attrs.frozen(kw_only=True, eq=False)
class Track:
    """Values at instants, with the velocity at each; the acceleration there is 0.

    Attributes:
        times_s: (K,) increasing.
        values: (K, C).
        velocities: (K, C) per second.
    """

    times_s: FloatArray
    values: FloatArray
    velocities: FloatArray

    def at(self, times_s: FloatArray) -> FloatArray:
        """Return (N, C): between two instants the quintic that meets both, which at rest is the minimum-jerk move.

        Source: Flash and Hogan, "The coordination of arm movements", Journal of Neuroscience 5 (1985).
        """
        index = np.clip(np.searchsorted(self.times_s, times_s, side="right") - 1, 0, len(self.times_s) - 2)
        length = (self.times_s[index + 1] - self.times_s[index])[:, None]
        share = np.clip((times_s - self.times_s[index])[:, None] / length, 0.0, 1.0)
        start, end = self.values[index], self.values[index + 1]
        v0, v1 = self.velocities[index] * length, self.velocities[index + 1] * length
        way = end - start
        cubic = 10.0 * way - 6.0 * v0 - 4.0 * v1
        quartic = -15.0 * way + 8.0 * v0 + 7.0 * v1
        quintic = 6.0 * way - 3.0 * (v0 + v1)
        curve: FloatArray = start + share * (v0 + share**2 * (cubic + share * (quartic + share * quintic)))
        return curve


@attrs.frozen(kw_only=True)
class Script:
    """A whole demonstration.

    Attributes:
        tool: Track of stances, 6 channels as in `Stance.as_row`.
        jaw: Track of the commanded width in metres, 1 channel.
    """

    tool: Track
    jaw: Track

    @property
    def duration_s(self) -> float:
        """How long it takes."""
        return float(self.tool.times_s[-1])


def gripper_poses(stances: FloatArray) -> FloatArray:
    """Return T_world_gripper, (N, 7), of stances (N, 6)."""
    zero = np.zeros(len(stances))
    yaw, pitch, roll = stances[:, 3], stances[:, 4], stances[:, 5]
    upright = np.array([-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])  # camera level: x right, y down, z away
    about_vertical = quaternion.from_rotvec(np.stack([zero, zero, yaw], axis=1))
    about_side = quaternion.from_rotvec(np.stack([-pitch, zero, zero], axis=1))
    about_forward = quaternion.from_rotvec(np.stack([zero, zero, roll], axis=1))
    turned = quaternion.multiply(quaternion.multiply(about_vertical, upright), about_side)
    T_world_tcp = np.concatenate([stances[:, :3], quaternion.multiply(turned, about_forward)], axis=1)
    T_tcp_gripper = pose.inverse(np.array(MOUNTED["tcp"]))
    return pose.compose(T_world_tcp, T_tcp_gripper)
