"""The Python loop that one writes instead of the C++ one, in numpy and MuJoCo's interface, on the same mjData.

It does what the C++ loop does in a cycle: the robot's own model tells where the flange is, and gravity, Coriolis
torques and the Jacobian there; the trajectory is evaluated; the law answers; the command is checked; the plant
moves; an observer estimates the external torques and wrench of the step; the reflexes look at both; now and then a
row of telemetry is kept. It is written as lean as numpy allows: whole arrays, in place where that saves anything,
constants computed once, arguments unchecked. It leaves out what the C++ loop does besides: splicing, phases,
watchdog, gripper and lock-free rings.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import Any

import mujoco
import numpy as np

from benchmarks.control_arm_lab import TOOL, Float64Array
from handloom_simulation.arm.robots import MujocoFr3

STIFFNESS = np.array([2000.0] * 3 + [150.0] * 3)
DAMPING = np.array([89.0] * 3 + [7.0] * 3)
CLIP = np.array([0.01] * 3 + [0.05] * 3)
POSTURE = np.array([100.0] + [0.2] * 6)
POSTURE_DAMPING = 2 * np.sqrt(POSTURE)
LAMBDA = 0.2
RIDGE, OBSERVER_RIDGE = LAMBDA**2 * np.eye(6), 0.02**2 * np.eye(6)
STEP_S, OBSERVER_S = 1e-3, 5e-3
CREEP = 0.05
"""rad/s at which a joint may always move."""

POWER_W = math.inf
"""The arm's own setting: its maker gives no limit."""

COLUMNS = {"q": 7, "dq": 7, "tau": 7, "tau_command": 7, "T_base_tcp": 7, "reference": 7}
COLUMNS |= {"error": 6, "wrench_command": 6, "wrench_measured": 6}
RECORD = np.dtype([(name, "f8", (size,)) for name, size in COLUMNS.items()])


class OwnModel:
    """What the robot believes: kinematics, gravity, Coriolis and inertia at the measured position."""

    def __init__(self, model: Any) -> None:
        self._model, self._data = model, mujoco.MjData(model)
        self._site = model.site("flange").id
        self.jacobian = np.zeros((6, model.nv))
        self.gravity, self._bias, self._inertial = np.zeros(model.nv), np.zeros(model.nv), np.zeros(model.nv)
        self.position = self._data.site_xpos[self._site]
        self.rotation = self._data.site_xmat[self._site].reshape(3, 3)

    def measure(self, q: Float64Array, dq: Float64Array) -> None:
        """Move it to where the robot is, and compute all that the law and the observer need."""
        model, data = self._model, self._data
        data.qpos[:], data.qvel[:] = q, 0.0
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 0, self.gravity)
        data.qvel[:] = dq
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 0, self._bias)
        self.coriolis = self._bias - self.gravity
        mujoco.mj_jacSite(model, data, self.jacobian[:3], self.jacobian[3:], self._site)

    def torque(self, acceleration: Float64Array) -> Float64Array:
        """Return (7,) Nm that the acceleration takes where it was measured last."""
        mujoco.mj_mulM(self._model, self._data, self._inertial, acceleration)
        return self._inertial + self._bias


class Reflexes:
    """When the robot stops by itself: one look at each command, and one at each state."""

    def __init__(self, robot: MujocoFr3) -> None:
        limits, near = robot.limits, robot.arm.near_range
        assert near is not None, "the FR3 has position-based limits of velocity"
        self._limits, self._thresholds = limits, robot.collision_thresholds
        self._change = limits.torque_rate * STEP_S * (1 + 1e-6)
        self._twice_braking, self._offset = 2 * near.deceleration, near.offset
        self._arm = robot.plant.model.body_rootid[robot.plant.model.site("flange").bodyid[0]]
        self._roots = robot.plant.model.body_rootid[robot.plant.model.geom_bodyid]

    def command_is_bad(self, tau: Float64Array, before: Float64Array) -> bool:
        """Tell whether a torque is not finite, too large, or too far from the one before."""
        fits = (np.abs(tau - before) <= self._change) & (np.abs(tau) <= self._limits.torque)
        return not fits.all()

    def state_is_bad(self, data: Any, tau: Float64Array, external: Float64Array, wrench: Float64Array) -> bool:
        """Tell whether a joint is out of range or too fast, a push is too hard, or the arm hits itself."""
        limits, thresholds, q, dq = self._limits, self._thresholds, data.qpos, data.qvel
        distance = np.where(dq > 0, limits.upper - q, q - limits.lower)
        fastest = np.sqrt(np.maximum(self._twice_braking * distance, 0.0)) - self._offset
        fastest = np.maximum(np.minimum(fastest, limits.velocity), CREEP)
        bad = (distance < 0) | (np.abs(dq) > fastest) | (np.abs(external) > thresholds.joint_torque_nm)
        force, torque = math.hypot(*wrench[:3].tolist()), math.hypot(*wrench[3:].tolist())
        hit = force > thresholds.force_n or torque > thresholds.torque_nm
        return bool(bad.any()) or hit or bool(np.abs(tau * dq).sum() > POWER_W) or self._touches_itself(data)

    def _touches_itself(self, data: Any) -> bool:
        if not data.ncon:
            return False
        return bool((self._roots[data.contact.geom] == self._arm).all(axis=1).any())


