"""What is behind the simulated control interface: the FR3 in MuJoCo, and what it says of itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import pose, quaternion
from handloom_simulation.arm.library import RobotTable
from handloom_simulation.arm.robots import MujocoFr3
from handloom_simulation.arm.settings import MujocoFr3Config
from handloom_simulation.fci.messages import STATE

if TYPE_CHECKING:
    from handloom_simulation.arm.plant import Plant

Float64Array = npt.NDArray[np.float64]

_TORQUE, _DAMPED = 0, 2
_GRAVITY = (0.0, 0.0, -9.81)


class Body:
    """An FR3 that is well, moves with torques, or brakes; one call of `advance` or `brake` is one millisecond.

    Attributes:
        robot: The simulated arm.
        state: The newest `hl_state`.
    """

    def __init__(self, config: MujocoFr3Config) -> None:
        from handloom_controllers.native import new

        self.robot = MujocoFr3(attrs.evolve(config, first_stamp_ns=0, gripper=""))
        self.state: Any = new("hl_state")
        self._command: Any = new("hl_command")
        self._command["periods"] = 1
        self._command["width_m"] = math.nan

    @property
    def plant(self) -> Plant:
        """Its physics, to be pushed and asked for the truth."""
        return self.robot.plant

    def open(self) -> None:
        """Build the models."""
        self.robot.open()
        self._took_over()

    def behave(self, joint_torque_nm: Float64Array, force_n: float, torque_nm: float) -> None:
        """Stand where it stands with other thresholds for collisions.

        Args:
            joint_torque_nm: (7,) Nm.
            force_n: Of the flange.
            torque_nm: Likewise.
        """
        config = attrs.evolve(
            self.robot.config,
            start_rad=tuple(float(angle) for angle in self.state["q"][:7]),
            collision_joint_torque_nm=tuple(float(value) for value in joint_torque_nm),
            collision_force_n=force_n,
            collision_torque_nm=torque_nm,
        )
        self.robot.close()
        self.robot = MujocoFr3(config)
        self.open()

    def _took_over(self) -> None:
        self._table = RobotTable(self.plant.table)
        self._table.read(self.state)

    def restart(self) -> None:
        """Be well, at rest, where it is."""
        self.plant.restart()
        self._table.read(self.state)

    def advance(self, tau: npt.ArrayLike) -> None:
        """Go on for one period with torques (7,)."""
        self._command["mode"] = _TORQUE
        self._command["tau"][:7] = tau
        self._step()

    def brake(self) -> None:
        """Go on for one period, coming to rest."""
        self._command["mode"] = _DAMPED
        self._step()

    def _step(self) -> None:
        self._table.write(self._command)
        self._table.read(self.state)

    def at_rest(self) -> bool:
        """Whether its brakes are closed."""
        return self.plant.truth().at_rest


class Report:
    """Fills the robot's state message from a body.

    Attributes:
        message: The state to be sent, one record.
    """

    def __init__(self, body: Body) -> None:
        self.message = np.zeros((), dtype=STATE)
        T_flange_ee = pose.to_matrix(body.robot.arm.T_flange_tcp)
        self._T_flange_ee = T_flange_ee
        for name, matrix in (("F_T_EE", T_flange_ee), ("F_T_NE", T_flange_ee), ("NE_T_EE", np.eye(4))):
            self.message[name] = matrix.T.reshape(16)
        self.message["EE_T_K"] = np.eye(4).reshape(16)
        self.message["O_ddP_O"] = _GRAVITY
        self._hand(body)

    def _hand(self, body: Body) -> None:
        """Mass, centre and inertia of the hand, in the flange's axes."""
        import mujoco

        model = body.plant.own_model
        place = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, "hand")
        if place < 0:
            return
        site = model.site("flange")
        last, own = model.site_pos[site.id], model.body_pos[place]
        turned = quaternion.to_matrix(_w_last(model.site_quat[site.id])).T
        R_flange_hand = turned @ quaternion.to_matrix(_w_last(model.body_quat[place]))
        R_hand_main = quaternion.to_matrix(_w_last(model.body_iquat[place]))
        axes = R_flange_hand @ R_hand_main
        self.message["m_ee"] = model.body_mass[place]
        self.message["F_x_Cee"] = turned @ (own - last) + R_flange_hand @ model.body_ipos[place]
        self.message["I_ee"] = (axes @ np.diag(model.body_inertia[place]) @ axes.T).reshape(9)

    def fill(self, state: Any) -> None:
        """Take over what an `hl_state` measured."""
        message = self.message
        T_base_flange = pose.to_matrix(state["T_base_flange"])
        message["O_T_EE"] = (T_base_flange @ self._T_flange_ee).T.reshape(16)
        message["q"] = message["q_d"] = message["theta"] = state["q"][:7]
        message["dq"] = message["dq_d"] = message["dtheta"] = state["dq"][:7]
        message["tau_J"] = state["tau"][:7]
        message["tau_J_d"] = state["tau_applied"][:7]
        wrench = np.nan_to_num(state["wrench"])
        # By its documentation the robot tells what it does to its surroundings; ours is what they do to it.
        jacobian = state["jacobian"][:, :7]
        message["tau_ext_hat_filtered"] = -(jacobian.T @ wrench)
        lever = T_base_flange[:3, :3] @ self._T_flange_ee[:3, 3]
        message["O_F_ext_hat_K"][:3] = -wrench[:3]
        message["O_F_ext_hat_K"][3:] = -(wrench[3:] - np.cross(lever, wrench[:3]))


def _w_last(wxyz: npt.ArrayLike) -> Float64Array:
    return np.roll(np.asarray(wxyz, dtype=np.float64), -1)
