"""Runs the lab in MuJoCo along a given path of the gripper and keeps what happened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import PluginError
from handloom.geometry import quaternion
from handloom_simulation.gripper import FINGERS
from handloom_simulation.scene.mjcf import TIMESTEP_S, lab_mjcf, pose_from_mujoco, quaternion_w_first

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_SETTLING_STEPS = 150
"""Before the take begins, so that things rest on the table as deep as their weight presses them."""


@attrs.frozen(kw_only=True, eq=False)
class Contacts:
    """Every contact of every step, one row each.

    Attributes:
        steps: (M,) index of the millisecond.
        bodies: (M, 2) index of the two bodies; the force acts on the second, its opposite on the first.
        positions: (M, 3) m in world.
        frames: (M, 3, 3) rows: the normal, from first to second, and two tangents, in world.
        forces: (M, 3) N along those rows.
    """

    steps: IntArray
    bodies: IntArray
    positions: FloatArray
    frames: FloatArray
    forces: FloatArray


@attrs.frozen(kw_only=True, eq=False)
class Run:
    """What happened, at every millisecond.

    Attributes:
        poses: By free object, (N, 7) T_world_object.
        velocities: By free object, (N, 6): linear m/s in world, angular rad/s in world.
        half_openings_m: (N, 2) of the left and the right finger.
        contacts: Every contact.
        body_names: By index.
        masses_kg: (B,) by index; infinite for what can't be moved.
    """

    poses: Mapping[str, FloatArray]
    velocities: Mapping[str, FloatArray]
    half_openings_m: FloatArray
    contacts: Contacts
    body_names: tuple[str, ...]
    masses_kg: FloatArray


def run_lab(
    start: Mapping[str, FloatArray], free: tuple[str, ...], T_world_gripper: FloatArray, widths_m: FloatArray
) -> Run:
    """Lead the gripper along a path while its jaw follows a command, 1 ms a row.

    Args:
        start: T_world_object, (7,), of every object.
        free: The objects that may move.
        T_world_gripper: (N, 7).
        widths_m: (N,) commanded clear distance between the pads.

    Raises:
        PluginError: mujoco is not installed.
    """
    try:
        import mujoco
    except ImportError as error:
        raise PluginError(
            f"The lab's physics needs mujoco, which can't be imported ({error}). "
            f"Install it with: pip install handloom-simulation"
        ) from error
    model = mujoco.MjModel.from_xml_string(lab_mjcf(start, frozenset(free)))
    data = mujoco.MjData(model)
    base = _Slots(model, "gripper")
    path = _gripper_states(T_world_gripper)
    states = np.empty((len(path), model.nq + model.nv))
    rows: list[tuple[int, Any, Any, Any, Any]] = []
    for name in FINGERS:
        data.joint(name).qpos[0] = 0.5 * widths_m[0]
    for step in range(-_SETTLING_STEPS, len(path)):  # physics goes one step at a time
        now = max(step, 0)
        data.qpos[base.q : base.q + 7] = path[now, :7]
        data.qvel[base.v : base.v + 6] = path[now, 7:] if step >= 0 else 0.0
        data.ctrl[:] = 0.5 * widths_m[now]
        states[now, : model.nq], states[now, model.nq :] = data.qpos, data.qvel
        mujoco.mj_step(model, data)
        if step >= 0 and data.ncon:
            rows.append(_contact_row(step, data))
    return _as_run(model, states, rows, free)


class _Slots:
    """Where a joint's position and velocity begin in MuJoCo's vectors."""

    def __init__(self, model: Any, joint: str) -> None:
        self.q = int(model.joint(joint).qposadr[0])
        self.v = int(model.joint(joint).dofadr[0])


def _gripper_states(T_world_gripper: FloatArray) -> FloatArray:
    """Return (N, 13): qpos and qvel of the gripper's free joint, such that each step leads exactly to the next."""
    q = T_world_gripper[:, 3:]
    velocity = np.zeros((len(q), 6))
    velocity[:-1, :3] = np.diff(T_world_gripper[:, :3], axis=0) / TIMESTEP_S
    velocity[:-1, 3:] = quaternion.to_rotvec(quaternion.multiply(quaternion.conjugate(q[:-1]), q[1:])) / TIMESTEP_S
    return np.concatenate([T_world_gripper[:, :3], quaternion_w_first(T_world_gripper), velocity], axis=1)


def _contact_row(step: int, data: Any) -> tuple[int, Any, Any, Any, Any]:
    """Copy the contacts that act; in an elliptic cone the solver's forces are the contact's own."""
    contact = data.contact
    active = np.flatnonzero(contact.efc_address >= 0)
    addresses = contact.efc_address[active]
    forces = data.efc_force[addresses[:, None] + np.arange(3)]
    return step, contact.geom[active], contact.pos[active], contact.frame[active], forces


def _as_run(
    model: Any, states: FloatArray, rows: list[tuple[int, Any, Any, Any, Any]], free: tuple[str, ...]
) -> Run:
    poses, velocities = {}, {}
    for name in free:
        slots = _Slots(model, name)
        poses[name] = pose_from_mujoco(states[:, slots.q : slots.q + 7])
        twist = states[:, model.nq + slots.v : model.nq + slots.v + 6]
        turning = quaternion.rotate(poses[name][:, 3:], twist[:, 3:])
        velocities[name] = np.concatenate([twist[:, :3], turning], axis=1)
    fingers = [_Slots(model, name) for name in FINGERS]
    names = tuple(model.body(index).name for index in range(model.nbody))
    movable = {*free, *FINGERS}
    masses = [model.body_mass[index] if name in movable else np.inf for index, name in enumerate(names)]
    return Run(
        poses=poses,
        velocities=velocities,
        half_openings_m=states[:, [slots.q for slots in fingers]],
        contacts=_as_contacts(model, rows),
        body_names=names,
        masses_kg=np.array(masses),
    )


def _as_contacts(model: Any, rows: list[tuple[int, Any, Any, Any, Any]]) -> Contacts:
    counts = [len(geoms) for _, geoms, _, _, _ in rows]
    steps = np.repeat(np.array([step for step, *_ in rows], dtype=np.int64), counts)
    geoms = _stacked([row[1] for row in rows], 2).astype(np.int64)
    return Contacts(
        steps=steps,
        bodies=model.geom_bodyid[geoms].astype(np.int64),
        positions=_stacked([row[2] for row in rows], 3),
        frames=_stacked([row[3] for row in rows], 9).reshape(-1, 3, 3),
        forces=_stacked([row[4] for row in rows], 3),
    )


def _stacked(parts: list[Any], width: int) -> FloatArray:
    table: FloatArray = np.concatenate([np.empty((0, width)), *parts])
    return table
