"""What there is to see: flat textured faces and simple solids, each fixed to a body that may move."""

from __future__ import annotations

from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Picture = npt.NDArray[np.uint8]


@attrs.frozen(kw_only=True, eq=False)
class Face:
    """A flat convex outline with a picture on it, seen from one side only.

    Its frame has x to the picture's right, y down and z away from the viewer, into the surface, so that a camera
    whose axes are parallel to it sees the picture upright. The picture fills the rectangle `size_m` about the
    frame's origin.

    Attributes:
        name: For people and for truth, "table/tag-13".
        body: Body it is fixed to; "world" does not move.
        T_body_face: (7,) metres and quaternion x y z w.
        size_m: Width and height of the picture.
        picture: (H, W, 3) uint8 sRGB; its first pixel's corner, not centre, is the rectangle's corner.
        outline_m: (K, 2) corners x y of the visible part, clockwise as seen; None for the whole rectangle.
        sharp: Whether the picture's pixels have hard edges (tags) or are interpolated (wood, posters).
    """

    name: str
    body: str
    T_body_face: FloatArray
    size_m: tuple[float, float]
    picture: Picture
    outline_m: FloatArray | None = None
    sharp: bool = False


@attrs.frozen(kw_only=True, eq=False)
class Solid:
    """A solid of one colour.

    Attributes:
        name: For people and for truth.
        body: Body it is fixed to.
        T_body_solid: (7,) metres and quaternion x y z w; its origin is the solid's centre.
        shape: "box", "sphere", "cylinder" or "capsule", the last two along z.
        size_m: Half sizes x y z of a box; radius of a sphere; radius and half length of cylinder and capsule.
        colour: sRGB.
    """

    name: str
    body: str
    T_body_solid: FloatArray
    shape: Literal["box", "sphere", "cylinder", "capsule"]
    size_m: tuple[float, ...]
    colour: tuple[int, int, int]


@attrs.frozen(kw_only=True, eq=False)
class World:
    """Everything visible.

    Attributes:
        faces: Textured flat parts: walls, table, tags.
        solids: One-coloured parts: gripper, objects.
        light_direction: (3,) unit vector in world that the light travels along.
        ambient: Share of the light that comes from everywhere, 0 to 1.
    """

    faces: tuple[Face, ...]
    solids: tuple[Solid, ...]
    light_direction: tuple[float, float, float] = (0.3, 0.2, -0.933)
    ambient: float = 0.6
