"""A simulated arm that is running: both models, their data, and the compiled part that moves them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import HandloomError
from handloom_simulation.arm import structs
from handloom_simulation.arm.library import address, library
from handloom_simulation.arm.models import STEP_S, own_model, plant_model
from handloom_simulation.arm.settings import MujocoArmConfig
from handloom_simulation.arm.told import fill, start_of

if TYPE_CHECKING:
    from handloom.api import CollisionThresholds
    from handloom_controllers.arms import Arm

Float64Array = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True, eq=False)
class Truth:
    """What no robot could tell of itself.

    Attributes:
        steps: Of 1 ms, since the start.
        stopping: A damped stop is under way or done.
        at_rest: The brakes are closed.
        stopping_s: From the beginning of the stop to rest.
        reflexes: Names of what stopped it.
        contact_force_n: (3,) in the base, on the arm, in the last step.
        contact_peak_n: Its largest norm since `forget_peaks`.
        speed_peak_rad_per_s: Of any joint, likewise.
        power_w: In the last step.
        tau_motor_nm: (n,) in the last step.
        tau_external_nm: (n,) as the robot estimates it.
    """

    steps: int
    stopping: bool
    at_rest: bool
    stopping_s: float
    reflexes: tuple[str, ...]
    contact_force_n: Float64Array
    contact_peak_n: float
    speed_peak_rad_per_s: float
    power_w: float
    tau_motor_nm: Float64Array
    tau_external_nm: Float64Array


class Plant:
    """Owns everything behind the compiled table.

    Attributes:
        model: The plant's `mujoco.MjModel`; the surroundings included.
        data: Its `mujoco.MjData`, the one that the compiled part moves.
        own_model: What the robot believes.
        own_data: Likewise.
    """

    def __init__(self, arm: Arm, thresholds: CollisionThresholds, own: Arm, config: MujocoArmConfig) -> None:
        import mujoco

        self._library = library()
        self.joints = len(arm.joints)
        self.model, self.own_model = plant_model(arm, config), own_model(own, config)
        self.data, self.own_data = mujoco.MjData(self.model), mujoco.MjData(self.own_model)
        settings = structs.new("hl_arm_config")
        self._places(settings, arm)
        fill(settings, arm, thresholds, config)
        self.data.qpos[settings["plant_q"][: self.joints]] = start_of(arm, config)
        if arm.fingers:
            self.data.qpos[settings["finger_q"]] = 0.5 * settings["gripper"]["width_max"]
        self.handle = self._library.hl_arm_create(address(settings)) or 0
        if not self.handle:
            raise HandloomError(
                f"The arm {arm.name} has {self.joints} joints, its own model {self.own_model.nv}; the simulated "
                f"arm takes 1 to {structs.MAX_JOINTS}."
            )

    def __del__(self) -> None:
        if getattr(self, "handle", 0):
            self._library.hl_arm_destroy(self.handle)

    @property
    def table(self) -> int:
        """Address of the `hl_robot_v1`."""
        return int(self._library.hl_arm_robot(self.handle))

    def restart(self) -> None:
        """Be well again, at rest where `data` says; not while a loop runs."""
        self._library.hl_arm_restart(self.handle)

    def push(self, wrench: npt.ArrayLike, duration_s: float) -> None:
        """Push the flange's body with a wrench (6,), N and Nm in base axes, from the next step on."""
        raw = np.ascontiguousarray(wrench, dtype=np.float64)
        if raw.shape != (6,) or not np.isfinite(raw).all():
            raise HandloomError(f"A push is a wrench of six finite numbers; found {raw.tolist()}.")
        if not 0 <= duration_s <= 3600:
            raise HandloomError(f"A push lasts 0 to 3600 s; found {duration_s}.")
        self._library.hl_arm_push(self.handle, address(raw), round(duration_s / STEP_S))

    def grasp(self, width_m: float, stiffness_n_per_m: float) -> None:
        """Put a thing between the fingers; NaN takes it out."""
        self._library.hl_arm_grasp(self.handle, width_m, stiffness_n_per_m)

    def forget_peaks(self) -> None:
        """Begin to look for the largest contact force and speed anew."""
        self._library.hl_arm_forget_peaks(self.handle)

    def truth(self) -> Truth:
        """Return what no robot could tell."""
        from handloom_controllers.native.structs import REFLEXES, names_of

        raw = structs.new("hl_arm_truth")
        self._library.hl_arm_truth_of(self.handle, address(raw))
        return Truth(
            steps=int(raw["steps"]),
            stopping=bool(raw["stopping"]),
            at_rest=bool(raw["at_rest"]),
            stopping_s=int(raw["steps_stopping"]) * STEP_S,
            reflexes=names_of(int(raw["reflexes"]), REFLEXES),
            contact_force_n=raw["contact_force"].copy(),
            contact_peak_n=float(raw["contact_peak"]),
            speed_peak_rad_per_s=float(raw["speed_peak"]),
            power_w=float(raw["power"]),
            tau_motor_nm=raw["tau_motor"][: self.joints].copy(),
            tau_external_nm=raw["tau_external"][: self.joints].copy(),
        )

    def _places(self, settings: npt.NDArray[np.void], arm: Arm) -> None:
        settings["joints"] = self.joints
        settings["period_ns"] = round(STEP_S * 1e9)
        for name, model, data in (
            ("plant", self.model, self.data),
            ("own", self.own_model, self.own_data),
        ):
            settings[f"{name}_model"], settings[f"{name}_data"] = model._address, data._address
            settings[f"{name}_flange"] = model.site("flange").id
            for place, joint in enumerate(arm.joints):
                settings[f"{name}_q"][place] = model.joint(joint).qposadr[0]
                settings[f"{name}_dof"][place] = model.joint(joint).dofadr[0]
        settings["finger_q"] = settings["finger_dof"] = -1
        for place, joint in enumerate(arm.fingers):
            settings["finger_q"][place] = self.model.joint(joint).qposadr[0]
            settings["finger_dof"][place] = self.model.joint(joint).dofadr[0]
