"""The arm as a URDF, as the Franka Control Interface hands it out for its client's model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from handloom.errors import HandloomError
from handloom.geometry import quaternion

if TYPE_CHECKING:
    from handloom_controllers.arms import Arm

_LAST = "link8"
"""The flange's name, by which libfranka looks for it."""


def urdf_of(arm: Arm) -> str:
    """Return a URDF of the arm without its hand, with the elements that libfranka asks for.

    Raises:
        HandloomError: The arm has no velocity limits near the end of its range.
    """
    if arm.near_range is None:
        raise HandloomError(f"The arm {arm.name} has no velocity limits near the end of its range to hand out.")
    root = ElementTree.Element("robot", name=arm.name)
    bodies = list(_arm_bodies(ElementTree.fromstring(arm.mjcf)))
    for body in bodies:
        _add_link(root, body)
    ElementTree.SubElement(root, "link", name=_LAST)
    for place, (parent, child) in enumerate(pairwise(bodies)):
        _add_joint(root, arm, place, parent, child)
    flange = next(site for site in bodies[-1].iter("site") if site.get("name") == "flange")
    fixed = ElementTree.SubElement(root, "joint", name="joint8", type="fixed")
    _connect(fixed, bodies[-1].get("name", ""), _LAST, flange)
    return ElementTree.tostring(root, encoding="unicode")


def _arm_bodies(root: ElementTree.Element) -> Iterator[ElementTree.Element]:
    """From the base on, as far as there are hinges."""
    body = root.find("worldbody/body")
    while body is not None:
        yield body
        body = next(
            (child for child in body.findall("body") if child.find("joint[@type='hinge']") is not None), None
        )


def _add_link(root: ElementTree.Element, body: ElementTree.Element) -> None:
    link = ElementTree.SubElement(root, "link", name=body.get("name", ""))
    found = body.find("inertial")
    if found is None:
        return
    inertial = ElementTree.SubElement(link, "inertial")
    ElementTree.SubElement(inertial, "origin", xyz=found.get("pos", "0 0 0"), rpy="0 0 0")
    ElementTree.SubElement(inertial, "mass", value=found.get("mass", "0"))
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    moments = dict(zip(names, found.get("fullinertia", "").split(), strict=True))
    ElementTree.SubElement(inertial, "inertia", moments)


def _add_joint(
    root: ElementTree.Element, arm: Arm, place: int, parent: ElementTree.Element, child: ElementTree.Element
) -> None:
    limits, near = arm.limits, arm.near_range
    assert near is not None
    joint = ElementTree.SubElement(root, "joint", name=f"joint{place + 1}", type="revolute")
    _connect(joint, parent.get("name", ""), child.get("name", ""), child)
    ElementTree.SubElement(joint, "axis", xyz="0 0 1")
    ElementTree.SubElement(
        joint,
        "limit",
        lower=repr(float(limits.lower[place])),
        upper=repr(float(limits.upper[place])),
        velocity=repr(float(limits.velocity[place])),
        effort=repr(float(limits.torque[place])),
    )
    ElementTree.SubElement(
        joint,
        "position_based_velocity_limits",
        velocity_offset=repr(float(near.offset[place])),
        deceleration_limit=repr(float(near.deceleration[place])),
    )


def _connect(joint: ElementTree.Element, parent: str, child: str, at: ElementTree.Element) -> None:
    ElementTree.SubElement(joint, "parent", link=parent)
    ElementTree.SubElement(joint, "child", link=child)
    w, x, y, z = (float(part) for part in at.get("quat", "1 0 0 0").split())
    rpy = _roll_pitch_yaw(quaternion.to_matrix([x, y, z, w]))
    ElementTree.SubElement(joint, "origin", xyz=at.get("pos", "0 0 0"), rpy=_numbers(rpy))


def _roll_pitch_yaw(rotation: npt.NDArray[np.float64]) -> tuple[float, float, float]:
    """Source: URDF, fixed-axis angles: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    roll = np.arctan2(rotation[2, 1], rotation[2, 2])
    pitch = np.arctan2(-rotation[2, 0], np.hypot(rotation[0, 0], rotation[1, 0]))
    return float(roll), float(pitch), float(np.arctan2(rotation[1, 0], rotation[0, 0]))


def _numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
