"""The lab as MJCF: a heavy gripper that is led along a path, two fingers on slides, and things with contacts."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from handloom.geometry import quaternion
from handloom_simulation.gripper import FINGERS, MOUNTED, STROKE_M
from handloom_simulation.scene.fixtures import fixtures
from handloom_simulation.scene.objects import THINGS, Thing

FloatArray = npt.NDArray[np.float64]

TIMESTEP_S = 0.001

PAD_HALF_M = (0.004, 0.011, 0.018)
"""Half sizes of a finger pad along the gripper's x, y and z; its contact surface is at its finger's origin."""

_GRIPPER_KG = 50.0
"""So heavy that no contact moves it within a step; a hand would hold it."""

_FINGER_KG = 0.06
_STIFFNESS_N_PER_M = 2500.0
_DAMPING_N_S_PER_M = 24.0
"""The trigger's linkage: 4 mm of squeeze beyond a thing's surface presses with 10 N; critically damped."""

_PAD_FRICTION = "1.5 0.02 0.0005"
_TURNING_FRICTION = "0.005 0.0002"


def numbers(values: npt.ArrayLike) -> str:
    """Return numbers as an attribute of MJCF, exact to the last bit."""
    return " ".join(repr(float(value)) for value in np.ravel(np.asarray(values)))


def quaternion_w_first(pose: npt.ArrayLike) -> FloatArray:
    """Return the quaternion of a pose in MuJoCo's order, w x y z."""
    return np.roll(np.asarray(pose, dtype=np.float64)[..., 3:], 1, axis=-1)


def lab_mjcf(start: Mapping[str, FloatArray], free: frozenset[str]) -> str:
    """Return the lab as MJCF text.

    Args:
        start: T_world_object, (7,), of every object.
        free: Those that may move; the others stand still, which costs nothing.
    """
    # Angles in radians: MJCF's own unit is the degree.
    root = ElementTree.Element("mujoco", model="lab")
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="true")
    ElementTree.SubElement(
        root, "option", timestep=repr(TIMESTEP_S), integrator="implicitfast", cone="elliptic", impratio="20"
    )
    world = ElementTree.SubElement(root, "worldbody")
    for block in fixtures():
        ElementTree.SubElement(
            world,
            "geom",
            name=block.name,
            type="box",
            size=numbers(block.half_m),
            pos=numbers(block.centre_m),
            condim="4",
            priority="-1",  # what lies on it says how it slides
        )
    for name in sorted(THINGS):
        _thing(world, THINGS[name], start[name], free=name in free)
    _gripper(world)
    _linkage(root)
    return ElementTree.tostring(root, encoding="unicode")


def _thing(world: ElementTree.Element, thing: Thing, T_world_thing: FloatArray, *, free: bool) -> None:
    body = ElementTree.SubElement(
        world,
        "body",
        name=thing.name,
        pos=numbers(T_world_thing[:3]),
        quat=numbers(quaternion_w_first(T_world_thing)),
    )
    if free:
        ElementTree.SubElement(body, "freejoint", name=thing.name)
    ElementTree.SubElement(
        body,
        "geom",
        name=thing.name,
        type=thing.shape,
        size=numbers(thing.size_m),
        mass=repr(thing.mass_kg),
        condim="6" if thing.shape == "sphere" else "4",
        friction=f"{thing.friction!r} {_TURNING_FRICTION}",
        solref=f"{thing.softness_s!r} 1",
        solimp=f"{numbers(thing.firmness)} 0.001",
    )


def _gripper(world: ElementTree.Element) -> None:
    gripper = ElementTree.SubElement(world, "body", name="gripper", gravcomp="1")
    ElementTree.SubElement(gripper, "freejoint", name="gripper")
    ElementTree.SubElement(
        gripper, "inertial", pos="0 0 0", mass=repr(_GRIPPER_KG), diaginertia=numbers([_GRIPPER_KG] * 3)
    )
    for name, side in zip(FINGERS, (-1.0, 1.0), strict=True):
        finger = ElementTree.SubElement(gripper, "body", name=name, pos=numbers(MOUNTED["tcp"][:3]), gravcomp="1")
        ElementTree.SubElement(
            finger, "joint", name=name, type="slide", axis=numbers([side, 0.0, 0.0]), range=f"0 {0.5 * STROKE_M!r}"
        )
        ElementTree.SubElement(
            finger,
            "geom",
            name=name,
            type="box",
            size=numbers(PAD_HALF_M),
            condim="4",
            pos=numbers([side * PAD_HALF_M[0], 0.0, 0.0]),
            mass=repr(_FINGER_KG),
            friction=_PAD_FRICTION,
            priority="1",
            solref="0.004 1",
            solimp="0.95 0.99 0.001",
        )


def _linkage(root: ElementTree.Element) -> None:
    """Couple the fingers to one another and to the trigger, whose control is the half opening in metres."""
    equality = ElementTree.SubElement(root, "equality")
    left, right = FINGERS
    ElementTree.SubElement(
        equality,
        "joint",
        joint1=left,
        joint2=right,
        polycoef="0 1 0 0 0",
        solref="0.002 1",
        solimp="0.99 0.999 0.0001",
    )
    actuator = ElementTree.SubElement(root, "actuator")
    for name in FINGERS:
        ElementTree.SubElement(
            actuator,
            "position",
            name=name,
            joint=name,
            kp=repr(_STIFFNESS_N_PER_M),
            kv=repr(_DAMPING_N_S_PER_M),
        )


def pose_from_mujoco(qpos: FloatArray) -> FloatArray:
    """Return (..., 7) poses x y z and quaternion x y z w of free joints' qpos (..., 7), w first."""
    quaternions = quaternion.normalize(np.roll(qpos[..., 3:], -1, axis=-1))
    return np.concatenate([qpos[..., :3], quaternions], axis=-1)
