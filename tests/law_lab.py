"""What the tests of laws act on: settings as structs, single cycles, and a frictionless arm before a wall."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from handloom.testing.serial_arm import HOME, LIMITS, kinematics
from handloom_controllers.cartesian_following import CartesianFollowingConfig, following_config
from handloom_controllers.hand_guiding import HandGuidingConfig
from handloom_controllers.hand_guiding import gains_of as guiding_gains_of
from handloom_controllers.impedance import ImpedanceConfig, gains_of
from handloom_controllers.laws import NumpyFollowing, NumpyImpedance
from handloom_controllers.laws.compiled import CompiledFollowing, CompiledImpedance
from handloom_controllers.laws.settings import torque_config
from handloom_controllers.native import Library, new, structs

PERIOD_S = 0.001


def impedance_structs(**settings: Any) -> tuple[Any, Any]:
    """Return `hl_impedance_config` and `hl_impedance_gains` of the made-up arm."""
    config = ImpedanceConfig(**settings)
    struct = torque_config(config, LIMITS, HOME)
    struct["blend_s"] = config.blend_s
    return struct, gains_of(config, 7)


def guiding_structs(**settings: Any) -> tuple[Any, Any]:
    """Return the same for hand guiding."""
    config = HandGuidingConfig(**settings)
    struct = torque_config(config, LIMITS, HOME)
    struct["follow_joints"], struct["guide_leash"] = 1, (config.leash_m, config.leash_rad)
    return struct, guiding_gains_of(config, 7)


def following_struct(**settings: Any) -> Any:
    """Return `hl_following_config` of the made-up arm."""
    return following_config(CartesianFollowingConfig(**settings), LIMITS, HOME)


def pairs(library: Library) -> dict[str, tuple[Any, Any]]:
    """Return each law, compiled and in numpy, with settings that use all of it."""
    tool = (0.02, 0.01, 0.1034, 0.0, 0.0, -0.3826834323650898, 0.9238795325112867)
    weighed = {"payload_kg": 0.7, "payload_com_m": (0.01, 0.0, 0.08), "T_flange_tcp": tool}
    stiff = impedance_structs(integral_n_per_m_s=300.0, integral_nm_per_rad_s=40.0, **weighed)
    guided = guiding_structs(**weighed)
    followed = following_struct(T_flange_tcp=tool)
    return {
        "impedance": (CompiledImpedance(library, *stiff), NumpyImpedance(*stiff)),
        "hand_guiding": (CompiledImpedance(library, *guided), NumpyImpedance(*guided)),
        "cartesian_following": (CompiledFollowing(library, followed), NumpyFollowing(followed)),
    }


@attrs.define(kw_only=True, eq=False)
class Bench:
    """One law and the buffers of a cycle, at rest at home with its reference where the tool is.

    Attributes:
        law: Compiled or in numpy.
        state: `hl_state`.
        reference: `hl_reference`.
        command: `hl_command`.
    """

    law: Any
    state: Any = attrs.field(factory=lambda: new("hl_state"))
    reference: Any = attrs.field(factory=lambda: new("hl_reference"))
    command: Any = attrs.field(factory=lambda: new("hl_command"))

    def __attrs_post_init__(self) -> None:
        self.state["joints"], self.state["period_ns"] = 7, 1_000_000
        self.state["flags"] = structs.STATE_FRESH | structs.STATE_COMPENSATES_GRAVITY
        self.state["tau_applied"] = np.nan
        self.at(HOME)
        self.reference["T_base_tcp"] = self.state["T_base_flange"]
        self.reference["flags"] = structs.REFERENCE_FIRST

    def at(self, q: Any) -> None:
        """Put the arm to (7,) rad."""
        self.state["q"][:7] = q
        self.state["T_base_flange"], self.state["jacobian"][:, :7] = kinematics(q)

    def step(self, cycles: int = 1) -> Any:
        """Step the law so often on what is in the buffers, and return a copy of the last command."""
        for _ in range(cycles):
            status = self.law.step(self.state, self.reference, self.command)
            assert status == structs.OK, f"the law answered {status}"
            self.reference["flags"] = 0
        return self.command.copy()


@attrs.define(kw_only=True, eq=False)
class FrictionlessArm:
    """The made-up arm with constant inertias and no friction, its tool before a springy wall.

    Attributes:
        q: (7,) rad.
        dq: (7,) rad/s.
        wall_x: The wall is where the tool's x is greater, m; infinite for none.
        wall_n_per_m: Its stiffness.
        push: (7,) further joint torques, Nm.
    """

    q: Any = attrs.field(factory=lambda: HOME.copy())
    dq: Any = attrs.field(factory=lambda: np.zeros(7))
    wall_x: float = np.inf
    wall_n_per_m: float = 5000.0
    push: Any = attrs.field(factory=lambda: np.zeros(7))

    inertia = np.array([1.5, 1.5, 1.0, 1.0, 0.3, 0.2, 0.1])

    def advance(self, tau: Any, substeps: int = 2) -> None:
        """Go on by one period under a torque that is held, by symplectic steps."""
        step_s = PERIOD_S / substeps
        for _ in range(substeps):
            T_base_flange, jacobian = kinematics(self.q)
            depth = max(0.0, T_base_flange[0] - self.wall_x)
            force = tau + self.push - jacobian[0] * self.wall_n_per_m * depth
            self.dq = self.dq + step_s * force / self.inertia
            self.q = self.q + step_s * self.dq

    def energy(self) -> float:
        """Return the energy of motion and of the wall."""
        depth = max(0.0, kinematics(self.q)[0][0] - self.wall_x)
        return float(0.5 * self.inertia @ self.dq**2 + 0.5 * self.wall_n_per_m * depth**2)


def run(bench: Bench, arm: FrictionlessArm, cycles: int) -> None:
    """Let a law act on an arm."""
    for _ in range(cycles):
        bench.at(arm.q)
        bench.state["dq"][:7] = arm.dq
        arm.advance(bench.step()["tau"][:7])
