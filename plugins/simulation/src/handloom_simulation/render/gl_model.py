"""A world as MuJoCo's own renderer takes it: a mesh for every face, a geom for every solid, one light."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from handloom_simulation.world import Face, Picture, World

FloatArray = npt.NDArray[np.float64]

NEAR_M, FAR_M = 0.005, 50.0
"""Depths between which things are seen; nearer ones are cut away, which rays don't do."""

_SLICES = 64
"""Sides of a cylinder: its outline stays within a thousandth of its radius."""

_HARD_TEXELS = 512
"""GL interpolates all pictures; one with hard edges is enlarged to about this many texels before."""


def make_model(world: World, *, pixels: int, field_deg: float, subsamples: int) -> Any:
    """Return the MjModel of a world, its geoms in the order of faces and solids, each at its own origin.

    Args:
        world: Everything visible.
        pixels: Side of the square pictures to be taken.
        field_deg: What they show from side to side.
        subsamples: Of a pixel along the edges of things; 0 for the pixel's middle alone.
    """
    import mujoco

    spec = mujoco.MjSpec()
    visual = spec.visual
    visual.global_.offwidth = visual.global_.offheight = pixels
    visual.quality.numslices = visual.quality.numstacks = _SLICES
    visual.quality.offsamples = subsamples
    visual.headlight.active = 0
    spec.stat.extent, visual.map.znear, visual.map.zfar = 1.0, NEAR_M, FAR_M
    spec.worldbody.add_camera(name="camera", fovy=field_deg)
    spec.worldbody.add_light(
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        ambient=np.full(3, world.ambient),
        diffuse=np.full(3, 1.0 - world.ambient),
        specular=np.zeros(3),
        castshadow=False,
    )
    _add_faces(spec, world.faces)
    for solid in world.solids:
        spec.worldbody.add_geom(
            type=getattr(mujoco.mjtGeom, f"mjGEOM_{solid.shape.upper()}"),
            size=np.array([*solid.size_m, 0.0, 0.0])[:3],
            rgba=[*(np.array(solid.colour) / 255.0), 1.0],
        )
    return spec.compile()


def _add_faces(spec: Any, faces: tuple[Face, ...]) -> None:
    import mujoco

    known: dict[tuple[int, bool], str] = {}
    for number, face in enumerate(faces):
        key = (id(face.picture), face.sharp)
        if key not in known:
            known[key] = f"picture-{number}"
            _add_picture(spec, known[key], _enlarged(face.picture) if face.sharp else face.picture)
        _add_mesh(spec, f"face-{number}", face)
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=f"face-{number}",
            material=known[key],
            contype=0,  # what may touch gets a convex hull, which something flat has not
            conaffinity=0,
        )


def _add_picture(spec: Any, name: str, picture: Picture) -> None:
    import mujoco

    height, width = picture.shape[:2]
    texture = spec.add_texture(
        name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=width, height=height, nchannel=3
    )
    texture.data = np.ascontiguousarray(picture).tobytes()
    material = spec.add_material(name=name, specular=0.0, shininess=0.0)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name


def _add_mesh(spec: Any, name: str, face: Face) -> None:
    """Add a face's outline as triangles about its middle, turned towards those who see it."""
    import mujoco

    half = 0.5 * np.array(face.size_m)
    outline = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half if face.outline_m is None else face.outline_m
    corners = np.concatenate([outline.mean(axis=0, keepdims=True), outline])
    first = np.arange(1, len(corners))
    # Clockwise as seen, with z away from the viewer: GL's front is counterclockwise.
    triangles = np.stack([np.zeros_like(first), np.roll(first, -1), first], axis=-1)
    spec.add_mesh(
        name=name,
        uservert=np.pad(corners, [(0, 0), (0, 1)]).ravel(),
        userface=triangles.ravel(),
        usertexcoord=(0.5 + 0.5 * corners / half).ravel(),
        userfacetexcoord=triangles.ravel(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
    )


def _enlarged(picture: Picture) -> Picture:
    times = max(1, _HARD_TEXELS // max(picture.shape[:2]))
    return picture.repeat(times, axis=0).repeat(times, axis=1)
