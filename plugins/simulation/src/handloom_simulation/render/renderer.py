"""The camera that looks at a world: frames of a take, or of things at rest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from handloom.errors import FrameError
from handloom.geometry import IDENTITY, CameraModel
from handloom_simulation.render.lens import Lens, make_lens
from handloom_simulation.render.motion import FloatArray, Placed, knots, place, poses_during, stamps_within
from handloom_simulation.render.samples import blurs_of_a_pixel, rays_of_a_pixel
from handloom_simulation.render.settings import RenderSettings
from handloom_simulation.render.tables import Tables, make_tables, placements, with_box_sides
from handloom_simulation.render.textures import Textures, make_textures
from handloom_simulation.take import Take
from handloom_simulation.world import World

Frame = npt.NDArray[np.uint8]
Float32Array = npt.NDArray[np.float32]

_NOISE_VALUES = 65536
"""As many as 16 of the random bits can choose between, see `sensor.develop`."""


class Renderer:
    """Renders what a camera on a body sees.

    Rays are unprojected and textures prepared at the first frame; one renderer serves many frames and takes, from
    one thread at a time.

    Args:
        world: Everything visible.
        camera: Its exact model.
        settings: Exposure, shutter, lens and sensor.
        mounted_on: Body that carries the camera.
        T_body_camera: (7,) of the camera's optical frame on that body.
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
        self.world = world
        self.camera = camera
        self.settings = settings or RenderSettings()
        self.mounted_on = mounted_on
        self.T_body_camera = np.asarray(T_body_camera, dtype=np.float64)

    def frame(self, take: Take, stamp_ns: int) -> Frame:
        """Return the picture (H, W, 3) uint8 RGB of an instant of a take.

        Args:
            take: Where everything is; before its first and after its last instant the scene rests.
            stamp_ns: Middle of the exposure of the middle row, int64 ns of simulation time.

        Raises:
            FrameError: The stamp lies outside the take, or the take does not move all bodies of the world.
        """
        if not take.stamps[0] <= stamp_ns <= take.stamps[-1]:
            raise FrameError(
                f"A frame was asked for at {stamp_ns} ns; the take {take.name!r} lasts from {take.stamps[0]} to "
                f"{take.stamps[-1]} ns."
            )
        instants = self._instants
        stamps = stamps_within(take, int(stamp_ns), instants[0])
        poses = poses_during(take, [*self._placements[0], self.mounted_on], stamps)
        return self._picture(self._place(poses, instants), int(stamp_ns))

    def still(self, poses: Mapping[str, FloatArray], stamp_ns: int = 0) -> Frame:
        """Return the picture (H, W, 3) uint8 RGB of things at rest.

        Args:
            poses: (7,) T_world_body of every body but the world itself.
            stamp_ns: What the noise and the flicker depend on, int64 ns.

        Raises:
            FrameError: A body's pose is missing.
        """
        return self._picture(self._place(poses, (np.zeros(1), 1.0)), stamp_ns)

    @cached_property
    def _lens(self) -> Lens:
        return make_lens(self.camera, self.settings.circle_deg)

    @cached_property
    def _parts(self) -> World:
        return with_box_sides(self.world)

    @cached_property
    def _tables(self) -> Tables:
        return make_tables(self._parts)

    @cached_property
    def _textures(self) -> Textures:
        return make_textures(self._parts.faces)

    @cached_property
    def _placements(self) -> tuple[list[str], FloatArray]:
        return placements(self._parts)

    @cached_property
    def _row_times(self) -> FloatArray:
        """(H,) seconds from the frame's stamp to the middle of each row's exposure."""
        rows = np.arange(self.camera.height)
        span = max(1, self.camera.height - 1)
        times: FloatArray = (rows / span - 0.5) * self.settings.readout_s if span > 1 else np.zeros(len(rows))
        return times

    @cached_property
    def _rays(self) -> tuple[Float32Array, FloatArray]:
        """Places (S, 2) within a pixel, and (S,) seconds from the middle of the exposure."""
        return rays_of_a_pixel(self.settings)

    @cached_property
    def _instants(self) -> tuple[FloatArray, float]:
        late = 0.5 * self.settings.readout_s + float(self._rays[1].max())
        return knots(-late, late)

    def _place(self, poses: Mapping[str, FloatArray], instants: tuple[FloatArray, float]) -> Placed:
        bodies, T_body_object = self._placements
        return place(
            bodies=bodies,
            T_body_object=T_body_object,
            poses=poses,
            camera=(self.mounted_on, self.T_body_camera),
            light_direction=self.world.light_direction,
            instants=instants,
        )

    def _picture(self, placed: Placed, stamp_ns: int) -> Frame:
        return self._developed(self._light(placed), stamp_ns)

    def _light(self, placed: Placed) -> Float32Array:
        """Return grey levels (H, W, 3) before the lens's spread and the sensor."""
        from handloom_simulation.render.culling import outline_planes
        from handloom_simulation.render.trace import Exposure, Scene, trace

        step = placed.step_s or 1.0
        places, phases = self._rays
        exposure = Exposure(
            self.settings.samples**2,
            places,
            phases / step,
            blurs_of_a_pixel(len(phases)),
            (self._row_times - placed.start_s) / step,
        )
        n_faces = len(self._parts.faces)
        scene = Scene(
            objects=placed.objects,
            light=placed.light,
            planes=outline_planes(placed.objects[:, :n_faces], self._tables.corners),
            ambient=np.float32(self.world.ambient),
            outside=np.array(self.settings.outside, dtype=np.float32),
        )
        light = np.empty((self.camera.height, self.camera.width, 3), dtype=np.float32)
        for_rows = _shares(len(self._lens.cones), self.settings.threads)
        if len(for_rows) == 1:
            trace(self._lens, self._tables, self._textures, scene, exposure, for_rows[0], light)
            return light
        with ThreadPoolExecutor(len(for_rows)) as pool:
            list(
                pool.map(
                    lambda rows: trace(self._lens, self._tables, self._textures, scene, exposure, rows, light),
                    for_rows,
                )
            )
        return light

    def _developed(self, light: Float32Array, stamp_ns: int) -> Frame:
        from handloom_simulation.render.sensor import develop

        settings = self.settings
        if settings.defocus_px > 0.0:
            light = _spread(light, settings.defocus_px)
        swing = 1.0 + settings.flicker * math.sin(2.0 * math.pi * settings.flicker_hz * stamp_ns * 1e-9)
        gain = self._lens_gain * np.float32(settings.gain * swing)
        variance = np.array([settings.read_noise_grey**2, settings.shot_noise_grey**2 / 255.0], dtype=np.float32)
        key = np.random.SeedSequence([settings.seed, stamp_ns % 2**64]).generate_state(1, np.uint64)[0]
        picture = np.empty(light.shape, dtype=np.uint8)
        develop(light, gain, self._noise, variance, key, picture)
        return picture

    @cached_property
    def _lens_gain(self) -> Float32Array:
        """(H, W), or (1, 1) of a lens that loses no light, the share of the light that arrives."""
        if self.settings.vignetting == 0.0:
            return np.ones((1, 1), dtype=np.float32)
        x = np.linspace(-1.0, 1.0, self.camera.width) * self.camera.width
        y = np.linspace(-1.0, 1.0, self.camera.height) * self.camera.height
        r2 = (x**2 + y[:, None] ** 2) / (self.camera.width**2 + self.camera.height**2)
        return np.asarray(1.0 - self.settings.vignetting * r2, dtype=np.float32)

    @cached_property
    def _noise(self) -> Float32Array:
        """(65536,) the standard normal distribution at evenly spaced probabilities."""
        from scipy.special import ndtri

        return np.asarray(ndtri((np.arange(_NOISE_VALUES) + 0.5) / _NOISE_VALUES), dtype=np.float32)


def _shares(rows: int, threads: int) -> list[tuple[int, int]]:
    """Return first and end of nearly equal runs of tile rows, one for each thread."""
    ends = np.linspace(0, rows, min(threads, rows) + 1).round().astype(int)
    return [(int(first), int(end)) for first, end in pairwise(ends)]


def _spread(light: Float32Array, sigma_px: float) -> Float32Array:
    import cv2

    blurred = cv2.GaussianBlur(light, (0, 0), sigma_px, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(blurred, dtype=np.float32)
