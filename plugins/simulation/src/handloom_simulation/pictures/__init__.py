"""What is painted on the lab's faces: tags, checkerboards, walls, wood; all of it made here, from seeds."""

from handloom_simulation.pictures.checkerboard import checkerboard_corners, checkerboard_face
from handloom_simulation.pictures.polyhedron import marker_polyhedron
from handloom_simulation.pictures.surfaces import plain_picture, wall_picture, wood_picture
from handloom_simulation.pictures.tags import (
    finger_tag,
    table_marker,
    tag_corners,
    tag_face,
    tag_layout,
    tag_picture,
)

__all__ = [
    "checkerboard_corners",
    "checkerboard_face",
    "finger_tag",
    "marker_polyhedron",
    "plain_picture",
    "table_marker",
    "tag_corners",
    "tag_face",
    "tag_layout",
    "tag_picture",
    "wall_picture",
    "wood_picture",
]
