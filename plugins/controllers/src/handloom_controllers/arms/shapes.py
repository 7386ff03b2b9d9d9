"""Read the simple shapes of a link from a data file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.geometry import quaternion
from handloom_controllers.arms.links import Shape

Float64Array = npt.NDArray[np.float64]


def shapes_of(content: Iterable[dict[str, Any]]) -> tuple[Shape, ...]:
    """Return the shapes of `{ capsule = [from x y z, to x y z], radius }` and `{ box = half edges, at }`."""
    return tuple(_capsule(each) if "capsule" in each else _box(each) for each in content)


def _capsule(content: dict[str, Any]) -> Shape:
    ends = np.asarray(content["capsule"], dtype=np.float64).reshape(2, 3)
    along = ends[1] - ends[0]
    length = float(np.linalg.norm(along))
    return Shape(
        kind="capsule",
        size=(float(content["radius"]), length / 2),
        T_link_shape=np.concatenate([ends.mean(axis=0), turned_to(along / length)]),
    )


def _box(content: dict[str, Any]) -> Shape:
    x, y, z = (float(edge) for edge in content["box"])
    return Shape(
        kind="box",
        size=(x, y, z),
        T_link_shape=np.concatenate([np.asarray(content["at"], dtype=np.float64), [0.0, 0.0, 0.0, 1.0]]),
    )


def turned_to(direction: Float64Array) -> Float64Array:
    """Return a quaternion x y z w that turns the z axis to a unit vector, the shortest way."""
    x, y, z = direction
    if z < -1.0 + 1e-12:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.asarray(quaternion.normalize(np.array([-y, x, 0.0, 1.0 + z])))
