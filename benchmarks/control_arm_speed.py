"""A cycle of control and physics in C++, and in the Python loop that one writes instead, on the same mjData."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.control_arm_lab import TOOL, Float64Array, arm, chunk, law
from benchmarks.rounds import Times, interleaved
from handloom.geometry import pose
from handloom_controllers.realtime import LoopSettings, RealTimeLoop

CYCLES = 1000

STIFFNESS = np.array([2000.0] * 3 + [150.0] * 3)
DAMPING = np.array([89.0] * 3 + [7.0] * 3)
CLIP = np.array([0.01] * 3 + [0.05] * 3)
POSTURE = np.array([100.0] + [0.2] * 6)
LAMBDA = 0.2


def speed_rounds(*, rounds: int) -> Times:
    """Hold the tool for so many cycles, in turn by the C++ loop and by the Python loop."""
    robot, controller = arm(), law()
    settings = LoopSettings(hold_s=3600.0, telemetry_every=100, telemetry_room=64)
    with robot, RealTimeLoop(robot, controller, settings) as loop:
        state = robot.read()
        target = pose.compose(state.T_base_flange, np.array(TOOL))
        loop.push(chunk(np.array([0.05, 0.1]), np.tile(target[:3], (2, 1)), target, 0.0))
        loop.run(200)
        python = PythonLoop(robot.plant.model, robot.plant.data, target, state.q)
        return interleaved({"cpp": lambda: loop.run(CYCLES), "python": lambda: python.run(CYCLES)}, rounds=rounds)


class PythonLoop:
    """The same law in numpy, as lean as it can be written, and MuJoCo's Python interface."""

    def __init__(self, model: Any, data: Any, target: Float64Array, posture: Float64Array) -> None:
        self._model, self._data = model, data
        self._site = model.site("flange").id
        self._target, self._posture = target, posture
        self._before = np.zeros(7)
        self._jacobian = np.zeros((6, model.nv))

    def run(self, cycles: int) -> None:
        """Advance by so many milliseconds."""
        import mujoco

        for _ in range(cycles):
            mujoco.mj_step1(self._model, self._data)
            self._data.qfrc_applied[:] = self._data.qfrc_bias + self._torque()
            mujoco.mj_step2(self._model, self._data)

    def _torque(self) -> Float64Array:
        import mujoco

        data, J = self._data, self._jacobian
        mujoco.mj_jacSite(self._model, data, J[:3], J[3:], self._site)
        rotation = data.site_xmat[self._site].reshape(3, 3)
        lever = rotation @ TOOL[:3]
        moved = J.copy()
        moved[:3] -= _skew(lever) @ J[3:]
        error = np.empty(6)
        error[:3] = self._target[:3] - data.site_xpos[self._site] - lever
        error[3:] = _turn(rotation, self._target[3:])
        error = np.clip(error, -CLIP, CLIP)
        wrench = STIFFNESS * error - DAMPING * (moved @ data.qvel)
        pull = POSTURE * (self._posture - data.qpos) - 2 * np.sqrt(POSTURE) * data.qvel
        gram = moved @ moved.T + LAMBDA**2 * np.eye(6)
        tau = moved.T @ wrench + pull - moved.T @ np.linalg.solve(gram, moved @ pull)
        self._before = np.clip(tau, self._before - 1.0, self._before + 1.0)
        return self._before


def _skew(v: Float64Array) -> Float64Array:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _turn(rotation: Float64Array, target: Float64Array) -> Float64Array:
    """Return the vector part of the quaternion from a rotation matrix to a target, in base axes."""
    import mujoco

    here, back, turn = np.empty(4), np.empty(4), np.empty(4)
    mujoco.mju_mat2Quat(here, rotation.ravel())
    mujoco.mju_negQuat(back, here)
    mujoco.mju_mulQuat(turn, np.roll(target, 1), back)
    return np.asarray(turn[1:] * np.sign(turn[0]))
