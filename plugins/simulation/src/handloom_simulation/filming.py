"""Films demonstrations of the lab: a motion, what the wrist camera and the finger camera see of it, a session."""

from __future__ import annotations

from typing import Any, Literal

import attrs
import numpy as np

from handloom.geometry import CameraModel
from handloom_simulation.cameras import CIRCLES_DEG, PRESETS, cropped, scaled
from handloom_simulation.motions import TakeSettings, make_take
from handloom_simulation.recordings.settings import Demonstration, Quirks
from handloom_simulation.render import Renderer, RenderSettings
from handloom_simulation.scene import LabSettings, lab_world
from handloom_simulation.tactile import TactilePainter
from handloom_simulation.take import Take
from handloom_simulation.world import Picture

WRIST = RenderSettings(
    exposure_s=1 / 240, readout_s=0.008, read_noise_grey=0.8, shot_noise_grey=1.5, vignetting=0.2
)
"""Exposure, shutter, lens and sensor of a wrist camera as they come."""


@attrs.frozen(kw_only=True)
class Filming:
    """How demonstrations are filmed.

    Attributes:
        lens: Wrist camera, by its name among the presets.
        width: Of its pictures.
        height: Of its pictures, cut from the middle; 0 keeps the lens's own shape.
        lab: What is to be seen.
        render: Exposure, shutter, lens and sensor of the wrist camera.
        finger_width: Of the finger camera's pictures; they are 16 to 9.
    """

    lens: str = "umi_gopro"
    width: int = 676
    height: int = 0
    lab: LabSettings = attrs.field(factory=LabSettings)
    render: RenderSettings = WRIST
    finger_width: int = 1152

    def camera(self) -> CameraModel:
        """Return the exact model of the wrist camera at its size."""
        camera = scaled(PRESETS[self.lens], self.width)
        return cropped(camera, self.width, self.height) if self.height else camera

    def optics(self) -> RenderSettings:
        """Return the render settings with the lens's own image circle, unless they set another one."""
        if self.render.circle_deg is not None:
            return self.render
        return attrs.evolve(self.render, circle_deg=CIRCLES_DEG.get(self.lens))

    def demonstration(
        self,
        motion: str,
        *,
        seed: int,
        take: TakeSettings | None = None,
        type_: Literal["EPISODE", "MAPPING"] = "EPISODE",
        quirks: Quirks | None = None,
        stop_s: float | None = None,
    ) -> Demonstration:
        """Act out a motion before the cameras.

        Args:
            motion: One of `MOTIONS`.
            seed: Of the motion.
            take: How quickly and how steadily.
            type_: Of the session.
            quirks: What is odd or broken in its recording.
            stop_s: When everybody stops filming, whatever is still going on; None films all of it.
        """
        return self.of_take(
            make_take(motion, seed=seed, settings=take),
            type_=type_,
            quirks=quirks,
            stop_s=stop_s,
            notes=motion.replace("_", " "),
        )

    def of_take(
        self,
        acted: Take,
        *,
        type_: Literal["EPISODE", "MAPPING"] = "EPISODE",
        quirks: Quirks | None = None,
        stop_s: float | None = None,
        notes: str = "",
    ) -> Demonstration:
        """Film a take that was acted already.

        Args:
            acted: The take.
            type_: Of the session.
            quirks: What is odd or broken in its recording.
            stop_s: When everybody stops filming; None films all of it.
            notes: What people wrote of it.
        """
        if stop_s is not None:
            acted = shortened(acted, stop_s)
        return Demonstration(
            take=acted,
            wrist=LabPainter(acted, self),
            finger=TactilePainter(
                take=acted, width=self.finger_width, height=2 * round(self.finger_width * 9 / 32)
            ),
            type=type_,
            quirks=quirks or Quirks(),
            notes=notes,
        )


def shortened(take: Take, seconds: float) -> Take:
    """Return the first part of a take."""
    end_ns = int(take.stamps[0]) + round(seconds * 1e9)
    kept = slice(int(np.searchsorted(take.stamps, end_ns, side="right")))
    return attrs.evolve(
        take,
        stamps=take.stamps[kept],
        poses={body: poses[kept] for body, poses in take.poses.items()},
        width_m=take.width_m[kept],
        pad_force_n=take.pad_force_n[kept],
        pad_shear_n=take.pad_shear_n[kept],
        slide_speed_m_per_s=take.slide_speed_m_per_s[kept],
        impacts=tuple(impact for impact in take.impacts if impact.stamp <= end_ns),
        chirps=tuple(chirp for chirp in take.chirps if chirp <= end_ns),
    )


class LabPainter:
    """Renders what the wrist camera sees of a take.

    Args:
        take: Where everything is.
        filming: How it is filmed.
    """

    def __init__(self, take: Take, filming: Filming) -> None:
        self._take = take
        self._filming = filming
        self._renderer: Renderer | None = None

    def paint(self, stamp_ns: int) -> Picture:
        """Return the picture of an instant, the lab being built at the first."""
        if self._renderer is None:
            filming = self._filming
            self._renderer = Renderer(lab_world(filming.lab), filming.camera(), filming.optics())
        return self._renderer.frame(self._take, stamp_ns)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the renderer behind: a process that paints builds its own."""
        return {**self.__dict__, "_renderer": None}
