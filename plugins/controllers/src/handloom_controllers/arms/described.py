"""Build an arm from the data files that are shipped with this package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import CollisionThresholds, JointLimits
from handloom.errors import HandloomError, did_you_mean
from handloom.geometry import pose, quaternion
from handloom_controllers.arms.arm import Arm
from handloom_controllers.arms.chain import Chain, craig
from handloom_controllers.arms.data_files import data_folder, numbers, read_toml, shipped, table, text
from handloom_controllers.arms.hand import T_flange_tcp_of, finger_joints, hand_links
from handloom_controllers.arms.limits import load_limits
from handloom_controllers.arms.links import Inertial, Joint, Link
from handloom_controllers.arms.mjcf import mjcf
from handloom_controllers.arms.shapes import shapes_of

Float64Array = npt.NDArray[np.float64]

_TURN = np.array([0.0, 0.0, 1.0])


def described_arm(name: str, *, limits_edition: str, hand: bool, fingers: bool, inertials: str) -> Arm:
    """Build an arm of the files `NAME*.toml`; see `load_arm`.

    Raises:
        HandloomError: There is no such arm, edition of its limits, or set of inertias.
    """
    path = shipped(f"{name}.toml")
    content = read_toml(path)
    limits = load_limits(name, edition=limits_edition)
    rows = [_row(row) for row in content["kinematics"]["joints"]]
    flange = _row(content["kinematics"]["flange"])
    tool = table(content, "hand", path) if hand else None
    fingers = fingers and hand
    links = _links(content, name, inertials, rows, flange, limits.joints, tool, fingers=fingers)
    return Arm(
        name=name,
        mjcf=mjcf(
            name, links, coupled=[finger_joints()] if fingers else (), apart=_apart(content, fingers=fingers)
        ),
        joints=limits.joints.names,
        limits=limits.joints,
        thresholds=_thresholds(table(content, "thresholds", path), path, len(rows)),
        home=numbers(content, "home", path, count=len(rows)),
        T_flange_tcp=T_flange_tcp_of(tool),
        compensates_gravity=bool(content["compensates_gravity"]),
        torque_controlled=bool(content["torque_controlled"]),
        chain=Chain.from_dh(rows, flange),
        near_range=limits.near_range,
        cartesian=limits.cartesian,
        reflected_inertia=numbers(table(content, "drive", path), "reflected_inertia", path, count=len(rows)),
        width_m=2 * float(tool["finger_travel"]) if tool else float("nan"),
        fingers=finger_joints() if fingers else (),
    )


def inertials_of(name: str) -> tuple[str, ...]:
    """Return the names of the sets of inertias of an arm that is shipped."""
    prefix = f"{name}_inertials_"
    return tuple(sorted(path.stem.removeprefix(prefix) for path in data_folder().glob(f"{prefix}*.toml")))


def _links(
    content: dict[str, Any],
    name: str,
    inertials: str,
    rows: Sequence[tuple[float, float, float]],
    flange: tuple[float, float, float],
    limits: JointLimits,
    tool: dict[str, Any] | None,
    *,
    fingers: bool,
) -> list[Link]:
    masses = _inertials(name, inertials or str(content["inertials"]))
    links = list(_arm_links(content["shapes"], masses, rows, limits))
    T_last_flange = _pose(craig(*flange))
    tcp = pose.compose(T_last_flange, T_flange_tcp_of(tool))
    links[-1] = attrs.evolve(links[-1], sites=(("flange", T_last_flange), ("tcp", tcp)))
    if tool:
        links += hand_links(tool, content["shapes"], links[-1].name, T_last_flange, fingers=fingers)
    return links


def _arm_links(
    shapes: dict[str, Any],
    masses: dict[str, Inertial],
    rows: Sequence[tuple[float, float, float]],
    limits: JointLimits,
) -> Iterator[Link]:
    yield Link(
        name="link0",
        parent="",
        T_parent_link=np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        inertial=masses["link0"],
        shapes=shapes_of(shapes["link0"]),
    )
    for place, row in enumerate(rows):
        name = f"link{place + 1}"
        yield Link(
            name=name,
            parent=f"link{place}",
            T_parent_link=_pose(craig(*row)),
            joint=Joint(
                name=limits.names[place],
                kind="hinge",
                axis=_TURN,
                lower=float(limits.lower[place]),
                upper=float(limits.upper[place]),
            ),
            inertial=masses[name],
            shapes=shapes_of(shapes[name]),
        )


def _inertials(name: str, which: str) -> dict[str, Inertial]:
    if which not in inertials_of(name):
        raise HandloomError(f"The arm {name} has no inertias '{which}'{did_you_mean(which, inertials_of(name))}")
    path = shipped(f"{name}_inertials_{which}.toml")
    content = read_toml(path)
    for key in ("source", "edition"):  # nobody can tell two sets apart that say neither
        text(content, key, path)
    return {
        link: Inertial.of(
            found["mass"], numbers(found, "com", path, count=3), numbers(found, "inertia", path, count=6)
        )
        for link, found in table(content, "links", path).items()
    }


def _thresholds(content: dict[str, Any], path: Path, count: int) -> CollisionThresholds:
    return CollisionThresholds(
        force_n=float(content["force_n"]),
        torque_nm=float(content["torque_nm"]),
        joint_torque_nm=numbers(content, "joint_torque_nm", path, count=count),
    )


def _apart(content: dict[str, Any], *, fingers: bool) -> list[tuple[str, str]]:
    """A closed hand's fingers meet by their joints' stops, not by a contact."""
    pairs = [(str(first), str(second)) for first, second in content.get("never_touching", ())]
    return [*pairs, ("finger1", "finger2")] if fingers else pairs


def _row(row: dict[str, Any]) -> tuple[float, float, float]:
    return float(row["a"]), float(row["d"]), float(row["alpha"])


def _pose(T_a_b: Float64Array) -> Float64Array:
    return np.concatenate([T_a_b[:3, 3], quaternion.from_matrix(T_a_b[:3, :3])])
