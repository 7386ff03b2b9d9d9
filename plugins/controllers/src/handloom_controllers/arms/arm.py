"""One serial arm: its model without a world around it, and what goes with it."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import CollisionThresholds, JointLimits
from handloom_controllers.arms.chain import Chain
from handloom_controllers.arms.limits import CartesianLimits, NearRange

Float64Array = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True, eq=False)
class Arm:
    """A serial arm, bolted to the world at its base.

    Attributes:
        name: "fr3".
        mjcf: A whole MuJoCo model (XML): the arm on a fixed base, one hinge a joint, the sites `flange` and `tcp`,
            simple shapes for collisions, no actuators, no friction, no floor. Whoever simulates it adds those.
        joints: Joint names from the base to the flange, as in the model.
        limits: What each joint may do.
        thresholds: From where on it takes a contact for a collision, by default.
        home: (n,) rad, a posture with room to move.
        T_flange_tcp: (7,) of the tool it comes with.
        compensates_gravity: Whether the robot adds gravity to a commanded torque by itself.
        torque_controlled: Whether it takes torques; otherwise joint positions.
        chain: The same kinematics in numpy.
        near_range: How slow a joint has to be near the end of its range; None where nobody says.
        cartesian: What the flange may do; None where nobody says.
        reflected_inertia: (n,) kg m^2 of the rotors at the joints, not in the model; None where nobody says.
        friction: (n,) Nm of dry friction, not in the model; None where nobody says.
        damping: (n,) Nm s/rad, not in the model; None where nobody says.
        width_m: Greatest opening of its hand; NaN without one.
        fingers: Names of the finger joints in the model; empty where the hand has none that move.
        notes: Sentences on what could not be taken over from its description.
    """

    name: str
    mjcf: str
    joints: tuple[str, ...]
    limits: JointLimits
    thresholds: CollisionThresholds
    home: Float64Array
    T_flange_tcp: Float64Array
    compensates_gravity: bool
    torque_controlled: bool
    chain: Chain
    near_range: NearRange | None = None
    cartesian: CartesianLimits | None = None
    reflected_inertia: Float64Array | None = None
    friction: Float64Array | None = None
    damping: Float64Array | None = None
    width_m: float = float("nan")
    fingers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
