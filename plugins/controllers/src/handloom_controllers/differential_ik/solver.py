"""Mink's objects, made once: the task, its limits, and the step that they allow.

Position comes first, orientation as far as it can; limits of position, velocity and distance are constraints.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.errors import PluginError
from handloom_controllers.arms import Arm
from handloom_controllers.collision import Collisions
from handloom_controllers.differential_ik.distances import Distances
from handloom_controllers.differential_ik.settings import IkSettings

Float64Array = npt.NDArray[np.float64]

_SLACK_M = 1e-3
"""How much nearer than asked a pair may come where a link moves on a circle."""


class Solver:
    """One step of the joints towards a pose.

    Attributes:
        collisions: Distances, and the model that mink works on too.
    """

    def __init__(self, arm: Arm, settings: IkSettings, lower: Float64Array, upper: Float64Array) -> None:
        """Build mink's objects.

        Args:
            arm: The arm.
            settings: How to follow.
            lower: (n,) rad.
            upper: (n,) rad.

        Raises:
            PluginError: Mink or MuJoCo is not installed.
        """
        self._mink = mink = _mink()
        self._settings = settings
        self.collisions = Collisions(
            arm,
            table_z_m=settings.table_z_m,
            clearance_m=settings.clearance_m,
            sight_m=settings.sight_m,
            extra="ik",
        )
        model, places = self.collisions.model, self.collisions.places
        model.jnt_range[places] = np.stack([lower, upper], axis=1)
        self._configuration = mink.Configuration(model, self.collisions.data.qpos)
        self._task = mink.FrameTask(
            "handloom_tcp",
            "site",
            position_cost=settings.position_weight,
            orientation_cost=settings.orientation_weight,
            gain=settings.gain,
            lm_damping=settings.error_damping,
        )
        speeds = np.minimum(arm.limits.velocity, math.radians(settings.max_speed_deg_per_s))
        stay = dict.fromkeys(arm.fingers, 0.0)
        self._limits = [
            mink.ConfigurationLimit(model, gain=0.95),
            mink.VelocityLimit(model, dict(zip(arm.joints, speeds.tolist(), strict=True)) | stay),
            Distances(self.collisions, settings.clearance_m, mink),
        ]

    def pose(self, q: Float64Array) -> Float64Array:
        """Return (7,) T_base_tcp of joint positions (n,) rad."""
        self._put(q)
        wxyz_xyz = self._configuration.get_transform_frame_to_world("handloom_tcp", "site").wxyz_xyz
        return np.array([*wxyz_xyz[4:], *wxyz_xyz[1:4], wxyz_xyz[0]])

    def solve(self, q: Float64Array, T_base_tcp: Float64Array, dt_s: float) -> tuple[Float64Array, str]:
        """Return (n,) joint positions one step nearer, and why they are the same as before, or "".

        Args:
            q: (n,) rad, inside the range.
            T_base_tcp: (7,) metres and quaternion x y z w.
            dt_s: Time that the step takes.
        """
        mink = self._mink
        self._put(q)
        x, y, z, w = T_base_tcp[3:]
        self._task.set_target(mink.SE3(wxyz_xyz=np.array([w, x, y, z, *T_base_tcp[:3]])))
        try:
            velocity = mink.solve_ik(
                self._configuration,
                [self._task],
                dt_s,
                "daqp",
                damping=self._settings.damping,
                limits=self._limits,
            )
        except mink.NoSolutionFound:
            return q, "No motion of the joints keeps every limit; they stay."
        moved: Float64Array = q + velocity[self.collisions.places] * dt_s
        if not np.isfinite(moved).all():
            return q, "The solver's answer is not finite; the joints stay."
        return self._kept_clear(q, moved)

    def _kept_clear(self, q: Float64Array, moved: Float64Array) -> tuple[Float64Array, str]:
        """Return the longest part of a step that is clear: the constraint is linear, links move on circles."""
        floor_m = min(self._settings.clearance_m - _SLACK_M, self._clear_m(q))
        for share in (1.0, 0.5, 0.25, 0.125):
            reached = q + share * (moved - q)
            if self._clear_m(reached) >= floor_m:
                return reached, ""
        return q, "Every step towards the target brings something too near; the joints stay."

    def _clear_m(self, q: Float64Array) -> float:
        near = self.collisions.nearest(q)
        return near.distance_m if near else self._settings.sight_m

    def _put(self, q: Float64Array) -> None:
        positions = self._configuration.q
        positions[self.collisions.places] = q
        self._configuration.update(positions)


def _mink() -> Any:
    try:
        import mink
    except ImportError as error:
        raise PluginError(
            "Differential IK needs mink, which is not installed; pip install 'handloom-controllers[ik]'."
        ) from error
    return mink
