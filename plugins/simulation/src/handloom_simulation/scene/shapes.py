"""Boxes and capsules on a body, the way a part is thought of."""

from __future__ import annotations

from handloom_simulation.scene.placing import at, between
from handloom_simulation.world import Solid

Point = tuple[float, float, float]
Colour = tuple[int, int, int]


def box(body: str, part: str, centre_m: Point, half_m: Point, colour: Colour) -> Solid:
    """Return a box along the body's axes."""
    return Solid(
        name=f"{body}/{part}", body=body, T_body_solid=at(*centre_m), shape="box", size_m=half_m, colour=colour
    )


def capsule(body: str, part: str, start_m: Point, end_m: Point, radius_m: float, colour: Colour) -> Solid:
    """Return a capsule around the line between two points, its round ends beyond them."""
    place, half_length = between(start_m, end_m, side=(0.3, 0.5, 0.8))
    return Solid(
        name=f"{body}/{part}",
        body=body,
        T_body_solid=place,
        shape="capsule",
        size_m=(radius_m, half_length),
        colour=colour,
    )
