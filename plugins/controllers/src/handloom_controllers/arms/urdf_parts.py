"""Read the links and joints of a URDF, whatever they are joined to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import HandloomError
from handloom.geometry import IDENTITY, quaternion
from handloom_controllers.arms.links import Inertial, Shape

Float64Array = npt.NDArray[np.float64]

TURNING = ("revolute", "continuous")

_KINDS: Mapping[str, Literal["sphere", "capsule", "cylinder", "box"]] = {
    "box": "box",
    "capsule": "capsule",
    "cylinder": "cylinder",
    "sphere": "sphere",
}


@attrs.frozen(kw_only=True, eq=False)
class UrdfJoint:
    """A joint as it is written; NaN where a limit is left out.

    Attributes:
        name: Of the joint.
        kind: "revolute", "continuous", "prismatic", "fixed", or what else stands there.
        parent: Name of a link.
        child: Name of a link.
        T_parent_child: (7,) with the joint at 0.
        axis: (3,) in the child; of any length.
        lower: rad.
        upper: rad.
        velocity: rad/s.
        effort: Nm.
        mimics: Name of the joint that it moves with; "" for none.
        friction: Nm.
        damping: Nm s/rad.
    """

    name: str
    kind: str
    parent: str
    child: str
    T_parent_child: Float64Array
    axis: Float64Array
    lower: float
    upper: float
    velocity: float
    effort: float
    mimics: str
    friction: float
    damping: float


@attrs.frozen(kw_only=True, eq=False)
class UrdfLink:
    """A link as it is written.

    Attributes:
        name: Of the link.
        inertial: None where it has none.
        shapes: The collision shapes that are simple.
        meshes: Files of those that aren't.
    """

    name: str
    inertial: Inertial | None
    shapes: tuple[Shape, ...]
    meshes: tuple[str, ...]


def read_urdf(path: Path) -> tuple[str, dict[str, UrdfLink], dict[str, UrdfJoint]]:
    """Return the robot's name, its links and its joints, by name.

    Raises:
        HandloomError: The file can't be read, is no URDF, or a number in it is none.
    """
    try:
        text = path.read_text(encoding="utf-8")
        root = ElementTree.fromstring(text.lstrip())
    except OSError as error:
        raise HandloomError(f"{path} can't be read: {error.strerror or error}.") from error
    except (ElementTree.ParseError, UnicodeDecodeError) as error:
        raise HandloomError(f"{path} is no XML: {error}.") from error
    if path.suffix == ".xacro" or "http://www.ros.org/wiki/xacro" in text:
        raise HandloomError(f"{path} is a xacro file; expand it first: xacro {path.name} > {path.stem}.urdf.")
    if root.tag != "robot":
        raise HandloomError(f"{path} is no URDF: its root is <{root.tag}>; expected <robot>.")
    links = [_link(element, path) for element in root.findall("link")]
    joints = [_joint(element, path) for element in root.findall("joint")]
    _check_names(path, [each.name for each in links], [each.name for each in joints])
    return root.get("name", path.stem), {each.name: each for each in links}, {each.name: each for each in joints}


def _check_names(path: Path, links: list[str], joints: list[str]) -> None:
    for what, names in (("link", links), ("joint", joints)):
        if "" in names:
            raise HandloomError(f"{path}: {what} {names.index('') + 1} of {len(names)} has no name; give it one.")
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise HandloomError(f"{path}: two {what}s are named '{twice[0]}'; give each a name of its own.")


def _link(element: ElementTree.Element, path: Path) -> UrdfLink:
    name = element.get("name", "")
    solids = [_solid(each, f"{path}: link {name}") for each in element.findall("collision")]
    return UrdfLink(
        name=name,
        inertial=_inertial(element.find("inertial"), f"{path}: link {name}"),
        shapes=tuple(each for each in solids if isinstance(each, Shape)),
        meshes=tuple(each for each in solids if isinstance(each, str)),
    )


def _inertial(element: ElementTree.Element | None, where: str) -> Inertial | None:
    if element is None:
        return None
    T_link_inertial = _origin(element, where)
    rotation = quaternion.to_matrix(T_link_inertial[3:])
    mass, moments = element.find("mass"), element.find("inertia")
    if mass is None or moments is None:
        raise HandloomError(
            f"{where}: <inertial> needs <mass> with its value in kg and <inertia> with ixx iyy izz ixy ixz iyz."
        )
    diagonal = [_number(moments, key, where) for key in ("ixx", "iyy", "izz")]
    products = [_number(moments, key, where, default=0.0) for key in ("ixy", "ixz", "iyz")]
    tensor = Inertial.of(0.0, np.zeros(3), [*diagonal, *products]).inertia
    return Inertial(
        mass=_number(mass, "value", where), com=T_link_inertial[:3], inertia=rotation @ tensor @ rotation.T
    )


def _solid(element: ElementTree.Element, where: str) -> Shape | str:
    """Return a shape, or the file of a mesh."""
    geometry = element.find("geometry")
    solid = None if geometry is None else next(iter(geometry), None)
    if solid is None:
        raise HandloomError(f"{where}: <collision> has no <geometry>; give it a box, a cylinder or a sphere.")
    if solid.tag == "mesh":
        return solid.get("filename", "")
    if solid.tag not in _KINDS:
        raise HandloomError(f"{where}: <{solid.tag}> is no shape; expected box, cylinder, sphere or mesh.")
    return Shape(kind=_KINDS[solid.tag], size=_size(solid, where), T_link_shape=_origin(element, where))


def _size(solid: ElementTree.Element, where: str) -> tuple[float, ...]:
    """MuJoCo takes halves where a URDF gives the whole."""
    if solid.tag == "box":
        size: tuple[float, ...] = tuple(float(edge) / 2 for edge in _numbers(solid, "size", where))
    elif solid.tag == "sphere":
        size = (_number(solid, "radius", where),)
    else:
        size = (_number(solid, "radius", where), _number(solid, "length", where) / 2)
    if not all(each > 0 for each in size):
        raise HandloomError(
            f"{where}: its <{solid.tag}> measures {_written(solid)}; expected more than 0 each way."
        )
    return size


def _written(solid: ElementTree.Element) -> str:
    return ", ".join(f'{key}="{value}"' for key, value in solid.items())


def _joint(element: ElementTree.Element, path: Path) -> UrdfJoint:
    name = element.get("name", "")
    where = f"{path}: joint {name}"
    limit, mimic, dynamics = (element.find(tag) for tag in ("limit", "mimic", "dynamics"))
    axis = element.find("axis")
    losses = {key: _number(dynamics, key, where, default=0.0) for key in ("friction", "damping")}
    for key, value in losses.items():
        if value < 0:
            raise HandloomError(f"{where}: its <dynamics> says `{key}` {value:g}; expected 0 or more.")
    return UrdfJoint(
        name=name,
        kind=element.get("type", ""),
        parent=_named(element.find("parent"), "link", where),
        child=_named(element.find("child"), "link", where),
        T_parent_child=_origin(element, where),
        axis=np.array([1.0, 0.0, 0.0]) if axis is None else _numbers(axis, "xyz", where),
        lower=_number(limit, "lower", where, default=math.nan),
        upper=_number(limit, "upper", where, default=math.nan),
        velocity=_number(limit, "velocity", where, default=math.nan),
        effort=_number(limit, "effort", where, default=math.nan),
        mimics="" if mimic is None else _named(mimic, "joint", where),
        **losses,
    )


def _named(element: ElementTree.Element | None, key: str, where: str) -> str:
    found = "" if element is None else element.get(key, "")
    if not found:
        raise HandloomError(f"{where}: it names no {key} where it should.")
    return found


def _origin(element: ElementTree.Element, where: str) -> Float64Array:
    origin = element.find("origin")
    if origin is None:
        return IDENTITY
    xyz, (roll, pitch, yaw) = (_numbers(origin, key, where, default="0 0 0") for key in ("xyz", "rpy"))
    x, y, z = np.eye(3)
    # About the parent's own axes, roll first; from the left in that order.
    turned = quaternion.multiply(quaternion.from_rotvec(pitch * y), quaternion.from_rotvec(roll * x))
    return np.concatenate([xyz, quaternion.multiply(quaternion.from_rotvec(yaw * z), turned)])


def _number(element: ElementTree.Element | None, key: str, where: str, default: float | None = None) -> float:
    text = None if element is None else element.get(key)
    if text is None and default is not None:
        return default
    try:
        number = float(text or "")
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise HandloomError(f"{where}: `{key}` is {text!r}; expected a number.")
    return number


def _numbers(element: ElementTree.Element, key: str, where: str, default: str | None = None) -> Float64Array:
    text = element.get(key, default) or ""
    try:
        numbers = np.array([float(each) for each in text.split()])
    except ValueError:
        numbers = np.array([np.nan])
    if numbers.shape != (3,) or not np.isfinite(numbers).all():
        raise HandloomError(f"{where}: `{key}` is {text!r}; expected three numbers.")
    return numbers