class Way:
    """The trajectory: timed poses, straight lines and slerp between them, at rest after the last."""

    def __init__(self, times_s: list[float], poses: Float64Array) -> None:
        self._times_s, self._poses = times_s, poses

    def at(self, time_s: float) -> Float64Array:
        """Return the (7,) pose at a time."""
        place = bisect_right(self._times_s, time_s)
        if place in (0, len(self._times_s)):
            pose: Float64Array = self._poses[max(place - 1, 0)]
            return pose
        before, after = self._times_s[place - 1], self._times_s[place]
        return _between(self._poses[place - 1], self._poses[place], (time_s - before) / (after - before))


class PythonLoop:
    """The whole cycle."""

    def __init__(self, robot: MujocoFr3, target: Float64Array, posture: Float64Array, every: int) -> None:
        self._model, self._data = robot.plant.model, robot.plant.data
        self._own, self._reflexes = OwnModel(robot.plant.own_model), Reflexes(robot)
        self._way, self._posture = Way([0.05, 0.1], np.tile(target, (2, 1))), posture
        self._every, self._cycles, self.records = every, 0, np.zeros(64, RECORD)
        self._tau: Float64Array = np.zeros(7)
        self._external: Float64Array = np.zeros(7)
        self._wrench: Float64Array = np.zeros(6)
        self._pose = np.zeros(7)
        self._damping = self._model.dof_damping
        self._share = 1 - math.exp(-STEP_S / OBSERVER_S)

    def run(self, cycles: int) -> None:
        """Advance by so many milliseconds."""
        for _ in range(cycles):
            self.cycle()

    def cycle(self) -> None:
        """Measure, follow, command, move, observe and record, as the C++ loop does."""
        data, own = self._data, self._own
        own.measure(data.qpos, data.qvel)
        reference = self._way.at(self._cycles * STEP_S)
        before, tau = self._tau, self._torque(reference)
        if self._reflexes.command_is_bad(tau, before):
            raise RuntimeError("A torque of the Python loop would stop the robot.")
        dq = data.qvel.copy()
        applied = tau + own.gravity
        data.qfrc_applied[:] = applied
        mujoco.mj_step(self._model, data)
        self._observe(dq, applied)
        if self._reflexes.state_is_bad(data, applied, self._external, self._wrench):
            raise RuntimeError("The Python loop has moved the robot so that it would stop.")
        if self._cycles % self._every == 0:
            self._record(reference, applied)
        self._cycles += 1

    def _torque(self, reference: Float64Array) -> Float64Array:
        own, dq, J = self._own, self._data.qvel, self._own.jacobian
        lever = own.rotation @ TOOL[:3]
        moved = J.copy()
        moved[:3] -= _skew(lever) @ J[3:]
        error = np.empty(6)
        error[:3] = reference[:3] - own.position - lever
        self._pose[:3], self._pose[3:] = own.position + lever, _quaternion(own.rotation)
        error[3:] = _turn(self._pose[3:], reference[3:])
        self._error = np.minimum(np.maximum(error, -CLIP), CLIP)
        self._commanded = STIFFNESS * self._error - DAMPING * (moved @ dq)
        pull = POSTURE * (self._posture - self._data.qpos) - POSTURE_DAMPING * dq
        tau = moved.T @ (self._commanded - np.linalg.solve(moved @ moved.T + RIDGE, moved @ pull)) + pull
        tau += own.coriolis
        self._tau = np.minimum(np.maximum(tau, self._tau - 1.0), self._tau + 1.0)
        return self._tau

    def _observe(self, dq: Float64Array, applied: Float64Array) -> None:
        """Estimate what the own model can't explain of the step, and the wrench at the flange that it would be."""
        data, J = self._data, self._own.jacobian
        friction = -self._damping * data.qvel
        rows = slice(data.ne, data.ne + data.nf)
        friction[data.efc_id[rows]] += data.efc_force[rows]
        explained = self._own.torque((data.qvel - dq) / STEP_S)
        self._measured = applied + friction
        self._external += self._share * (explained - self._measured - self._external)
        self._wrench[:] = np.linalg.solve(J @ J.T + OBSERVER_RIDGE, J @ self._external)

    def _record(self, reference: Float64Array, applied: Float64Array) -> None:
        record = self.records[self._cycles // self._every % len(self.records)]
        record["q"], record["dq"] = self._data.qpos, self._data.qvel
        record["tau"], record["tau_command"] = self._measured, self._tau
        record["T_base_tcp"], record["reference"] = self._pose, reference
        record["error"], record["wrench_command"] = self._error, self._commanded
        record["wrench_measured"] = self._wrench


def _between(before: Float64Array, after: Float64Array, share: float) -> Float64Array:
    """Return the pose on the way from one (7,) to another."""
    pose = before + share * (after - before)
    cosine = float(before[3:] @ after[3:])
    far = math.copysign(1.0, cosine) * after[3:]
    angle = math.acos(min(abs(cosine), 1.0))
    if angle > 1e-6:
        pose[3:] = (math.sin((1 - share) * angle) * before[3:] + math.sin(share * angle) * far) / math.sin(angle)
    return pose


def _skew(v: Float64Array) -> Float64Array:
    x, y, z = v.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _quaternion(rotation: Float64Array) -> Float64Array:
    w_first = np.empty(4)
    mujoco.mju_mat2Quat(w_first, rotation.ravel())
    return w_first[[1, 2, 3, 0]]


def _turn(here: Float64Array, target: Float64Array) -> Float64Array:
    """Return the vector part of the quaternion from one orientation to another, in base axes."""
    x, y, z, w = here.tolist()
    X, Y, Z, W = target.tolist()
    sign = 1.0 if W * w + X * x + Y * y + Z * z >= 0 else -1.0
    turn = (w * X - W * x - Y * z + Z * y, w * Y - W * y - Z * x + X * z, w * Z - W * z - X * y + Y * x)
    return sign * np.array(turn)
