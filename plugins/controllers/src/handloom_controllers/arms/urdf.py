"""Build an arm from a URDF and, beside it, a file with what a URDF can't say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.api import CollisionThresholds, JointLimits
from handloom.errors import HandloomError
from handloom.geometry import IDENTITY, pose
from handloom_controllers.arms.arm import Arm
from handloom_controllers.arms.chain import Chain
from handloom_controllers.arms.data_files import check_keys, number, numbers, read_toml, table_or_none, text, truth
from handloom_controllers.arms.links import Joint, Link
from handloom_controllers.arms.mjcf import mjcf
from handloom_controllers.arms.urdf_chain import Tree, way_to_flange
from handloom_controllers.arms.urdf_limits import limits_of
from handloom_controllers.arms.urdf_masses import check_masses
from handloom_controllers.arms.urdf_parts import TURNING, UrdfJoint, read_urdf

Float64Array = npt.NDArray[np.float64]


def urdf_arm(path: Path, *, flange: str = "", torque_controlled: bool | None = None) -> Arm:
    """Build an arm from a URDF; see `load_arm`.

    A file of the same name that ends in ".toml" says what a URDF can't: accelerations, home, friction.

    Raises:
        HandloomError: The URDF holds no serial arm, or leaves out what is needed.
    """
    name, links, joints = read_urdf(path)
    tree = Tree.of(path, links, joints)
    beside = path.with_suffix(".toml")
    more = read_toml(beside) if beside.is_file() else {}
    check_keys(more, beside)
    said = table_or_none(more, "arm", beside)
    way = way_to_flange(tree, flange or (text(said, "flange", beside) if "flange" in said else ""))
    turning = [joint for joint in way if joint.kind in TURNING]
    check_masses(tree, turning)
    limits = limits_of(path, turning, more, beside)
    T_flange_tcp = _tcp(said, beside)
    moving = _joints(turning, limits.joints)
    takes_torques = truth(said, "torque_controlled", beside, otherwise=True)
    if torque_controlled is not None:
        takes_torques = torque_controlled
    return Arm(
        name=name,
        mjcf=mjcf(name, list(_links(tree, moving, way, T_flange_tcp))),
        joints=limits.joints.names,
        limits=limits.joints,
        thresholds=_thresholds(more, beside, len(turning)),
        home=_home(said, beside, limits.joints),
        T_flange_tcp=T_flange_tcp,
        compensates_gravity=truth(said, "compensates_gravity", beside, otherwise=False),
        torque_controlled=takes_torques,
        chain=_chain(way),
        near_range=limits.near_range,
        cartesian=limits.cartesian,
        reflected_inertia=_drive(more, beside, "reflected_inertia", np.zeros(len(turning))),
        friction=_drive(more, beside, "friction", np.array([joint.friction for joint in turning])),
        damping=_drive(more, beside, "damping", np.array([joint.damping for joint in turning])),
        notes=tuple(_notes(tree, turning)),
    )


def _joints(turning: Sequence[UrdfJoint], limits: JointLimits) -> dict[str, Joint]:
    """Return them by the link that hangs on each."""
    return {
        joint.child: Joint(
            name=joint.name,
            kind="hinge",
            axis=_unit(joint),
            lower=float(limits.lower[place]),
            upper=float(limits.upper[place]),
        )
        for place, joint in enumerate(turning)
    }


def _links(
    tree: Tree, moving: dict[str, Joint], way: Sequence[UrdfJoint], T_flange_tcp: Float64Array
) -> Iterator[Link]:
    """Walk down the tree, parents first; what doesn't belong to the arm's joints is fixed where it hangs."""
    flange = way[-1].child
    waiting = [tree.root]
    while waiting:
        name = waiting.pop(0)
        joint = tree.above.get(name)
        yield Link(
            name=_body(tree, name),
            parent=_body(tree, joint.parent) if joint else "",
            T_parent_link=joint.T_parent_child if joint else IDENTITY,
            joint=moving.get(name),
            inertial=tree.links[name].inertial,
            shapes=tree.links[name].shapes,
            sites=(("flange", IDENTITY), ("tcp", T_flange_tcp)) if name == flange else (),
        )
        waiting += [each.child for each in tree.below[name]]


def _body(tree: Tree, link: str) -> str:
    """MuJoCo keeps the name `world` for what everything hangs on."""
    name = "world_link"
    while name in tree.links:
        name += "_"
    return name if link == "world" else link


def _chain(way: Sequence[UrdfJoint]) -> Chain:
    frames, axes = [], []
    T_here = IDENTITY
    for joint in way:
        T_here = pose.compose(T_here, joint.T_parent_child)
        if joint.kind in TURNING:
            frames.append(pose.to_matrix(T_here))
            axes.append(_unit(joint))
            T_here = IDENTITY
    return Chain(T_parent_joint=np.stack(frames), axes=np.stack(axes), T_last_flange=pose.to_matrix(T_here))


def _unit(joint: UrdfJoint) -> Float64Array:
    largest = float(np.abs(joint.axis).max())
    if largest == 0:
        raise HandloomError(f"Joint {joint.name}: its axis is 0 0 0; expected a direction.")
    axis = joint.axis / largest  # the squares of any length that can be written are no number
    return axis / float(np.linalg.norm(axis))


def _tcp(said: dict[str, Any], beside: Path) -> Float64Array:
    T_flange_tcp = numbers(said, "tcp", beside, count=7) if "tcp" in said else IDENTITY
    if abs(np.linalg.norm(T_flange_tcp[3:]) - 1) > 1e-6:
        raise HandloomError(
            f"{beside}: the quaternion x y z w of `tcp` is {T_flange_tcp[3:].tolist()}; expected one of length 1."
        )
    return T_flange_tcp


def _home(said: dict[str, Any], beside: Path, limits: JointLimits) -> Float64Array:
    if "home" in said:
        home = numbers(said, "home", beside, count=len(limits.names))
        outside = (home < limits.lower) | (home > limits.upper)
        if outside.any():
            joint = limits.names[int(np.argmax(outside))]
            raise HandloomError(f"{beside}: `home` is {home.tolist()}; {joint} is out of its range there.")
        return home
    ends = np.stack([limits.lower, limits.upper])
    return np.where(np.isfinite(ends).all(axis=0), np.where(np.isfinite(ends), ends, 0.0).mean(axis=0), 0.0)


def _thresholds(more: dict[str, Any], beside: Path, count: int) -> CollisionThresholds:
    said = table_or_none(more, "thresholds", beside)
    return CollisionThresholds(
        force_n=number(said, "force_n", beside, otherwise=np.inf, least=0.0),
        torque_nm=number(said, "torque_nm", beside, otherwise=np.inf, least=0.0),
        joint_torque_nm=numbers(said, "joint_torque_nm", beside, count=count, least=0.0, infinite=True)
        if "joint_torque_nm" in said
        else np.full(count, np.inf),
    )


def _drive(more: dict[str, Any], beside: Path, key: str, otherwise: Float64Array) -> Float64Array:
    said = table_or_none(more, "drive", beside)
    return numbers(said, key, beside, count=len(otherwise), least=0.0) if key in said else otherwise


def _notes(tree: Tree, turning: Sequence[UrdfJoint]) -> Iterator[str]:
    for link in tree.links.values():
        for mesh in link.meshes:
            yield (
                f"{tree.path}: link {link.name} collides as the mesh '{mesh}', which is left out; give it a box, "
                "a cylinder or a sphere."
            )
    for joint in tree.joints.values():
        if joint.kind != "fixed" and joint not in turning:
            yield f"{tree.path}: joint {joint.name} is not on the way to the flange; it is held at 0."
