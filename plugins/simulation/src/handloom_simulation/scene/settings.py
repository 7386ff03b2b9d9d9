"""Settings of the lab's looks."""

from __future__ import annotations

from typing import Literal

import attrs


@attrs.frozen(kw_only=True)
class LabSettings:
    """What is to be seen in the lab.

    Attributes:
        seed: Of the pictures on walls and table.
        texels: Width of the pictures of walls and table top; fewer are made more quickly.
        table_marker: Whether UMI's tag 13 lies on the table.
        tag_layout: Number of AprilTags 36h11, with ids from 0.
        tag_layout_on: "table": 60 mm tags on its left; "wall": 200 mm tags on the far wall.
        polyhedron: Whose marker polyhedron the gripper carries, if any.
    """

    seed: int = 0
    texels: int = attrs.field(default=1024, validator=attrs.validators.ge(256))
    table_marker: bool = True
    tag_layout: Literal[0, 2, 4] = attrs.field(default=0, validator=attrs.validators.in_((0, 2, 4)))
    tag_layout_on: Literal["table", "wall"] = attrs.field(
        default="table", validator=attrs.validators.in_(("table", "wall"))
    )
    polyhedron: Literal["none", "left", "right"] = attrs.field(
        default="none", validator=attrs.validators.in_(("none", "left", "right"))
    )
