"""Hold the inertias of a URDF against what a body can weigh."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handloom.errors import HandloomError
from handloom_controllers.arms.links import Inertial
from handloom_controllers.arms.urdf_chain import Tree
from handloom_controllers.arms.urdf_parts import UrdfJoint


def check_masses(tree: Tree, turning: Sequence[UrdfJoint]) -> None:
    """Check that every joint of the arm moves a mass that can be.

    Raises:
        HandloomError: A joint moves nothing that weighs, or an inertia belongs to no body.
    """
    for link in tree.links.values():
        problem = _problem(link.inertial)
        if problem:
            raise HandloomError(f"{tree.path}: link {link.name} has {problem}; correct its <inertial>.")
    moving = {joint.name for joint in turning}
    for joint in turning:
        if not _mass_behind(tree, joint.child, moving) > 0:
            raise HandloomError(
                f"{tree.path}: nothing that joint {joint.name} moves before the next joint weighs anything; give "
                f"the link {joint.child} an <inertial>."
            )


def _mass_behind(tree: Tree, link: str, moving: set[str]) -> float:
    inertial = tree.links[link].inertial
    fixed = [joint for joint in tree.below[link] if joint.name not in moving]
    return (inertial.mass if inertial else 0.0) + sum(_mass_behind(tree, each.child, moving) for each in fixed)


def _problem(inertial: Inertial | None) -> str:
    if inertial is None:
        return ""
    if inertial.mass < 0:
        return f"a mass of {inertial.mass:g} kg"
    moments = np.linalg.eigvalsh(inertial.inertia)
    if inertial.mass > 0 and moments[0] <= 0:
        return f"the principal moments {', '.join(f'{each:.3g}' for each in moments)}, which have to be above 0"
    if moments[2] > (moments[0] + moments[1]) * (1 + 1e-6):
        return (
            f"the principal moments {', '.join(f'{each:.3g}' for each in moments)}, of which no body's largest "
            "exceeds the sum of the others"
        )
    return ""
