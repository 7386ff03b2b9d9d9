"""What the pads feel and the microphones hear, out of the contacts of a run."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import quaternion
from handloom.geometry.arrays import cross
from handloom_simulation.gripper import FINGERS
from handloom_simulation.motions.physics import Contacts, Run
from handloom_simulation.scene.mjcf import TIMESTEP_S
from handloom_simulation.take import Impact

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_TOUCHING_N = 0.02
"""A lighter touch makes no sound of sliding."""

_CREEP_M_PER_S = 0.003
"""Below this a soft contact gives way rather than slides."""

_APART_STEPS = 30
"""Bodies that were apart for so many milliseconds strike anew."""

_AUDIBLE_J = 2e-6
"""A 60 g cube at 8 mm/s."""


@attrs.frozen(kw_only=True, eq=False)
class Felt:
    """The parts of a `Take` that contacts give, by the same names."""

    pad_force_n: FloatArray
    pad_shear_n: FloatArray
    slide_speed_m_per_s: FloatArray
    impacts: tuple[Impact, ...]


def felt(run: Run, moving: Mapping[str, FloatArray]) -> Felt:
    """Return what the pads feel and what strikes.

    Args:
        run: What happened.
        moving: T_world_body, (N, 7), of the gripper and its fingers.
    """
    velocities = _contact_velocities(run, moving)
    force, shear = _pad_forces(run, moving)
    return Felt(
        pad_force_n=force,
        pad_shear_n=shear,
        slide_speed_m_per_s=_slide_speed(run, velocities),
        impacts=_impacts(run, velocities),
    )


def _pad_forces(run: Run, moving: Mapping[str, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """Return the force that presses each pad outwards, (N, 2), and its tangential parts, (N, 2, 2)."""
    contacts, steps = run.contacts, len(run.half_openings_m)
    on_second = (contacts.forces[:, :, None] * contacts.frames).sum(axis=1)
    force, shear = np.zeros((steps, 2)), np.zeros((steps, 2, 2))
    for pad, (name, outwards) in enumerate(zip(FINGERS, (-1.0, 1.0), strict=True)):
        body = run.body_names.index(name)
        total = np.zeros((steps, 3))
        for column, sign in ((0, -1.0), (1, 1.0)):
            touching = contacts.bodies[:, column] == body
            np.add.at(total, contacts.steps[touching], sign * on_second[touching])
        local = quaternion.rotate(quaternion.conjugate(moving[name][:, 3:]), total)
        force[:, pad] = np.maximum(0.0, outwards * local[:, 0]) + 0.0
        shear[:, pad] = local[:, [2, 1]]
    return force, shear


def _contact_velocities(run: Run, moving: Mapping[str, FloatArray]) -> FloatArray:
    """Return the velocity of the second body against the first at each contact, (M, 3) m/s along its rows."""
    contacts = run.contacts
    relative = np.zeros_like(contacts.positions)
    for index, name in enumerate(run.body_names):
        origins, twist = _motion(run, moving, name)
        if origins is None or twist is None:
            continue
        for column, sign in ((0, -1.0), (1, 1.0)):
            rows = np.flatnonzero(contacts.bodies[:, column] == index)
            at = contacts.steps[rows]
            arm = contacts.positions[rows] - origins[at]
            relative[rows] += sign * (twist[at, :3] + cross(twist[at, 3:], arm))
    along: FloatArray = (contacts.frames * relative[:, None, :]).sum(axis=2)
    return along


def _motion(run: Run, moving: Mapping[str, FloatArray], name: str) -> tuple[FloatArray | None, FloatArray | None]:
    """Return a body's origin, (N, 3), and twist in world, (N, 6); None of what stands still."""
    if name in run.poses:
        return run.poses[name][:, :3], run.velocities[name]
    if name not in FINGERS:
        return None, None
    poses = moving[name]
    turns = quaternion.to_rotvec(quaternion.multiply(poses[1:, 3:], quaternion.conjugate(poses[:-1, 3:])))
    twist = np.zeros((len(poses), 6))
    twist[:-1, :3] = np.diff(poses[:, :3], axis=0) / TIMESTEP_S
    twist[:-1, 3:] = turns / TIMESTEP_S
    return poses[:, :3], twist


def _slide_speed(run: Run, velocities: FloatArray) -> FloatArray:
    """Return the fastest sliding of surfaces that the hand has to do with, (N,) m/s."""
    contacts, steps = run.contacts, len(run.half_openings_m)
    fingers = np.array([run.body_names.index(name) for name in FINGERS])
    by_hand = np.zeros((steps, len(run.body_names)), dtype=bool)  # which bodies are fingers or touch one
    gripping = np.isin(contacts.bodies, fingers).any(axis=1)
    for column in (0, 1):
        by_hand[contacts.steps[gripping], contacts.bodies[gripping, column]] = True
    by_hand[:, run.body_names.index("world")] = False
    concerned = by_hand[contacts.steps[:, None], contacts.bodies].any(axis=1)
    concerned &= contacts.forces[:, 0] > _TOUCHING_N
    speed = np.zeros(steps)
    np.maximum.at(speed, contacts.steps[concerned], np.linalg.norm(velocities[concerned, 1:], axis=1))
    speed[speed < _CREEP_M_PER_S] = 0.0
    return speed


def _impacts(run: Run, velocities: FloatArray) -> tuple[Impact, ...]:
    contacts = run.contacts
    pairs = np.sort(contacts.bodies, axis=1)
    impacts = []
    for first, second in np.unique(pairs, axis=0):
        rows = np.flatnonzero((pairs[:, 0] == first) & (pairs[:, 1] == second))
        for row in _onsets(contacts, rows, velocities):
            impact = _impact(run, row, float(velocities[row, 0]))
            if impact.energy_j > _AUDIBLE_J:
                impacts.append(impact)
    return tuple(sorted(impacts, key=lambda impact: (impact.stamp, impact.bodies)))


def _onsets(contacts: Contacts, rows: IntArray, velocities: FloatArray) -> list[int]:
    """Return, of each strike of one pair of bodies, the contact that closes fastest."""
    steps = contacts.steps[rows]
    fresh = np.diff(steps, prepend=-_APART_STEPS - 1) > _APART_STEPS
    onsets = []
    for step in steps[fresh & (steps > 0)]:
        same = rows[steps == step]
        onsets.append(int(same[np.argmin(velocities[same, 0])]))
    return onsets


def _impact(run: Run, row: int, closing_m_per_s: float) -> Impact:
    """Return a strike; what is lost is the kinetic energy along the normal, as if nothing bounced."""
    bodies = run.contacts.bodies[row]
    reduced_kg = 1.0 / (1.0 / run.masses_kg[bodies]).sum()
    x, y, z = run.contacts.positions[row].tolist()
    first, second = sorted(run.body_names[body] for body in bodies)
    return Impact(
        stamp=int(run.contacts.steps[row]) * round(TIMESTEP_S * 1e9),
        energy_j=float(0.5 * reduced_kg * min(closing_m_per_s, 0.0) ** 2),
        position=(x, y, z),
        bodies=(first, second),
    )
