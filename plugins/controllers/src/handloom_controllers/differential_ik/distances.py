"""The constraint that keeps pairs apart, for mink's quadratic program.

Unlike mink's own `CollisionAvoidanceLimit` it has a row for each contact, not for each pair: a finger that lies
along the table would sink in at one end while the other is held. It bounds a step by the room there is, where
mink's bounds a speed by it, and it parts what is too near.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from handloom_controllers.collision import Collisions

_SHARE = 0.5
"""Of the room between a pair that one step may use."""

_PART_M = 5e-4
"""How far one step has to part a pair that is too near, at most: more would ask for what no joint can do."""


class Distances:
    """What mink calls a limit."""

    def __init__(self, collisions: Collisions, clearance_m: float, mink: Any) -> None:
        self._collisions = collisions
        self._clearance_m = clearance_m
        self._constraint = mink.Constraint
        joints = collisions.model.nv
        self._first, self._second = np.zeros((3, joints)), np.zeros((3, joints))

    def compute_qp_inequalities(self, configuration: Any, dt: float) -> Any:
        """Return mink's `Constraint`: how much nearer each contact may come in a step."""
        del dt
        q = configuration.q[self._collisions.places]
        codes, distances = self._collisions.contacts(q)
        # Jacobians are taken about the centres of mass.
        self._collisions.mujoco.mj_comPos(self._collisions.model, self._collisions.data)
        rows = np.array([self._nearing(place) for place in range(len(codes))]).reshape(len(codes), -1)
        room = np.maximum(_SHARE * (distances - self._clearance_m), -_PART_M)
        # A pair that is left out has all the room there is.
        kept = np.isfinite(room)
        return self._constraint(G=rows[kept], h=room[kept])

    def _nearing(self, place: int) -> Any:
        """Return (nv,) how much nearer a contact comes for each radian of each joint."""
        mujoco, model, data = self._collisions.mujoco, self._collisions.model, self._collisions.data
        contact = data.contact[place]
        normal, half = contact.frame[:3], 0.5 * contact.dist
        first, second = model.geom_bodyid[contact.geom]
        mujoco.mj_jac(model, data, self._first, None, contact.pos - half * normal, first)
        mujoco.mj_jac(model, data, self._second, None, contact.pos + half * normal, second)
        return normal @ (self._first - self._second)
