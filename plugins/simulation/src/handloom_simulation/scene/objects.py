"""The things that lie on the table and can be grasped: shape, weight, colour and where they start."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

PLACE_SPREAD_M = 0.012
"""How far, in x and y, a thing may start from its usual place."""

YAW_SPREAD_RAD = 0.3
"""How far a thing may start turned about the vertical."""


@attrs.frozen(kw_only=True)
class Thing:
    """One object.

    Attributes:
        name: Of its body.
        shape: "box", "sphere" or "cylinder" (along z).
        size_m: Half sizes of a box; radius of a sphere; radius and half length of a cylinder.
        mass_kg: Its weight.
        colour: sRGB.
        place_m: Usual x and y of its centre on the table.
        softness_s: Time constant of its contacts; a sponge gives way longer than wood.
        firmness: MuJoCo's impedance at first touch and 1 mm deeper: how little a contact yields to a steady load.
        friction: Coefficient against the table.
    """

    name: str
    shape: Literal["box", "sphere", "cylinder"]
    size_m: tuple[float, ...]
    mass_kg: float
    colour: tuple[int, int, int]
    place_m: tuple[float, float]
    softness_s: float = 0.004
    firmness: tuple[float, float] = (0.95, 0.99)
    friction: float = 0.6

    @property
    def half_height_m(self) -> float:
        """Height of its centre when it stands on something, m."""
        return self.size_m[-1]


_ALL = (
    Thing(name="cube", shape="box", size_m=(0.02,) * 3, mass_kg=0.06, colour=(201, 58, 46), place_m=(0.0, -0.08)),
    Thing(
        name="cup",
        shape="cylinder",
        size_m=(0.03, 0.045),
        mass_kg=0.12,
        colour=(70, 110, 168),
        place_m=(0.30, 0.16),
    ),
    Thing(
        name="ball", shape="sphere", size_m=(0.028,), mass_kg=0.05, colour=(236, 140, 40), place_m=(0.16, -0.10)
    ),
    Thing(
        name="peg",
        shape="cylinder",
        size_m=(0.012, 0.04),
        mass_kg=0.04,
        colour=(60, 140, 90),
        place_m=(-0.32, -0.06),
    ),
    # A firm contact of MuJoCo lifts what slides on it in proportion to friction and speed; a sponge yields anyway.
    Thing(
        name="sponge",
        shape="box",
        size_m=(0.025, 0.04, 0.018),
        mass_kg=0.03,
        colour=(232, 205, 70),
        place_m=(0.40, -0.13),
        softness_s=0.012,
        firmness=(0.5, 0.5),
        friction=0.3,
    ),
    Thing(
        name="block_top",
        shape="box",
        size_m=(0.018,) * 3,
        mass_kg=0.05,
        colour=(110, 72, 150),
        place_m=(-0.16, -0.10),
    ),
    Thing(
        name="block_bottom",
        shape="box",
        size_m=(0.02,) * 3,
        mass_kg=0.07,
        colour=(205, 176, 130),
        place_m=(-0.16, 0.07),
    ),
)

THINGS: Mapping[str, Thing] = MappingProxyType({thing.name: thing for thing in _ALL})
"""Every object by the name of its body."""


def start_poses(rng: np.random.Generator) -> dict[str, FloatArray]:
    """Return T_world_object, (7,), of every object as it stands on the table, near its usual place."""
    poses = {}
    for name, thing in THINGS.items():
        x, y = np.asarray(thing.place_m) + rng.uniform(-PLACE_SPREAD_M, PLACE_SPREAD_M, 2)
        half_yaw = 0.5 * rng.uniform(-YAW_SPREAD_RAD, YAW_SPREAD_RAD)
        poses[name] = np.array([x, y, thing.half_height_m, 0.0, 0.0, np.sin(half_yaw), np.cos(half_yaw)])
    return poses
