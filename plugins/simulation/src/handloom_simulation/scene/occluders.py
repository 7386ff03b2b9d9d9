"""What can come in the way on request: a thumb or paper on a finger tag, a forearm or a parcel on the marker."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import attrs
import numpy as np
import numpy.typing as npt

from handloom_simulation.gripper import CLOSED_TAG_SEPARATION_M, FINGER_TAG_Y_M, FINGER_TAG_Z_M, MOUNTED
from handloom_simulation.scene.fixtures import MARKER_CENTRE_M
from handloom_simulation.scene.shapes import box, capsule
from handloom_simulation.world import Solid

FloatArray = npt.NDArray[np.float64]

_SKIN = (222, 170, 140)
_SLEEVE = (52, 64, 92)
_PAPER = (214, 208, 190)
_CARDBOARD = (168, 132, 90)


@attrs.frozen(kw_only=True, eq=False)
class Occluder:
    """A body that covers a tag, or keeps out of sight.

    Attributes:
        body: Its name.
        carrier: The body it covers something of, "world" or a finger.
        T_carrier_covering: (7,) where it lies while it covers the tag.
        away_m: (3,) along the carrier's axes, how far it draws back.
        solids: What it looks like, in its own frame.
    """

    body: str
    carrier: str
    T_carrier_covering: FloatArray
    away_m: FloatArray
    solids: tuple[Solid, ...]


def _thumb(finger: str, side: float) -> Occluder:
    tcp = np.array(MOUNTED["tcp"][:3])
    tag = np.array([side * 0.5 * CLOSED_TAG_SEPARATION_M, FINGER_TAG_Y_M, FINGER_TAG_Z_M]) - tcp
    body = f"thumb_{finger.removeprefix('finger_')}"
    # Nearer to the camera than the tag, so nearer to the axis; far enough outwards to leave the other tag free.
    return Occluder(
        body=body,
        carrier=finger,
        T_carrier_covering=np.array([*(tag - [0.0, 0.0104, 0.018]), 0.0, 0.0, 0.0, 1.0]),
        away_m=np.array([side * 0.25, 0.15, -0.15]),
        solids=(capsule(body, "skin", (side * 0.0382, 0.0, 0.0), (-side * 0.0138, 0.0, 0.0), 0.016, _SKIN),),
    )


def _slip(finger: str, side: float) -> Occluder:
    """Return a slip of paper that has got caught between the camera and a finger's tag."""
    thumb = _thumb(finger, side)
    body = f"slip_{finger.removeprefix('finger_')}"
    return attrs.evolve(
        thumb, body=body, solids=(box(body, "paper", (-side * 0.003, 0.0, 0.0), (0.0125, 0.013, 0.0004), _PAPER),)
    )


def _parcel() -> Occluder:
    body = "parcel"
    return Occluder(
        body=body,
        carrier="world",
        T_carrier_covering=np.array([*MARKER_CENTRE_M, 0.045, 0.0, 0.0, 0.0, 1.0]),
        away_m=np.array([0.0, 0.5, 0.6]),
        solids=(box(body, "cardboard", (0.0, 0.0, 0.0), (0.11, 0.11, 0.04), _CARDBOARD),),
    )


def _forearm() -> Occluder:
    body = "forearm"
    return Occluder(
        body=body,
        carrier="world",
        T_carrier_covering=np.array([*MARKER_CENTRE_M, 0.07, 0.0, 0.0, 0.0, 1.0]),
        away_m=np.array([0.0, 1.1, 0.2]),
        solids=(
            capsule(body, "palm", (-0.04, 0.0, 0.0), (0.05, 0.02, 0.0), 0.055, _SKIN),
            capsule(body, "wrist", (0.01, 0.02, 0.0), (0.03, 0.16, 0.02), 0.04, _SKIN),
            capsule(body, "sleeve", (0.03, 0.18, 0.02), (0.10, 0.60, 0.08), 0.055, _SLEEVE),
        ),
    )


COVERED = ("finger_left", "finger_right", "table_marker")
"""What can be covered."""

BY = ("hand", "object")
"""By what."""


def occluders() -> Mapping[tuple[str, str], Occluder]:
    """Return what covers each of `COVERED` by each of `BY`."""
    return MappingProxyType(
        {
            ("finger_left", "hand"): _thumb("finger_left", -1.0),
            ("finger_right", "hand"): _thumb("finger_right", 1.0),
            ("table_marker", "hand"): _forearm(),
            ("finger_left", "object"): _slip("finger_left", -1.0),
            ("finger_right", "object"): _slip("finger_right", 1.0),
            ("table_marker", "object"): _parcel(),
        }
    )
