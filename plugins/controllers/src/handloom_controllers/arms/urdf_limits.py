"""The limits of an arm from its URDF, and from the file beside it where that says more."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.api import JointLimits
from handloom.errors import HandloomError
from handloom_controllers.arms.data_files import numbers, table_or_none, text
from handloom_controllers.arms.limits import ArmLimits, cartesian_of, names_of, near_range_of, near_tables
from handloom_controllers.arms.urdf_parts import UrdfJoint

Float64Array = npt.NDArray[np.float64]

_FROM_URDF = ("lower", "upper", "velocity", "torque")
_NOT_IN_URDF = ("acceleration", "jerk", "torque_rate")


def limits_of(path: Path, turning: Sequence[UrdfJoint], more: dict[str, Any], beside: Path) -> ArmLimits:
    """Return the limits: the URDF's, but for what the file beside says; what neither says is infinite.

    Raises:
        HandloomError: A position, velocity or torque limit is left out, or the file is for other joints.
    """
    names = tuple(joint.name for joint in turning)
    said = table_or_none(more, "joints", beside)
    if said and names_of(said, beside) != names:
        raise HandloomError(
            f"{beside}: `names` is {said.get('names')!r}; the joints of {path.name} are, in this order, "
            f"{', '.join(names)}."
        )
    tables = {key: _table(key, said, beside, path, turning) for key in (*_FROM_URDF, *_NOT_IN_URDF)}
    source, edition = path.name, "as written"
    if more:
        source = f"{text(more, 'source', beside)}; {path.name}"
        edition = text(more, "edition", beside)
    near = near_range_of(more, beside, len(names))
    return ArmLimits(
        joints=JointLimits(names=names, source=source, edition=edition, **tables, **near_tables(near)),
        near_range=near,
        cartesian=cartesian_of(more, beside),
    )


def _table(key: str, said: dict[str, Any], beside: Path, path: Path, turning: Sequence[UrdfJoint]) -> Float64Array:
    if key in said:
        return numbers(said, key, beside, count=len(turning), infinite=True)
    if key in _NOT_IN_URDF:
        return np.full(len(turning), np.inf)
    return np.array([_from_urdf(key, joint, path) for joint in turning])


def _from_urdf(key: str, joint: UrdfJoint, path: Path) -> float:
    """A joint that turns without end has no range, whatever is written."""
    if joint.kind == "continuous" and key in ("lower", "upper"):
        return -math.inf if key == "lower" else math.inf
    written = {"torque": "effort"}.get(key, key)
    value = float(getattr(joint, written))
    if math.isnan(value) or (key in ("velocity", "torque") and value <= 0):
        found = "leaves out" if math.isnan(value) else f"has {value:g} for"
        raise HandloomError(
            f"{path}: joint {joint.name} {found} `{written}` in its <limit>; write it there, or `{key}` for all "
            f"joints in {path.with_suffix('.toml').name} beside it."
        )
    return value
