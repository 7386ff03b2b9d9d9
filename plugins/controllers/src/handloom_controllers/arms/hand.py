"""A parallel hand at the flange: one body, with fingers that slide or, without, closed ones for collisions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.geometry import IDENTITY, pose, quaternion
from handloom_controllers.arms.links import Inertial, Joint, Link, Shape
from handloom_controllers.arms.shapes import shapes_of

Float64Array = npt.NDArray[np.float64]

_AHEAD = np.array([0.0, 1.0, 0.0])
_HALF_TURN = np.array([0.0, 0.0, 1.0, 0.0])
_STRAIGHT = np.array([0.0, 0.0, 0.0, 1.0])


def finger_joints() -> tuple[str, str]:
    """Return the names of the two joints; each moves by half the width."""
    return "finger_joint1", "finger_joint2"


def T_flange_tcp_of(tool: dict[str, Any] | None) -> Float64Array:
    """Return the point between the fingertips (7,); the flange itself without a hand."""
    if tool is None:
        return IDENTITY
    return np.asarray(pose.compose(_T_flange_hand(tool), np.array([0.0, 0.0, tool["tcp_z"], *_STRAIGHT])))


def hand_links(
    tool: dict[str, Any], shapes: dict[str, Any], parent: str, T_parent_flange: Float64Array, *, fingers: bool
) -> list[Link]:
    """Return the hand, which weighs the same with fingers that move and without."""
    mass = float(tool["mass"]) - (2 * float(tool["finger_mass"]) if fingers else 0.0)
    hand = Link(
        name="hand",
        parent=parent,
        T_parent_link=pose.compose(T_parent_flange, _T_flange_hand(tool)),
        inertial=Inertial.of(mass, tool["com"], tool["inertia"]),
        shapes=shapes_of([*shapes["hand"], *([] if fingers else shapes["closed_fingers"])]),
    )
    if not fingers:
        return [hand]
    solid = shapes_of(shapes["finger"])
    turns = (_STRAIGHT, _HALF_TURN)
    return [hand, *(_finger(tool, solid, place, turn) for place, turn in enumerate(turns))]


def _finger(tool: dict[str, Any], solid: tuple[Shape, ...], place: int, turn: Float64Array) -> Link:
    return Link(
        name=f"finger{place + 1}",
        parent="hand",
        T_parent_link=np.array([0.0, 0.0, tool["finger_z"], *turn]),
        joint=Joint(
            name=finger_joints()[place], kind="slide", axis=_AHEAD, lower=0.0, upper=float(tool["finger_travel"])
        ),
        inertial=Inertial.of(tool["finger_mass"], [0.0, 0.0, 0.0], tool["finger_inertia"]),
        shapes=solid,
    )


def _T_flange_hand(tool: dict[str, Any]) -> Float64Array:
    return np.concatenate([np.zeros(3), quaternion.from_rotvec([0.0, 0.0, tool["turn_about_z"]])])
