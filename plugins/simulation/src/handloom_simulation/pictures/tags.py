"""ArUco and AprilTag pictures, and faces that carry them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.errors import ConfigError, PluginError, did_you_mean
from handloom.geometry import pose
from handloom_simulation.gripper import FINGER_TAG_M
from handloom_simulation.world import Face, FloatArray, Picture

MODULES = {"4x4_50": 6, "5x5_100": 7, "6x6_250": 8, "apriltag_16h5": 6, "apriltag_25h9": 7, "apriltag_36h11": 8}
"""Cells along a tag's side, its black border included, by the name of its dictionary."""

_TEXELS_PER_MODULE = 4
"""Hard edges need one; coarser levels for far tags begin at a quarter of a module."""

TABLE_MARKER, TABLE_MARKER_M = 13, 0.16
"""UMI's table tag: ArUco 4x4_50, side of its black square.  Source: UMI's aruco_config.yaml."""


def tag_picture(dictionary: str, number: int, *, quiet_modules: int = 1) -> Picture:
    """Return a tag (H, W, 3) uint8, black on white, with a white border of so many modules about it.

    Raises:
        ConfigError: There is no such dictionary, or no such tag in it.
        PluginError: OpenCV is missing.
    """
    if dictionary not in MODULES:
        raise ConfigError([f"dictionary: found {dictionary!r}{did_you_mean(dictionary, MODULES)}"])
    try:
        import cv2
    except ImportError as error:
        raise PluginError(
            "Tags are drawn by OpenCV, which is missing; pip install 'opencv-python-headless>=4.10,<6'."
        ) from error
    known = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, f"DICT_{dictionary.upper()}"))
    if not 0 <= number < len(known.bytesList):
        raise ConfigError([f"tag: found {number}; {dictionary} has tags 0 to {len(known.bytesList) - 1}."])
    side = MODULES[dictionary] * _TEXELS_PER_MODULE
    tag = cv2.aruco.generateImageMarker(known, number, side)
    bordered = np.pad(tag, quiet_modules * _TEXELS_PER_MODULE, constant_values=255)
    return np.ascontiguousarray(np.repeat(bordered[..., None], 3, axis=-1))


def tag_corners(side_m: float) -> FloatArray:
    """Return (4, 2) x y m of a tag's black corners in its face's frame, clockwise from top left as in OpenCV."""
    half = 0.5 * side_m
    return np.array([[-half, -half], [half, -half], [half, half], [-half, half]])


def tag_face(
    *,
    number: int,
    side_m: float,
    T_body_face: npt.ArrayLike,
    body: str = "world",
    dictionary: str = "4x4_50",
    quiet_modules: int = 1,
    name: str = "",
) -> Face:
    """Return a face that carries a tag upright.

    Args:
        number: Of the tag in its dictionary.
        side_m: Side of the black square; the white border comes on top.
        T_body_face: (7,) the tag's centre, x to its right, y down, z into the surface.
        body: Body it is fixed to.
        dictionary: One of MODULES.
        quiet_modules: Width of the white border.
        name: For people and for truth; "BODY/tag-NUMBER" if empty.
    """
    whole = side_m * (1.0 + 2.0 * quiet_modules / MODULES[dictionary]) if dictionary in MODULES else side_m
    return Face(
        name=name or f"{body}/tag-{number}",
        body=body,
        T_body_face=np.asarray(T_body_face, dtype=np.float64),
        size_m=(whole, whole),
        picture=tag_picture(dictionary, number, quiet_modules=quiet_modules),
        sharp=True,
    )


def table_marker(T_body_face: npt.ArrayLike, *, body: str = "world") -> Face:
    """Return UMI's table tag, 13 of ArUco 4x4_50, 0.16 m."""
    return tag_face(number=TABLE_MARKER, side_m=TABLE_MARKER_M, T_body_face=T_body_face, body=body)


def finger_tag(number: int, T_body_face: npt.ArrayLike, *, body: str) -> Face:
    """Return a gripper's finger tag of ArUco 4x4_50, 16 mm: 0 left, 1 right."""
    return tag_face(number=number, side_m=FINGER_TAG_M, T_body_face=T_body_face, body=body)


def tag_layout(
    numbers: tuple[int, ...],
    *,
    T_body_layout: npt.ArrayLike,
    side_m: float = 0.06,
    spacing_m: float = 0.12,
    body: str = "world",
    dictionary: str = "apriltag_36h11",
) -> tuple[Face, ...]:
    """Return tags in one plane: two side by side, or four at the corners of a square, row by row.

    Args:
        numbers: Two or four tags.
        T_body_layout: (7,) the middle of the layout, x right, y down, z into the surface.
        side_m: Of each black square.
        spacing_m: Between the centres of neighbours.
        body: Body they are fixed to.
        dictionary: One of MODULES.

    Raises:
        ConfigError: There are not two or four tags.
    """
    if len(numbers) not in (2, 4):
        raise ConfigError([f"numbers: found {len(numbers)} tags; a layout has 2 or 4."])
    rows, half = len(numbers) // 2, 0.5 * spacing_m
    centres = [(x, y) for y in ((0.0,) if rows == 1 else (-half, half)) for x in (-half, half)]
    return tuple(
        tag_face(
            number=number,
            side_m=side_m,
            T_body_face=pose.compose(T_body_layout, [x, y, 0.0, 0.0, 0.0, 0.0, 1.0]),
            body=body,
            dictionary=dictionary,
        )
        for number, (x, y) in zip(numbers, centres, strict=True)
    )
