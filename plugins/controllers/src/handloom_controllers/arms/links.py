"""The links of an arm as values: where they sit, what they weigh, and the simple shapes that stand for them."""

from __future__ import annotations

from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

Float64Array = npt.NDArray[np.float64]


@attrs.frozen(kw_only=True, eq=False)
class Inertial:
    """What a link weighs, in its own frame.

    Attributes:
        mass: kg.
        com: (3,) centre of mass, m.
        inertia: (3, 3) about the centre of mass, kg m^2.
    """

    mass: float
    com: Float64Array
    inertia: Float64Array

    @classmethod
    def of(cls, mass: float, com: npt.ArrayLike, moments: npt.ArrayLike) -> Inertial:
        """Make one of the six moments xx yy zz xy xz yz."""
        xx, yy, zz, xy, xz, yz = np.asarray(moments, dtype=np.float64)
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return cls(mass=float(mass), com=np.asarray(com, dtype=np.float64), inertia=tensor)


@attrs.frozen(kw_only=True, eq=False)
class Shape:
    """A simple solid, for collisions.

    Attributes:
        kind: A capsule and a cylinder lie along their z axis.
        size: As MuJoCo takes it: radius; radius and half length; half edges. Metres.
        T_link_shape: (7,) pose in the link.
    """

    kind: Literal["sphere", "capsule", "cylinder", "box"]
    size: tuple[float, ...]
    T_link_shape: Float64Array


@attrs.frozen(kw_only=True, eq=False)
class Joint:
    """What moves a link against its parent.

    Attributes:
        name: Of the joint.
        kind: It turns about its axis, or slides along it.
        axis: (3,) unit vector in the link.
        lower: rad or m; -infinite for one that turns without end.
        upper: rad or m.
    """

    name: str
    kind: Literal["hinge", "slide"]
    axis: Float64Array
    lower: float
    upper: float


@attrs.frozen(kw_only=True, eq=False)
class Link:
    """A rigid body.

    Attributes:
        name: Of the link.
        parent: Name of the link it hangs on; "" for the base.
        T_parent_link: (7,) with the joint at 0.
        joint: None where it is fixed.
        inertial: None where it weighs nothing.
        shapes: For collisions.
        sites: Named poses (7,) in the link.
    """

    name: str
    parent: str
    T_parent_link: Float64Array
    joint: Joint | None = None
    inertial: Inertial | None = None
    shapes: tuple[Shape, ...] = ()
    sites: tuple[tuple[str, Float64Array], ...] = ()
