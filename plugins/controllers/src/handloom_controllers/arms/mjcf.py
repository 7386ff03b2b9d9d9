"""Write the links of an arm as a MuJoCo model: no actuators, no friction, no world around it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from handloom_controllers.arms.links import Inertial, Joint, Link, Shape


def mjcf(
    name: str,
    links: Sequence[Link],
    *,
    coupled: Iterable[tuple[str, str]] = (),
    apart: Iterable[tuple[str, str]] = (),
) -> str:
    """Return the model as XML.

    Angles are radians: MuJoCo's own default is degrees, also for a joint's range, and would clamp every joint at a
    sixtieth of it.

    Args:
        name: Of the model.
        links: Parents before children.
        coupled: Pairs of joints that move alike.
        apart: Pairs of links that never count as touching, beside each link and its parent.
    """
    root = ElementTree.Element("mujoco", model=name)
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false")
    bodies = {"": ElementTree.SubElement(root, "worldbody")}
    for link in links:
        bodies[link.name] = _body(bodies[link.parent], link)
    contact = ElementTree.SubElement(root, "contact")
    neighbours = [(link.parent, link.name) for link in links if link.parent]
    for first, second in sorted({*neighbours, *apart}):
        ElementTree.SubElement(contact, "exclude", body1=first, body2=second)
    equality = ElementTree.SubElement(root, "equality")
    for first, second in coupled:
        ElementTree.SubElement(equality, "joint", joint1=second, joint2=first)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _body(parent: ElementTree.Element, link: Link) -> ElementTree.Element:
    body = ElementTree.SubElement(parent, "body", {"name": link.name, **_placed(link.T_parent_link)})
    if link.joint:
        _add_joint(body, link.joint)
    if link.inertial:
        _add_inertial(body, link.inertial)
    for place, shape in enumerate(link.shapes):
        _add_shape(body, f"{link.name}_{place}", shape)
    for name, T_link_site in link.sites:
        ElementTree.SubElement(body, "site", {"name": name, "size": "0.005", **_placed(T_link_site)})
    return body


def _add_joint(body: ElementTree.Element, joint: Joint) -> None:
    element = ElementTree.SubElement(body, "joint", name=joint.name, type=joint.kind, axis=_numbers(joint.axis))
    if math.isfinite(joint.lower) and math.isfinite(joint.upper):
        element.set("range", _numbers([joint.lower, joint.upper]))


def _add_inertial(body: ElementTree.Element, inertial: Inertial) -> None:
    tensor = inertial.inertia
    moments = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]
    ElementTree.SubElement(
        body, "inertial", mass=repr(inertial.mass), pos=_numbers(inertial.com), fullinertia=_numbers(moments)
    )


def _add_shape(body: ElementTree.Element, name: str, shape: Shape) -> None:
    element = ElementTree.SubElement(body, "geom", {"name": name, **_placed(shape.T_link_shape)})
    element.set("type", shape.kind)
    element.set("size", _numbers(shape.size))


def _placed(T_parent_child: npt.NDArray[np.float64]) -> dict[str, str]:
    x, y, z, qx, qy, qz, qw = T_parent_child
    return {"pos": _numbers([x, y, z]), "quat": _numbers([qw, qx, qy, qz])}


def _numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
