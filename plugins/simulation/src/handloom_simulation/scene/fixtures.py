"""What stands still in the lab and can be struck: the table, the bin and the socket, all made of boxes."""

from __future__ import annotations

import attrs

TABLE_HALF_M = (0.65, 0.45)
"""Half the table's width and depth; its top is z = 0 of the world, x right and y away from the person."""

TABLE_CENTRE_Y_M = 0.1
TABLE_THICKNESS_M = 0.03
FLOOR_Z_M = -0.74

BIN_CENTRE_M = (0.36, 0.38)
BIN_HALF_M = 0.11
BIN_HEIGHT_M = 0.10
_BIN_WALL_M = 0.004

SOCKET_CENTRE_M = (-0.32, 0.13)
SOCKET_HOLE_HALF_M = 0.0145
SOCKET_HEIGHT_M = 0.03
_SOCKET_WALL_M = 0.012

MARKER_CENTRE_M = (0.0, 0.3)
"""Middle of the table's marker."""

GOAL_CENTRE_M = (0.02, 0.09)
"""Where pick and place puts the cube."""


@attrs.frozen(kw_only=True)
class Block:
    """A box that never moves.

    Attributes:
        name: For people and for truth.
        centre_m: In world.
        half_m: Half sizes along the world's axes.
        colour: sRGB.
    """

    name: str
    centre_m: tuple[float, float, float]
    half_m: tuple[float, float, float]
    colour: tuple[int, int, int]


def table() -> Block:
    """Return the table's top; what is seen of it from above is a textured face."""
    return Block(
        name="table",
        centre_m=(0.0, TABLE_CENTRE_Y_M, -0.5 * TABLE_THICKNESS_M),
        half_m=(*TABLE_HALF_M, 0.5 * TABLE_THICKNESS_M),
        colour=(150, 112, 76),
    )


def open_box(
    name: str,
    centre_m: tuple[float, float],
    *,
    inner_m: float,
    wall_m: float,
    height_m: float,
    colour: tuple[int, int, int],
) -> tuple[Block, ...]:
    """Return four walls around a square, standing on the table."""
    x, y = centre_m
    out, half_wall, half_height = inner_m + 0.5 * wall_m, 0.5 * wall_m, 0.5 * height_m
    along, across = (inner_m + wall_m, half_wall, half_height), (half_wall, inner_m, half_height)
    places = {"near": (x, y - out), "far": (x, y + out), "left": (x - out, y), "right": (x + out, y)}
    return tuple(
        Block(
            name=f"{name}/{side}",
            centre_m=(*place, half_height),
            half_m=along if side in ("near", "far") else across,
            colour=colour,
        )
        for side, place in places.items()
    )


def fixtures() -> tuple[Block, ...]:
    """Return everything that stands still, the table first."""
    return (
        table(),
        *open_box(
            "bin",
            BIN_CENTRE_M,
            inner_m=BIN_HALF_M,
            wall_m=_BIN_WALL_M,
            height_m=BIN_HEIGHT_M,
            colour=(84, 92, 102),
        ),
        *open_box(
            "socket",
            SOCKET_CENTRE_M,
            inner_m=SOCKET_HOLE_HALF_M,
            wall_m=_SOCKET_WALL_M,
            height_m=SOCKET_HEIGHT_M,
            colour=(190, 190, 196),
        ),
    )
