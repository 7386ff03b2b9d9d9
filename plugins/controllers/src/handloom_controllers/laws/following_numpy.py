"""Cartesian following for position-controlled arms, in numpy; `cpp/following.cpp` does the same."""

from __future__ import annotations

import numpy as np

from handloom_controllers.laws import rotation
from handloom_controllers.laws.impedance_numpy import clear
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
        error = self._error(sample, jacobian, pose, target)
        gain = np.repeat(self._config["gain"], 3)
        events: set[str] = set()
        wanted = self._wanted(jacobian, reference["twist"] + gain * error)
        if not np.isfinite(wanted).all():
            return self._fail(command, structs.ERROR_NOT_FINITE)
        q, dq = self._motion.move(wanted, self._elapsed_s(state), events)
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
        self, sample: Sample, jacobian: Float64Array, pose: Float64Array, target: Float64Array
    ) -> Float64Array:
        """Return (6,) metres and rotation vector by which the commanded joints, not the measured, miss the target.

        Where an arm lags or is blocked, the measured error would wind the command up.
        """
        turn = rotation.to_vector(rotation.turn_between(pose[3:], target[3:]))
        measured = np.concatenate([target[:3] - pose[:3], turn])
        missing: Float64Array = measured - jacobian @ (self._motion.q - sample.q)
        return missing

    def _wanted(self, jacobian: Float64Array, twist: Float64Array) -> Float64Array:
        """Return the joint velocities (n,) for a twist of the tool, the spare joint drawn to the posture."""
        drawn = float(self._config["posture_gain"]) * (self._posture - self._motion.q)
        way = damped_solve(jacobian, float(self._config["lambda"]), twist - jacobian @ drawn)
        wanted: Float64Array = drawn + way
        return wanted

    def _elapsed_s(self, state: Struct) -> float:
        """Return the time by which the command goes on; a cycle without a sample counts as one period."""
        period_s = float(self._config["period_s"])
        if not int(state["flags"]) & structs.STATE_FRESH:
            self._ahead_s += period_s
            return period_s
        elapsed = max(0.0, elapsed_s(state, period_s) - self._ahead_s)
        self._ahead_s = 0.0
        return elapsed
