"""The Cartesian impedance law in numpy: to be read, to test the compiled one against, and for machines without it.

The equations with their sources are in docs/law.md; `cpp/impedance.cpp` does the same, operation by operation.
"""

from __future__ import annotations

import attrs
import numpy as np

from handloom.errors import HandloomError
from handloom_controllers.laws import rotation
from handloom_controllers.laws.impedance_gains import GainsBlend, are_valid, resolved
from handloom_controllers.laws.joint_bounds import TorqueBounds
from handloom_controllers.laws.kinematics import Sample, Struct, damped_solve, elapsed_s, moved_by, read_sample
from handloom_controllers.laws.leash import Leash
from handloom_controllers.laws.rotation import Float64Array
from handloom_controllers.native import structs

_PARTS = (slice(0, 3), slice(3, 6))
_AT_REST = np.zeros(6)


@attrs.frozen(kw_only=True, eq=False)
class Tool:
    """The tool as it is in this cycle, and where it shall be.

    Attributes:
        pose: (7,) T_base_tcp, measured.
        jacobian: (6, n) of the tcp.
        twist: (6,) measured, linear first, base axes.
        target: (7,) T_base_tcp.
        target_twist: (6,).
    """

    pose: Float64Array
    jacobian: Float64Array
    twist: Float64Array
    target: Float64Array
    target_twist: Float64Array


