"""The optional GL renderer: MuJoCo's pictures of five or six sides of a cube, warped to the exact camera model."""

from __future__ import annotations

import math
import os
import weakref
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.errors import ConfigError, PluginError
from handloom.geometry import IDENTITY, CameraModel, pose
from handloom_simulation.render.gl_model import make_model
from handloom_simulation.render.lens import make_lens
from handloom_simulation.render.motion import Placed
from handloom_simulation.render.renderer import Float32Array, Renderer
from handloom_simulation.render.settings import RenderSettings
from handloom_simulation.world import World

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

_SIDES = np.array(
    [  # right, down, forward in the camera's frame: ahead, right, left, down, up, behind
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[0, 0, -1], [0, 1, 0], [1, 0, 0]],
        [[0, 0, 1], [0, 1, 0], [-1, 0, 0]],
        [[1, 0, 0], [0, 0, -1], [0, 1, 0]],
        [[1, 0, 0], [0, 0, 1], [0, -1, 0]],
        [[-1, 0, 0], [0, 1, 0], [0, 0, -1]],
    ],
    dtype=np.float64,
)

_MARGIN = 2
"""Pixels of a side beyond 45 degrees, so that nothing is interpolated across its border."""

_MOST_PIXELS = 5400
"""Of a side: OpenCV's remap reads no picture of more than 32767 rows, and six sides lie one below the other."""


