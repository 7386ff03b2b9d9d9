"""What the arm's own model says of torques where it was: telemetry does not hold them, and a law needs them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.errors import HandloomError
from handloom_controllers.arms import Arm

Float64Array = npt.NDArray[np.float64]


class Weight:
    """The arm's MuJoCo model, asked for nothing but its bias torques.

    Raises:
        HandloomError: MuJoCo is not installed.
    """

    def __init__(self, arm: Arm) -> None:
        try:
            import mujoco
        except ImportError as error:
            raise HandloomError(
                "The recorded robot needs mujoco for gravity and Coriolis torques; pip install "
                "'handloom-controllers[replay]', or set `weight = false` for NaN in their place."
            ) from error
        self._forward: Any = mujoco.mj_forward
        self._model = mujoco.MjModel.from_xml_string(arm.mjcf)
        self._data = mujoco.MjData(self._model)

    def torques(self, q: Float64Array, dq: Float64Array) -> tuple[Float64Array, Float64Array]:
        """Return gravity and Coriolis torques (n,), Nm; NaN where a joint is lost.

        Args:
            q: (n,) rad.
            dq: (n,) rad/s.
        """
        unknown = np.full_like(q, np.nan)
        if not np.isfinite(q).all():
            return unknown, unknown
        gravity = self._bias(q, np.zeros_like(q))
        return gravity, self._bias(q, dq) - gravity if np.isfinite(dq).all() else unknown

    def _bias(self, q: Float64Array, dq: Float64Array) -> Float64Array:
        self._data.qpos[:], self._data.qvel[:] = q, dq
        self._forward(self._model, self._data)
        return np.array(self._data.qfrc_bias)
