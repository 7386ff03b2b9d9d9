"""What stands still and is seen: six faces of a room, the table with what lies on it, bin and socket."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom_simulation.pictures import plain_picture, table_marker, tag_layout, wall_picture, wood_picture
from handloom_simulation.scene.fixtures import (
    FLOOR_Z_M,
    GOAL_CENTRE_M,
    MARKER_CENTRE_M,
    TABLE_CENTRE_Y_M,
    TABLE_HALF_M,
    Block,
    fixtures,
)
from handloom_simulation.scene.placing import at, facing
from handloom_simulation.scene.settings import LabSettings
from handloom_simulation.world import Face, Picture, Solid

FloatArray = npt.NDArray[np.float64]

_ROOM_HALF_M = (1.9, 1.6)
_ROOM_CENTRE_Y_M = 0.1
_CEILING_Z_M = 1.9
_LAYER_M = 0.0006
"""How far a sheet of paper lies above what it lies on, so that neither shines through the other."""

_LEG_M = 0.03

LAYOUT_CENTRE_M = (-0.42, 0.38)
"""Middle of the layout of two or four tags on the table."""

_WALL_LAYOUT_Z_M = 0.5


def room_faces(seed: int, texels: int) -> tuple[Face, ...]:
    """Return walls, floor and ceiling, seen from inside."""
    half_x, half_y = _ROOM_HALF_M
    height, middle = _CEILING_Z_M - FLOOR_Z_M, 0.5 * (_CEILING_Z_M + FLOOR_Z_M)
    y = _ROOM_CENTRE_Y_M
    down = (0.0, 0.0, -1.0)
    walls = (
        ("far", (0.0, y + half_y, middle), (1.0, 0.0, 0.0), half_x, (196, 190, 178)),
        ("near", (0.0, y - half_y, middle), (-1.0, 0.0, 0.0), half_x, (176, 186, 190)),
        ("left", (-half_x, y, middle), (0.0, 1.0, 0.0), half_y, (188, 196, 178)),
        ("right", (half_x, y, middle), (0.0, -1.0, 0.0), half_y, (200, 186, 170)),
    )
    faces = [
        _face(
            f"room/{name}",
            facing(centre, right=right, down=down),
            (2.0 * half, height),
            wall_picture(seed + index, width=texels, height=texels // 2, colour=colour),
        )
        for index, (name, centre, right, half, colour) in enumerate(walls)
    ]
    size = (2.0 * half_x, 2.0 * half_y)
    floor = facing((0.0, y, FLOOR_Z_M), right=(1.0, 0.0, 0.0), down=(0.0, -1.0, 0.0))
    ceiling = facing((0.0, y, _CEILING_Z_M), right=(1.0, 0.0, 0.0), down=(0.0, 1.0, 0.0))
    faces.append(
        _face(
            "room/floor",
            floor,
            size,
            wood_picture(seed + 10, width=texels, height=texels, colour=(120, 116, 110), planks=16),
        )
    )
    faces.append(
        _face(
            "room/ceiling",
            ceiling,
            size,
            wall_picture(seed + 11, width=texels, height=texels // 2, colour=(214, 214, 210), posters=3),
        )
    )
    return tuple(faces)


def table_faces(settings: LabSettings) -> tuple[Face, ...]:
    """Return the table's top, the goal, and the tags on table or wall."""
    width, depth = 2.0 * TABLE_HALF_M[0], 2.0 * TABLE_HALF_M[1]
    top = lying(0.0, TABLE_CENTRE_Y_M, 0)
    faces = [
        _face(
            "table/top",
            top,
            (width, depth),
            wood_picture(settings.seed + 20, width=settings.texels, height=settings.texels),
        ),
        _face("table/goal", lying(*GOAL_CENTRE_M, 1), (0.07, 0.07), plain_picture((76, 132, 84))),
    ]
    if settings.table_marker:
        faces.append(table_marker(lying(*MARKER_CENTRE_M, 1)))
    if settings.tag_layout:
        faces += _layout(tuple(range(settings.tag_layout)), settings.tag_layout_on)
    return tuple(faces)


def _layout(numbers: tuple[int, ...], on: str) -> tuple[Face, ...]:
    if on == "table":
        return tag_layout(numbers, T_body_layout=lying(*LAYOUT_CENTRE_M, 1))
    far = (0.0, _ROOM_CENTRE_Y_M + _ROOM_HALF_M[1] - _LAYER_M, _WALL_LAYOUT_Z_M)
    place = facing(far, right=(1.0, 0.0, 0.0), down=(0.0, 0.0, -1.0))
    return tag_layout(numbers, T_body_layout=place, side_m=0.2, spacing_m=0.4)


def lying(x: float, y: float, layer: int) -> FloatArray:
    """Return the pose (7,) of a face that lies on the table and is read from the person's side."""
    return facing((x, y, layer * _LAYER_M), right=(1.0, 0.0, 0.0), down=(0.0, -1.0, 0.0))


def standing_solids() -> tuple[Solid, ...]:
    """Return table, bin and socket, and the table's legs."""
    blocks = [_solid(block) for block in fixtures()]
    half_x, half_y = TABLE_HALF_M
    half_height = 0.5 * (0.0 - FLOOR_Z_M) - 0.02
    legs = [
        Solid(
            name=f"table/leg_{index}",
            body="world",
            T_body_solid=at(
                side * (half_x - _LEG_M), TABLE_CENTRE_Y_M + end * (half_y - _LEG_M), FLOOR_Z_M + half_height
            ),
            shape="box",
            size_m=(_LEG_M, _LEG_M, half_height),
            colour=(92, 88, 84),
        )
        for index, (side, end) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1)))
    ]
    return (*blocks, *legs)


def _solid(block: Block) -> Solid:
    x, y, z = block.centre_m
    # The table's picture is a face of its own; its wood stays below it.
    sunk = 0.001 if block.name == "table" else 0.0
    return Solid(
        name=block.name,
        body="world",
        T_body_solid=at(x, y, z - sunk),
        shape="box",
        size_m=block.half_m,
        colour=block.colour,
    )


def _face(name: str, place: FloatArray, size_m: tuple[float, float], picture: Picture) -> Face:
    return Face(name=name, body="world", T_body_face=place, size_m=size_m, picture=picture)