class NumpyImpedance:
    """Steps as the compiled law does, to 1e-9."""

    def __init__(self, config: Struct, gains: Struct) -> None:
        self._config, n = config, int(config["joints"])
        self._T_flange_tcp = rotation.read_pose(config["T_flange_tcp"])
        self._gains = GainsBlend(resolved(gains, n), float(config["blend_s"]))
        self._bounds = TorqueBounds(config)
        self._leash = Leash(*config["guide_leash"].tolist())
        self._begun = self._held_back = False
        self._posture = self._before = np.zeros(n)
        self._integral = np.zeros(6)

    def set_gains(self, gains: Struct) -> None:
        """Blend to other gains, an `hl_impedance_gains`.

        Raises:
            HandloomError: They are negative or not finite.
        """
        if not are_valid(gains, len(self._before)):
            raise HandloomError("Gains must be finite and not negative; the law keeps those it has.")
        self._gains.put(resolved(gains, len(self._before)))

    def step(self, state: Struct, reference: Struct, command: Struct) -> int:
        """Fill an `hl_command` from an `hl_state` and an `hl_reference`; returns HL_OK or HL_ERROR_*."""
        told_first = bool(int(reference["flags"]) & structs.REFERENCE_FIRST)
        first = told_first or not self._begun
        clear(command)
        if told_first:
            self._before = self._bounds.told(state["tau_applied"][: len(self._before)])
        if int(state["joints"]) != len(self._before):
            return self._fail(state, command, structs.ERROR_ARGUMENT)
        if np.isfinite(reference["width_m"]):
            command["width_m"] = reference["width_m"]
        if first or int(state["flags"]) & structs.STATE_FRESH:
            with np.errstate(all="ignore"):
                return self._act(state, reference, command, first)
        # Nothing new is known, not even which of the last commands arrived: the one before is held.
        self._put(command)
        return structs.OK

    def _act(self, state: Struct, reference: Struct, command: Struct, first: bool) -> int:
        guided, sample = bool(self._config["follow_joints"]), read_sample(state)
        target = None if guided else rotation.read_pose(reference["T_base_tcp"])
        if sample is None or self._T_flange_tcp is None or (target is None and not guided):
            return self._fail(state, command, structs.ERROR_NOT_FINITE)
        pose = rotation.compose(sample.T_base_flange, self._T_flange_tcp)
        dt_s = elapsed_s(state, float(self._config["period_s"]))
        if first:
            self._begin(sample, pose)
        else:
            self._gains.advance(dt_s)
        target_twist = reference["twist"].copy()
        if target is None:  # hand guiding: the reference follows the tool
            target, target_twist = self._leash.follow(pose), _AT_REST
            self._posture = self._leash.posture(sample.q, self._posture)
        jacobian = moved_by(sample.jacobian, pose[:3] - sample.T_base_flange[:3])
        tool = Tool(
            pose=pose, jacobian=jacobian, twist=jacobian @ sample.dq, target=target, target_twist=target_twist
        )
        return self._torque(state, sample, tool, command, dt_s)

    def _torque(self, state: Struct, sample: Sample, tool: Tool, command: Struct, dt_s: float) -> int:
        events: set[str] = set()
        error = self._clipped_error(tool, events)
        wrench = self._wrench(error, tool, dt_s, events)
        wanted = tool.jacobian.T @ wrench + self._posture_torque(sample, tool) + sample.coriolis + sample.gravity
        wanted = wanted + self._payload_torque(sample)
        wanted = wanted + self._bounds.repulsion(sample.q, events) + self._bounds.braking(sample.dq, events)
        if not (np.isfinite(wanted).all() and np.isfinite(wrench).all()):
            return self._fail(state, command, structs.ERROR_NOT_FINITE)
        applied = state["tau_applied"][: len(wanted)]
        self._before = self._bounds.bounded(wanted, self._before, applied, events)
        self._held_back = bool(events & {"torque_rate", "torque_limit"})
        self._begun = True
        self._put(command)
        command["events"] = structs.bits_of(events, structs.EVENTS)
        command["T_base_tcp"], command["error"], command["wrench"] = tool.pose, error, wrench
        return structs.OK

    def _put(self, command: Struct) -> None:
        command["mode"] = structs.MODE_TORQUE
        command["tau"][: len(self._before)] = self._before

    def _fail(self, state: Struct, command: Struct, status: int) -> int:
        """Leave a damped command, with the torques on their way to 0 for a robot that reads them all the same."""
        n = len(self._before)
        self._before = self._bounds.bounded(np.zeros(n), self._before, state["tau_applied"][:n], set())
        self._begun = False  # whatever was remembered may be spoilt, except the torque
        clear(command)
        command["tau"][:n] = self._before
        return status

    def _begin(self, sample: Sample, pose: Float64Array) -> None:
        self._gains.jump()
        self._leash.begin(pose)
        self._integral = np.zeros(6)
        self._held_back = False
        posture = self._config["posture"][: len(sample.q)]
        self._posture = np.where(np.isnan(posture), sample.q, posture)

    def _clipped_error(self, tool: Tool, events: set[str]) -> Float64Array:
        """Return (6,) metres, and the vector part of the turn that is left: about half of it in radians."""
        clip = self._gains.now["clip"]
        position = shortened(tool.target[:3] - tool.pose[:3], clip[0], "clip_position", events)
        turn = rotation.turn_between(tool.pose[3:], tool.target[3:])
        return np.concatenate([position, shortened(turn[:3], clip[1], "clip_rotation", events)])

    def _wrench(self, error: Float64Array, tool: Tool, dt_s: float, events: set[str]) -> Float64Array:
        """Return (6,) N and Nm at the tcp; the bound is a norm on all of it, the damping included."""
        gains, wrench = self._gains.now, np.empty(6)
        lag = gains["feed_forward"] * tool.target_twist - tool.twist
        for part, axes in enumerate(_PARTS):
            bound, e = gains["wrench_bound"][part], error[axes]
            wanted = gains["stiffness"][part] * e + gains["damping"][part] * lag[axes] + self._integral[axes]
            wrench[axes] = shortened(wanted, bound, "wrench_bound", events)
            saturated = np.linalg.norm(wanted) > bound or self._held_back
            if not saturated or e @ wanted < 0:  # against windup: no more of what can't be given anyway
                room = min(bound, gains["stiffness"][part] * gains["clip"][part])
                more = self._integral[axes] + gains["integral"][part] * dt_s * e
                self._integral[axes] = shortened(more, room, "", set())
        return wrench

    def _posture_torque(self, sample: Sample, tool: Tool) -> Float64Array:
        """Return a soft spring to the posture, projected so that the tool does not feel it."""
        gains, n = self._gains.now, len(sample.q)
        pull = gains["nullspace_stiffness"][:n] * (self._posture - sample.q)
        pull = pull - gains["nullspace_damping"][:n] * sample.dq
        felt = damped_solve(tool.jacobian, float(self._config["lambda"]), tool.jacobian @ pull)
        torque: Float64Array = pull - felt
        return torque

    def _payload_torque(self, sample: Sample) -> Float64Array:
        """Return what holds a payload that the robot's own model does not know."""
        mass_kg = float(self._config["payload_kg"])
        if mass_kg <= 0:
            return np.zeros(len(sample.q))
        com = rotation.rotate(sample.T_base_flange[3:], self._config["payload_com"])
        torque: Float64Array = moved_by(sample.jacobian, com)[:3].T @ (-mass_kg * self._config["gravity"])
        return torque


def clear(command: Struct) -> None:
    """Make a command safe whatever comes: damped, and nothing known."""
    command[...] = 0
    command["mode"] = structs.MODE_DAMPED
    for name in ("width_m", "width_speed", "width_force", "T_base_tcp", "error", "wrench"):
        command[name] = np.nan


def shortened(vector: Float64Array, bound: float, event: str, events: set[str]) -> Float64Array:
    """Return the vector no longer than the bound, in its own direction."""
    length = float(np.linalg.norm(vector))
    if not length > bound:
        return vector
    events.add(event)
    short: Float64Array = vector * (bound / length)
    return short
