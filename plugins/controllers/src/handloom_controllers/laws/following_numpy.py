"""Cartesian following for position-controlled arms, in numpy; `cpp/following.cpp` does the same."""

from __future__ import annotations

import numpy as np

from handloom_controllers.laws import rotation
from handloom_controllers.laws.impedance_numpy import clear, shortened
from handloom_controllers.laws.joint_motion import JointMotion
from handloom_controllers.laws.kinematics import Sample, Struct, damped_solve, elapsed_s, moved_by, read_sample
from handloom_controllers.laws.rotation import Float64Array
from handloom_controllers.native import structs


class NumpyFollowing:
    """Steps as the compiled law does, to 1e-9."""

    def __init__(self, config: Struct) -> None:
        self._config = config
        self._T_flange_tcp = rotation.read_pose(config["T_flange_tcp"])
        self._motion = JointMotion(config)
        self._posture = np.zeros(int(config["joints"]))
        self._begun = False
        self._ahead_s = 0.0

    def step(self, state: Struct, reference: Struct, command: Struct) -> int:
        """Fill an `hl_command` from an `hl_state` and an `hl_reference`; returns HL_OK or HL_ERROR_*."""
        first = bool(int(reference["flags"]) & structs.REFERENCE_FIRST) or not self._begun
        clear(command)
        if int(state["joints"]) != len(self._posture):
            return self._fail(command, structs.ERROR_ARGUMENT)
        if np.isfinite(reference["width_m"]):
            command["width_m"] = reference["width_m"]
        with np.errstate(all="ignore"):
            return self._act(state, reference, command, first)

    def _act(self, state: Struct, reference: Struct, command: Struct, first: bool) -> int:
        sample, target = read_sample(state), rotation.read_pose(reference["T_base_tcp"])
        if sample is None or target is None or self._T_flange_tcp is None:
            return self._fail(command, structs.ERROR_NOT_FINITE)
        if first:
            self._begin(sample)
        pose = rotation.compose(sample.T_base_flange, self._T_flange_tcp)
        jacobian = moved_by(sample.jacobian, pose[:3] - sample.T_base_flange[:3])
        events: set[str] = set()
        error = self._error(sample, jacobian, pose, target, events)
        onward = damped_solve(jacobian, float(self._config["lambda"]), reference["twist"])
        chase = self._chase(jacobian, np.repeat(self._config["gain"], 3) * error)
        if not (np.isfinite(onward).all() and np.isfinite(chase).all()):
            return self._fail(command, structs.ERROR_NOT_FINITE)
        q, dq = self._motion.move(onward, chase, self._periods(state), events)
        self._begun = True
        command["mode"], command["events"] = structs.MODE_POSITION, structs.bits_of(events, structs.EVENTS)
        command["q"][: len(q)], command["dq"][: len(q)] = q, dq
        command["T_base_tcp"], command["error"] = pose, error
        return structs.OK

    def _fail(self, command: Struct, status: int) -> int:
        self._begun = False
        clear(command)
        return status

    def _begin(self, sample: Sample) -> None:
        posture = self._config["posture"][: len(sample.q)]
        self._posture = np.where(np.isnan(posture), sample.q, posture)
        self._motion.begin(sample.q)
        self._ahead_s = 0.0

    def _error(
        self,
        sample: Sample,
        jacobian: Float64Array,
        pose: Float64Array,
        target: Float64Array,
        events: set[str],
    ) -> Float64Array:
        """Return (6,) metres and rotation vector by which the commanded joints, not the measured, miss the target.

        Where an arm lags or is blocked, the measured error would wind the command up. Both parts are no longer
        than their clip.
        """
        turn = rotation.to_vector(rotation.turn_between(pose[3:], target[3:]))
        measured = np.concatenate([target[:3] - pose[:3], turn])
        miss = measured - jacobian @ (self._motion.q - sample.q)
        clip = self._config["clip"]
        position = shortened(miss[:3], float(clip[0]), "clip_position", events)
        return np.concatenate([position, shortened(miss[3:], float(clip[1]), "clip_rotation", events)])

    def _chase(self, jacobian: Float64Array, twist: Float64Array) -> Float64Array:
        """Return the joint velocities (n,) for a twist of the tool, the spare joint drawn to the posture."""
        drawn = float(self._config["posture_gain"]) * (self._posture - self._motion.q)
        way = damped_solve(jacobian, float(self._config["lambda"]), twist - jacobian @ drawn)
        chase: Float64Array = drawn + way
        return chase

    def _periods(self, state: Struct) -> int:
        """Return by how many periods the command goes on; a cycle without a sample counts as one.

        Whole ones: the stamps' jitter must not become the arm's.
        """
        period_s = float(self._config["period_s"])
        if not int(state["flags"]) & structs.STATE_FRESH:
            self._ahead_s += period_s
            return 1
        measured = max(0.0, elapsed_s(state, period_s) - self._ahead_s)
        self._ahead_s = 0.0
        return int(measured / period_s + 0.5)
