"""The settings of a simulated arm: what is beside it, what it carries, and how it differs from its own model."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal

import attrs

from handloom.errors import HandloomError
from handloom_simulation.arm.ranges import INT64, a_turn, number, whole

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@attrs.frozen(kw_only=True)
class Block:
    """A box to touch.

    Attributes:
        name: Of its own.
        centre_m: In the base.
        half_m: Half of its edges.
        quaternion: x y z w, how it stands in the base.
        mass_kg: 0 for one that stands still.
        solref: How it gives way: time constant in s, damping ratio. Source: MuJoCo, solver parameters.
        solimp: MuJoCo's impedance of a contact.
        friction: Coefficient of sliding.
    """

    name: str
    centre_m: Vector = attrs.field(validator=number())
    half_m: Vector = attrs.field(validator=number(0, above=True))
    quaternion: Quaternion = attrs.field(default=(0.0, 0.0, 0.0, 1.0), validator=a_turn)
    mass_kg: float = attrs.field(default=0.0, validator=number(0))
    solref: tuple[float, float] = attrs.field(default=(0.02, 1.0), validator=number())
    solimp: tuple[float, float, float, float, float] = attrs.field(
        default=(0.9, 0.95, 0.001, 0.5, 2.0), validator=number()
    )
    friction: float = attrs.field(default=0.5, validator=number(0))


def wall(
    *,
    point_m: Vector,
    normal: Vector,
    name: str = "wall",
    half_m: Vector = (0.25, 0.5, 0.5),
    solref: tuple[float, float] = (0.02, 1.0),
) -> Block:
    """Return a still block whose face stands with its middle at a point and looks along a normal.

    Args:
        point_m: In the base.
        normal: In the base, of any length.
        name: Of its own.
        half_m: Half of its depth and of the edges of its face.
        solref: How it gives way.

    Raises:
        HandloomError: The normal is 0.
    """
    length = math.sqrt(sum(part**2 for part in normal))
    if not length > 0:
        raise HandloomError(f"A wall can't look along the normal {normal}; give a direction.")
    x, y, z = (part / length for part in normal)
    depth = half_m[0]
    centre = (point_m[0] - depth * x, point_m[1] - depth * y, point_m[2] - depth * z)
    # The shortest turn of the x axis to the normal; for its opposite, half a turn about z.
    turn = (0.0, -z, y, 1.0 + x) if x > -1 + 1e-9 else (0.0, 0.0, 1.0, 0.0)
    norm = math.sqrt(sum(part**2 for part in turn))
    return Block(
        name=name,
        centre_m=centre,
        half_m=half_m,
        quaternion=(turn[0] / norm, turn[1] / norm, turn[2] / norm, turn[3] / norm),
        solref=solref,
    )


@attrs.frozen(kw_only=True)
class Noise:
    """Of the sensors, as standard deviations; the same seed gives the same noise.

    Attributes:
        position_rad: Of a joint position.
        velocity_rad_per_s: Of a joint velocity.
        torque_nm: Of a joint torque.
    """

    position_rad: float = attrs.field(default=0.0, validator=number(0))
    velocity_rad_per_s: float = attrs.field(default=0.0, validator=number(0))
    torque_nm: float = attrs.field(default=0.0, validator=number(0))


@attrs.frozen(kw_only=True)
class MujocoArmConfig:
    """What all simulated arms have in common.

    Attributes:
        start_rad: Where the joints stand at first; empty for the arm's home.
        payload_kg: What hangs at the flange without the arm's own model knowing of it.
        payload_com_m: Its centre in the flange.
        probe_radius_m: Of a ball that touches at one point; 0 for none.
        probe_at_m: Its centre in the flange.
        dry_friction_nm: Of each joint, or one for all; empty for the arm's own, without which there is none.
        viscous_friction_nm_s_per_rad: Likewise.
        rotor_inertia_share: How much of the motors' reflected inertia is felt; a torque loop in the joints hides
            the rest.
        floor: Whether there is a floor at the height of the base.
        blocks: What there is to touch; see `wall`.
        model_error: Relative standard deviation of the masses in the arm's own model, drawn by the seed; 0 for a
            model that is right.
        gripper: A gripper of `handloom_controllers.arms.load_gripper`; "" for none.
        in_hand_m: How wide a thing stands between the fingers; NaN for nothing.
        in_hand_n_per_m: How stiff it is.
        collision_force_n: From where on it takes a force at the flange for a collision; NaN for the arm's own
            threshold.
        collision_torque_nm: Likewise.
        collision_joint_torque_nm: Likewise, of each joint, or one for all; empty for the arm's own.
        ignored_reflexes: Names of reflexes that are off.
        power_limit_w: Most mechanical power of all joints; infinite, since the maker gives none.
        noise: Of the sensors.
        seed: Of noise and model error.
        first_stamp_ns: Stamp of the first sample; None for CLOCK_MONOTONIC at the first read, which a paced loop
            needs.
    """

    start_rad: tuple[float, ...] = ()
    payload_kg: float = attrs.field(default=0.0, validator=number(0, 1000))
    payload_com_m: Vector = attrs.field(default=(0.0, 0.0, 0.0), validator=number())
    probe_radius_m: float = attrs.field(default=0.0, validator=number(0, 1))
    probe_at_m: Vector = attrs.field(default=(0.0, 0.0, 0.1034), validator=number())
    dry_friction_nm: tuple[float, ...] = attrs.field(default=(), validator=number(0))
    viscous_friction_nm_s_per_rad: tuple[float, ...] = attrs.field(default=(), validator=number(0))
    rotor_inertia_share: float = attrs.field(default=1.0, validator=number(0))
    floor: bool = True
    blocks: tuple[Block, ...] = ()
    model_error: float = attrs.field(default=0.0, validator=number(0, 1))
    gripper: str = ""
    in_hand_m: float = attrs.field(default=math.nan, validator=number(0, unknown=True))
    in_hand_n_per_m: float = attrs.field(default=20_000.0, validator=number(0))
    collision_force_n: float = attrs.field(
        default=math.nan, validator=number(0, above=True, unknown=True, infinite=True)
    )
    collision_torque_nm: float = attrs.field(
        default=math.nan, validator=number(0, above=True, unknown=True, infinite=True)
    )
    collision_joint_torque_nm: tuple[float, ...] = attrs.field(
        default=(), validator=number(0, above=True, infinite=True)
    )
    ignored_reflexes: tuple[str, ...] = ()
    power_limit_w: float = attrs.field(default=math.inf, validator=number(0, above=True, infinite=True))
    noise: Noise = Noise()
    seed: int = attrs.field(default=0, validator=whole(0, INT64 - 1))
    first_stamp_ns: int | None = attrs.field(default=None, validator=whole(-INT64 // 2, INT64 // 2))

    @property
    def carried_gripper(self) -> str:
        """Name of the gripper that it has; "" for none."""
        return self.gripper


@attrs.frozen(kw_only=True)
class MujocoFr3Config(MujocoArmConfig):
    """A Franka Research 3.

    Attributes:
        hand: Whether it carries the Franka Hand.
        fingers: Whether the hand's fingers are bodies that open, close and grasp what stands between them;
            otherwise they are closed, and only their width is known.
        limits_edition: "2025", "2026", or the strictest of all.
        inertials: The plant's inertias: "vendor" or "panda".
        own_inertials: Those of the arm's own model.
    """

    # Torque feedback is a scaling of the rotors' inertia. Source: Albu-Schaeffer, Ott, Hirzinger, A Unified
    # Passivity-based Control Framework for Flexible Joint Robots, 2007. How much it hides in the FR3 nobody says.
    rotor_inertia_share: float = attrs.field(default=0.2, validator=number(0))
    # A guess: what is left of the real arm's friction behind its torque loop.
    dry_friction_nm: tuple[float, ...] = attrs.field(default=(0.2,), validator=number(0))
    viscous_friction_nm_s_per_rad: tuple[float, ...] = attrs.field(default=(0.5,), validator=number(0))
    gripper: str = "franka_hand"
    hand: bool = True
    fingers: bool = False
    limits_edition: Literal["strictest", "2025", "2026"] = "strictest"
    inertials: Literal["vendor", "panda"] = "vendor"
    own_inertials: Literal["vendor", "panda"] = "vendor"

    @property
    def carried_gripper(self) -> str:
        """Name of the gripper that it has; "" without a hand."""
        return self.gripper if self.hand else ""


@attrs.frozen(kw_only=True)
class MujocoUrdfConfig(MujocoArmConfig):
    """Any serial arm.

    Attributes:
        urdf: Path of its URDF; a file of the same name that ends in ".toml" says what a URDF can't.
        flange: Name of the link that the arm ends in; "" as in `handloom_controllers.arms.load_arm`.
        torque_controlled: Whether it takes torques, else joint positions; None for what the file beside says.
    """

    urdf: Path
    flange: str = ""
    torque_controlled: bool | None = None