class CubeRenderer(Renderer):
    """Renders like `Renderer`, lens and sensor included, but through OpenGL and for one instant a frame.

    It needs MUJOCO_GL=osmesa or egl in the environment before MuJoCo is imported, and that library. A side has as
    many pixels as the camera has in its middle, times `samples`.

    Raises:
        ConfigError: Motion blur, a rolling shutter, threads or more pixels than a side can have are asked for.
    """

    def __init__(
        self,
        world: World,
        camera: CameraModel,
        settings: RenderSettings | None = None,
        *,
        mounted_on: str = "gripper",
        T_body_camera: npt.ArrayLike = IDENTITY,
    ) -> None:
        super().__init__(world, camera, settings, mounted_on=mounted_on, T_body_camera=T_body_camera)
        self._pixels = 2 * (math.ceil(max(camera.fx, camera.fy) * self.settings.samples) + _MARGIN)
        self._reach = self._pixels / (self._pixels - 2 * _MARGIN)
        """Tangent of half of what a side shows."""
        problems = _not_honoured(self.settings, self._pixels)
        if problems:
            raise ConfigError(problems)

    @cached_property
    def _parts(self) -> World:
        return self.world

    @cached_property
    def _gl(self) -> tuple[Any, Any, Any]:
        """MuJoCo's model, data and renderer."""
        mujoco = _mujoco_with_gl()
        model = make_model(
            self.world,
            pixels=self._pixels,
            field_deg=2.0 * math.degrees(math.atan(self._reach)),
            subsamples=4 if self.settings.samples == 1 else 0,  # otherwise edges are smooth without
        )
        try:
            renderer = mujoco.Renderer(model, self._pixels, self._pixels, max_geom=model.ngeom + 16)
        except Exception as error:
            raise _no_gl(error) from error
        weakref.finalize(self, renderer.close)  # when Python itself ends it is too late for GL
        return model, mujoco.MjData(model), renderer

    @cached_property
    def _warp(self) -> tuple[Int64Array, Float32Array, Float32Array]:
        """The sides that are seen, and (H * samples, W * samples) x and y in them, one below the other."""
        camera, samples = self.camera, self.settings.samples
        fine = camera.scaled(camera.width * samples, camera.height * samples)
        corners = make_lens(fine).corners[:, :, : fine.width + 1]
        rays = 0.25 * (corners[:, 1:, 1:] + corners[:, 1:, :-1] + corners[:, :-1, 1:] + corners[:, :-1, :-1])
        on = np.einsum("sk,kij->sij", _SIDES[:, 2].astype(np.float32), rays).argmax(axis=0)
        seen = np.unique(on[self._lens.seen.repeat(samples, axis=0).repeat(samples, axis=1)])
        x, y = (np.full(on.shape, -1.0, dtype=np.float32) for _ in range(2))
        for place, side in enumerate(seen):
            here = (on == side) & rays.any(axis=0)  # where the model doesn't reach rays are zero
            right, down, forward = _SIDES[side] @ rays[:, here]
            x[here] = 0.5 * self._pixels * (right / forward / self._reach + 1.0) - 0.5
            y[here] = 0.5 * self._pixels * (down / forward / self._reach + 1.0) - 0.5 + place * self._pixels
        return seen, x, y

    def _light(self, placed: Placed) -> Float32Array:
        import cv2

        seen, x, y = self._warp
        sides = self._sides(placed, seen)
        fine = cv2.remap(sides, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        size = (self.camera.width, self.camera.height)
        light = cv2.resize(fine, size, interpolation=cv2.INTER_AREA).astype(np.float32)
        light[~self._lens.seen] = self.settings.outside
        return np.asarray(light)

    def _sides(self, placed: Placed, seen: Int64Array) -> npt.NDArray[np.uint8]:
        """Return the pictures of the sides that are seen, one below the other."""
        model, data, renderer = self._gl
        cull = _mujoco_with_gl().mjtRndFlag.mjRND_CULL_FACE  # faces are seen from one side only
        _put(model, data, placed)
        pictures = np.zeros((len(seen), self._pixels, self._pixels, 3), dtype=np.uint8)
        for picture, side in zip(pictures, seen, strict=True):
            right, down, forward = _SIDES[side]
            data.cam_xmat[0] = np.stack([right, -down, -forward], axis=-1).ravel()
            renderer.update_scene(data, camera=0)
            renderer.scene.flags[:] = 0  # no shadows, no reflections, no haze
            renderer.scene.flags[cull] = 1
            renderer.render(out=picture)
        return pictures.reshape(-1, self._pixels, 3)


def _put(model: Any, data: Any, placed: Placed) -> None:
    """Set geoms and light before a camera at the origin; MuJoCo's own kinematics are not asked."""
    if not model.ngeom:
        return
    objects = placed.objects[0].astype(np.float64)
    turned = objects[:, :9].reshape(-1, 3, 3).swapaxes(1, 2)
    T_camera_object = np.tile(np.eye(4), (len(objects), 1, 1))
    T_camera_object[:, :3, :3] = turned
    T_camera_object[:, :3, 3] = np.einsum("nij,nj->ni", turned, objects[:, 9:])
    # MuJoCo moves a mesh's origin to its middle, and says so in the geom's place.
    T_object_geom = pose.to_matrix(np.concatenate([model.geom_pos, np.roll(model.geom_quat, -1, axis=1)], axis=1))
    T_camera_geom = T_camera_object @ T_object_geom
    data.geom_xpos[:] = T_camera_geom[:, :3, 3]
    data.geom_xmat[:] = T_camera_geom[:, :3, :3].reshape(-1, 9)
    data.light_xdir[0] = turned[0] @ placed.light[0, 0]


def _not_honoured(settings: RenderSettings, pixels: int) -> list[str]:
    """Say which settings this renderer can't follow."""
    why = "the GL renderer takes one instant a frame; expected"
    blurred = settings.exposure_s > 0.0 and settings.blur_samples > 1
    found = (
        (blurred, f"exposure_s: found {settings.exposure_s}; {why} 0, or blur_samples 1."),
        (settings.readout_s > 0.0, f"readout_s: found {settings.readout_s}; {why} 0."),
        (
            settings.threads > 1,
            f"threads: found {settings.threads}; OpenGL shares out its work itself; expected 1.",
        ),
        (
            pixels > _MOST_PIXELS,
            f"samples: found {settings.samples}, which needs {pixels} pixels along the side of a cube for this "
            f"camera; expected at most {_MOST_PIXELS}: take fewer samples.",
        ),
    )
    return [sentence for wrong, sentence in found if wrong]


def _mujoco_with_gl() -> Any:
    chosen = os.environ.get("MUJOCO_GL", "")
    if chosen not in ("osmesa", "egl"):
        raise PluginError(
            f"The lab's GL renderer found MUJOCO_GL={chosen!r}; set it to osmesa (apt install libosmesa6) or egl "
            "(apt install libegl1) before Python starts."
        )
    try:
        import mujoco
    except (ImportError, AttributeError) as error:  # the latter is how PyOpenGL says that a library is missing
        raise _no_gl(error) from error
    return mujoco


def _no_gl(error: Exception) -> PluginError:
    return PluginError(
        f"The lab's GL renderer got no OpenGL from MuJoCo ({error}); apt install libosmesa6 and set "
        "MUJOCO_GL=osmesa before Python starts, or use handloom_simulation.render.Renderer, which needs none."
    )
