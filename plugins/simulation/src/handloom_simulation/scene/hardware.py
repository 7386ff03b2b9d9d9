"""What the handheld gripper looks like: housing, bracket, cables, camera, and two fingers that carry tags."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom_simulation.gripper import (
    CLOSED_TAG_SEPARATION_M,
    FINGER_TAG_Y_M,
    FINGER_TAG_Z_M,
    FINGERS,
    MOUNTED,
)
from handloom_simulation.pictures import finger_tag, marker_polyhedron
from handloom_simulation.scene.mjcf import PAD_HALF_M
from handloom_simulation.scene.placing import at, between
from handloom_simulation.scene.shapes import Colour, box, capsule
from handloom_simulation.world import Face, Solid

FloatArray = npt.NDArray[np.float64]

_PRINT: Colour = (62, 68, 78)
_FINGER: Colour = (206, 208, 204)
_PAD: Colour = (52, 84, 150)
_WING: Colour = (84, 92, 104)
_METAL: Colour = (150, 154, 160)
_CABLE: Colour = (28, 28, 30)
_BOARD: Colour = (36, 110, 72)

T_GRIPPER_POLYHEDRON = at(0.0, -0.12, -0.055)
"""Centre of the marker polyhedron, on a rod above the camera; its frame has the gripper's axes."""


def gripper_solids() -> tuple[Solid, ...]:
    """Return the parts fixed to the gripper, in its frame, the camera's."""
    boxes = (
        ("housing", (0.0, 0.090, 0.038), (0.100, 0.025, 0.034), _PRINT),
        ("rail", (0.0, 0.071, 0.0755), (0.084, 0.004, 0.003), _METAL),
        ("board", (0.035, 0.0645, 0.040), (0.032, 0.002, 0.022), _BOARD),
        ("cover", (-0.042, 0.062, 0.034), (0.026, 0.004, 0.024), _PRINT),
        ("bracket_left", (-0.072, 0.045, -0.004), (0.006, 0.045, 0.010), _PRINT),
        ("bracket_right", (0.072, 0.045, -0.004), (0.006, 0.045, 0.010), _PRINT),
        ("wing_left", (-0.118, 0.046, 0.048), (0.022, 0.042, 0.003), _WING),
        ("wing_right", (0.118, 0.046, 0.048), (0.022, 0.042, 0.003), _WING),
        ("bridge", (0.0, 0.012, -0.028), (0.075, 0.008, 0.008), _PRINT),
        ("camera", (0.0, 0.0, -0.034), (0.034, 0.026, 0.014), _CABLE),
        ("grip", (0.0, 0.175, -0.005), (0.017, 0.062, 0.022), _PRINT),
    )
    solids = [box("gripper", name, centre, half, colour) for name, centre, half, colour in boxes]
    cables = (
        ((-0.078, 0.030, 0.002), (-0.088, 0.066, 0.056)),
        ((-0.088, 0.066, 0.056), (-0.060, 0.070, 0.080)),
        ((0.080, 0.030, 0.000), (0.092, 0.070, 0.040)),
        ((0.020, 0.060, 0.030), (0.070, 0.052, 0.012)),
    )
    solids += [
        capsule("gripper", f"cable_{index}", start, end, 0.0028, _CABLE)
        for index, (start, end) in enumerate(cables)
    ]
    return tuple(solids)


def finger_solids(finger: str) -> tuple[Solid, ...]:
    """Return a finger's parts in its frame, whose origin is the middle of the pad's contact surface."""
    side = _side(finger)
    x, y, z = _tag_place(finger)
    beam, half_length = between(
        (x - side * 0.004, y + 0.020, z + 0.016),
        (side * (2.0 * PAD_HALF_M[0] + 0.004), 0.0, 0.006),
        side=(1.0, 0.0, 0.0),
    )
    return (
        box(finger, "plate", (x, y, z + 0.0025), (0.0125, 0.0125, 0.002), _FINGER),
        box(finger, "carriage", (x, y + 0.020, z + 0.012), (0.0125, 0.010, 0.0075), _PRINT),
        Solid(
            name=f"{finger}/beam",
            body=finger,
            T_body_solid=beam,
            shape="box",
            size_m=(0.004, 0.009, half_length),
            colour=_FINGER,
        ),
        box(finger, "pad", (side * PAD_HALF_M[0], 0.0, 0.0), PAD_HALF_M, _PAD),
    )


def finger_tag_face(finger: str) -> Face:
    """Return a finger's tag: id 0 left, 1 right, facing the camera."""
    return finger_tag(FINGERS.index(finger), at(*_tag_place(finger)), body=finger)


def polyhedron_parts(whose: str) -> tuple[tuple[Face, ...], tuple[Solid, ...]]:
    """Return the marker polyhedron of the "left" or "right" hand, and the rod it stands on."""
    faces = marker_polyhedron(
        "gripper", first_tag=16 if whose == "right" else 0, T_body_polyhedron=T_GRIPPER_POLYHEDRON
    )
    x, y, z = T_GRIPPER_POLYHEDRON[:3]
    return faces, (capsule("gripper", "rod", (x, y + 0.04, z), (0.0, 0.0, -0.045), 0.004, _CABLE),)


def _side(finger: str) -> float:
    return -1.0 if finger == FINGERS[0] else 1.0


def _tag_place(finger: str) -> tuple[float, float, float]:
    """Return the centre of a finger's tag in its frame; the tags move with the pads."""
    tag = np.array([_side(finger) * 0.5 * CLOSED_TAG_SEPARATION_M, FINGER_TAG_Y_M, FINGER_TAG_Z_M])
    x, y, z = (tag - MOUNTED["tcp"][:3]).tolist()
    return x, y, z
