"""The lab as it is seen, with the geometry of the lab as it is touched."""

from __future__ import annotations

from handloom_simulation.gripper import FINGERS
from handloom_simulation.scene.hardware import finger_solids, finger_tag_face, gripper_solids, polyhedron_parts
from handloom_simulation.scene.objects import THINGS, Thing
from handloom_simulation.scene.occluders import occluders
from handloom_simulation.scene.placing import at
from handloom_simulation.scene.room import room_faces, standing_solids, table_faces
from handloom_simulation.scene.settings import LabSettings
from handloom_simulation.world import Face, Solid, World


def lab_world(settings: LabSettings | None = None) -> World:
    """Return everything there is to see; its bodies are those of a `Take`.

    Raises:
        PluginError: OpenCV, which draws the tags, is not installed.
    """
    chosen = settings or LabSettings()
    faces: list[Face] = [
        *room_faces(chosen.seed, chosen.texels),
        *table_faces(chosen),
        *map(finger_tag_face, FINGERS),
    ]
    solids: list[Solid] = [*standing_solids(), *gripper_solids()]
    for finger in FINGERS:
        solids += finger_solids(finger)
    solids += [_solid(thing) for thing in THINGS.values()]
    for occluder in occluders().values():
        solids += occluder.solids
    if chosen.polyhedron != "none":
        marked, rod = polyhedron_parts(chosen.polyhedron)
        faces += marked
        solids += rod
    return World(faces=tuple(faces), solids=tuple(solids))


def _solid(thing: Thing) -> Solid:
    return Solid(
        name=thing.name,
        body=thing.name,
        T_body_solid=at(0.0, 0.0, 0.0),
        shape=thing.shape,
        size_m=thing.size_m,
        colour=thing.colour,
    )
