"""What the GoPro on the gripper records of a session: the file, with everything in it by its own clock."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from handloom.api import Progress
from handloom_sensors.gopro.writing import CameraSettings
from handloom_simulation.devices import measure_inertial, record_sound
from handloom_simulation.devices.microphones import noise_rms
from handloom_simulation.recordings.gopro_file import GoProContent, filtered_orientations, write_gopro
from handloom_simulation.recordings.painting import BlackPainter, Painter, pictures
from handloom_simulation.recordings.settings import Demonstration, SceneSettings
from handloom_simulation.recordings.timeline import Timeline

FloatArray = npt.NDArray[np.float64]

SERIAL = "C3461325742281"
"""Made up, in the form of a HERO11's."""

_COUNTED_US = 412_318_077
"""What the microsecond counter shows when the scene begins: the camera has been on for seven minutes."""


def record_gopro(
    path: Path,
    demonstration: Demonstration,
    timeline: Timeline,
    settings: SceneSettings,
    *,
    seed: int,
    progress: Progress | None = None,
) -> Path:
    """Write the GoPro's file of a session.

    Args:
        path: Where to.
        demonstration: The take and who paints it.
        timeline: When what is sampled.
        settings: How.
        seed: Of the session's noise.
        progress: Told the share done.
    """
    instants = timeline.frames.instants_ns()
    painter = _painter(demonstration)
    frames = pictures(painter, instants.tolist(), workers=settings.workers, progress=progress)
    return write_gopro(path, frames, settings.encoding, _content(demonstration, timeline, settings, seed))


def _painter(demonstration: Demonstration) -> Painter:
    if demonstration.quirks.black != "wrist":
        return demonstration.wrist
    height, width = demonstration.wrist.paint(int(demonstration.take.stamps[0])).shape[:2]
    return BlackPainter(width=width, height=height)


def _content(demonstration: Demonstration, timeline: Timeline, settings: SceneSettings, seed: int) -> GoProContent:
    take, quirks = demonstration.take, demonstration.quirks
    T_world_camera = take.pose_at("gripper", timeline.frames.instants_ns())
    wall_ns = timeline.wall_ns(timeline.frames.start_ns)
    calendar = timeline.gopro_calendar
    measured = measure_inertial(take, timeline.inertial, settings=settings.inertial, seed=seed)
    return GoProContent(
        sound=_sound(demonstration, timeline, settings, seed),
        inertial=None if quirks.no_telemetry else measured,
        orientations=filtered_orientations(T_world_camera, timeline.frames.rate_hz, seed),
        exposure_s=settings.exposure_s,
        orientation=settings.inertial.orientation,
        counter_us=_counter_us(timeline),
        camera=CameraSettings(
            serial=SERIAL,
            creation_time=calendar.creation_time(wall_ns),
            timecode=calendar.timecode(wall_ns, settings.frame_rate()),
            more={"EISE": "N", "EISA": "N/A", "VFOV": "W"},
        ),
    )


def _counter_us(timeline: Timeline) -> int:
    """Return the camera's counter at the first frame; it runs from the moment the camera is switched on."""
    return _COUNTED_US + (timeline.started_ns + timeline.frames.start_ns) // 1000


def _sound(demonstration: Demonstration, timeline: Timeline, settings: SceneSettings, seed: int) -> FloatArray:
    """Return two channels: one place, each with its own noise."""
    sampling = timeline.gopro_sound
    if demonstration.quirks.silent == "camera":
        return np.zeros((sampling.count, 2))
    left = record_sound(demonstration.take, "camera", sampling, settings=settings.sound, seed=seed)
    noise = np.random.default_rng([seed, 203]).standard_normal(len(left)) * noise_rms("camera", settings.sound)
    return np.stack([left, np.clip(left + noise, -1.0, 1.0)], axis=1)
