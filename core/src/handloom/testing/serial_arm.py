"""A made-up arm for the contract of laws: seven hinges in a chain, and a body that obeys torques or positions."""

from __future__ import annotations

import math

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import CollisionThresholds, JointLimits, RobotCommand, RobotState

Float64Array = npt.NDArray[np.float64]

PERIOD_NS = 1_000_000
"""int64 ns between two cycles."""

HOME = np.array([0.0, -0.6, 0.1, -1.8, 0.1, 1.4, 0.6])
"""(7,) rad, far from every limit and from every singular posture."""

_AXES = np.array([[0, 0, 1], [0, 1, 0], [0, 0, 1], [0, -1, 0], [0, 0, 1], [0, -1, 0], [0, 0, 1]], dtype=np.float64)
_CROSS = np.cross(np.eye(3), _AXES[:, None])
_CROSS_SQUARED = _CROSS @ _CROSS
_LINKS_M = np.array([0.3, 0.0, 0.35, 0.0, 0.35, 0.1, 0.1])
_INERTIA = np.array([1.5, 1.5, 1.0, 1.0, 0.3, 0.2, 0.1])
_FRICTION = 0.5

LIMITS = JointLimits(
    names=tuple(f"joint{number}" for number in range(1, 8)),
    lower=np.full(7, -2.8),
    upper=np.full(7, 2.8),
    velocity=np.full(7, 2.0),
    acceleration=np.full(7, 10.0),
    jerk=np.full(7, 5000.0),
    torque=np.array([87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0]),
    torque_rate=np.full(7, 1000.0),
    source="handloom.testing, a made-up arm",
    edition="1",
)

THRESHOLDS = CollisionThresholds(force_n=60.0, torque_nm=60.0, joint_torque_nm=np.full(7, 60.0))


def kinematics(q: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Return T_base_flange (7,) and the flange's Jacobian (6, 7), linear first, at (7,) q in rad."""
    origins, axes = np.empty((7, 3)), np.empty((7, 3))
    sines, cosines = np.sin(q)[:, None, None], np.cos(q)[:, None, None]
    # Source: Rodrigues' rotation formula.
    turns = np.eye(3) + sines * _CROSS + (1.0 - cosines) * _CROSS_SQUARED
    position, rotation = np.zeros(3), np.eye(3)
    for joint in range(7):
        origins[joint], axes[joint] = position, rotation @ _AXES[joint]
        rotation = rotation @ turns[joint]
        position = position + _LINKS_M[joint] * rotation[:, 2]
    levers = position - origins
    linear = axes[:, [1, 2, 0]] * levers[:, [2, 0, 1]] - axes[:, [2, 0, 1]] * levers[:, [1, 2, 0]]
    return np.concatenate([position, _orientation(q)]), np.vstack([linear.T, axes.T])


def _orientation(q: Float64Array) -> Float64Array:
    """Return the flange's quaternion: the product of the seven turns, from the base on."""
    x, y, z, w = 0.0, 0.0, 0.0, 1.0
    halves = np.column_stack([_AXES * np.sin(q / 2)[:, None], np.cos(q / 2)])
    for a, b, c, d in halves.tolist():
        x, y, z, w = (
            x * d + w * a + y * c - z * b,
            y * d + w * b + z * a - x * c,
            z * d + w * c + x * b - y * a,
            w * d - x * a - y * b - z * c,
        )
    return np.array([x, y, z, w]) / math.sqrt(x * x + y * y + z * z + w * w)


@attrs.define(kw_only=True, eq=False)
class SerialArm:
    """Where the arm is; it weighs nothing, and its joints don't feel one another.

    Attributes:
        stamp: int64 ns.
        q: (7,) rad.
        dq: (7,) rad/s.
        tau: (7,) Nm commanded last.
    """

    stamp: int
    q: Float64Array = attrs.field(factory=HOME.copy)
    dq: Float64Array = attrs.field(factory=lambda: np.zeros(7))
    tau: Float64Array = attrs.field(factory=lambda: np.zeros(7))

    def state(self) -> RobotState:
        """Return what a robot would measure."""
        T_base_flange, jacobian = kinematics(self.q)
        return RobotState(
            stamp=self.stamp,
            q=self.q.copy(),
            dq=self.dq.copy(),
            tau=self.tau.copy(),
            jacobian=jacobian,
            T_base_flange=T_base_flange,
            coriolis=np.zeros(7),
            gravity=np.zeros(7),
            wrench=np.full(6, np.nan),
            tau_applied=self.tau.copy(),
        )

    def obey(self, command: RobotCommand) -> None:
        """Go on by one period."""
        period_s = PERIOD_NS * 1e-9
        self.stamp += PERIOD_NS
        if command.q is not None:
            self.dq = (command.q - self.q) / period_s
            self.q = command.q.copy()
            return
        if command.tau is not None:
            self.tau = command.tau.copy()
        self.dq = self.dq + period_s * (self.tau - _FRICTION * self.dq) / _INERTIA
        self.q = self.q + period_s * self.dq
