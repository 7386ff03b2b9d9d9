"""How a lab's recordings are made: sizes, rates, devices, and what goes wrong on request."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Literal

import attrs

from handloom_simulation.devices import (
    InertialSettings,
    ServoSettings,
    SlamSettings,
    SoundSettings,
    TrackerSettings,
    optitrack_settings,
    vr_settings,
)
from handloom_simulation.devices.clocks import LARGEST_DRIFT_PPM
from handloom_simulation.recordings.motive import MotiveFormat
from handloom_simulation.recordings.painting import Painter, PatternPainter
from handloom_simulation.recordings.top_camera import TopCameraSettings
from handloom_simulation.recordings.video import Encoding
from handloom_simulation.take import Take


@attrs.frozen(kw_only=True)
class Quirks:
    """What is odd or broken in one session; by default nothing is.

    Attributes:
        monotonic_stamps: The audio and chirp stamps are on the monotonic clock, as older senders wrote them.
        late_audio_s: The audio's start is stamped this late, 0.020 in older senders.
        told_size: What the metadata say of the finger camera's size, (620, 480) in real files, whatever the JPEGs
            are; None tells the truth.
        lost_metadata: The Pi lost power before it could write the metadata's anchors.
        missing_frames: (first, count) of finger frames whose files are not there, though their stamps are.
        dropped_frames: (first, count) of finger frames that the Pi never captured.
        odd_jpeg: Index of a finger frame of half the size; None for none.
        clock_jump_s: In the middle the Pi's clock jumps forward by this.
        no_audio: There is no audio.wav.
        no_gopro: There is no gopro.mp4.
        gopro_of: Index of the session whose gopro.mp4 lies here; None for its own.
        no_telemetry: The gopro.mp4 has no telemetry track, as after a re-encoding.
        cut_chirp: Which recorder started only when half of the first chirp was over.
        silent: Which microphone recorded zeros.
        black: Which camera recorded black.
    """

    monotonic_stamps: bool = False
    late_audio_s: float = 0.0
    told_size: tuple[int, int] | None = None
    lost_metadata: bool = False
    missing_frames: tuple[int, int] | None = None
    dropped_frames: tuple[int, int] | None = None
    odd_jpeg: int | None = None
    clock_jump_s: float = 0.0
    no_audio: bool = False
    no_gopro: bool = False
    gopro_of: int | None = None
    no_telemetry: bool = False
    cut_chirp: Literal["", "camera", "pi"] = ""
    silent: Literal["", "camera", "air", "piezo"] = ""
    black: Literal["", "wrist", "finger"] = ""


@attrs.frozen(kw_only=True, eq=False)
class Demonstration:
    """One take and who paints what its cameras see.

    Attributes:
        take: The truth.
        wrist: Paints the GoPro's pictures.
        finger: Paints the finger camera's.
        top: Paints those of the camera over the table; None where there is none.
        type: MAPPING for the walk that maps the scene.
        quirks: What is odd or broken.
        notes: What people wrote of it; "" for nothing.
    """

    take: Take
    wrist: Painter = attrs.field(factory=lambda: PatternPainter(width=320, height=240))
    finger: Painter = attrs.field(factory=lambda: PatternPainter(width=1152, height=648))
    top: Painter | None = None
    type: Literal["EPISODE", "MAPPING"] = "EPISODE"
    quirks: Quirks = attrs.field(factory=Quirks)
    notes: str = ""


@attrs.frozen(kw_only=True)
class SceneSettings:
    """What all sessions of a scene share.

    Attributes:
        seed: Of clocks and noise.
        encoding: Of the GoPro's pictures.
        exposure_s: What the GoPro says of its shutter.
        finger_rate_hz: Of the finger camera; 0 for none.
        jpeg_quality: Of the finger camera, 0 to 100.
        gopro_start_s: Instant of the take at which the GoPro takes its first frame.
        pi_start_s: Instant at which the Pi begins.
        gopro_stops_s: How long before the take's end the GoPro stops.
        pi_stops_s: How long before the take's end the Pi stops. Source: PolyUMI, about 0.65 s before the GoPro.
        pause_s: From the end of one take to the beginning of the next.
        largest_drift_ppm: Of any clock.
        wall_time: When the scene began, ISO 8601.
        task: What people wrote of the task.
        scene_suffix: Last part of the scene folder's name; "" for one drawn from the seed.
        sound: How the lab sounds.
        inertial: The GoPro's motion sensors.
        servo: The jaw; None writes no ticks.
        optitrack: The OptiTrack system; None for none.
        motive: How its take is exported.
        vr: A VR tracker; None for none.
        top: The camera over the table, for demonstrations that have a painter of it.
        slam: A trajectory as a SLAM would have found it; None for none.
        workers: Processes that paint pictures.
    """

    seed: int = 0
    encoding: Encoding = attrs.field(factory=Encoding)
    exposure_s: float = 1 / 240
    finger_rate_hz: float = 10.0
    jpeg_quality: int = 90
    gopro_start_s: float = 0.03
    pi_start_s: float = 0.06
    gopro_stops_s: float = 0.03
    pi_stops_s: float = 0.3
    pause_s: float = 12.0
    largest_drift_ppm: float = LARGEST_DRIFT_PPM
    wall_time: str = "2026-07-29T20:30:04.361+00:00"
    task: str = "red cube onto the plate"
    scene_suffix: str = ""
    sound: SoundSettings = attrs.field(factory=SoundSettings)
    inertial: InertialSettings = attrs.field(factory=InertialSettings)
    servo: ServoSettings | None = attrs.field(factory=ServoSettings)
    optitrack: TrackerSettings | None = attrs.field(factory=optitrack_settings)
    motive: MotiveFormat = attrs.field(factory=MotiveFormat)
    vr: TrackerSettings | None = attrs.field(factory=vr_settings)
    top: TopCameraSettings = attrs.field(factory=TopCameraSettings)
    slam: SlamSettings | None = attrs.field(factory=SlamSettings)
    workers: int = 1

    def wall_ns(self) -> int:
        """Return the scene's beginning, ns since 1970 UTC."""
        since = dt.datetime.fromisoformat(self.wall_time) - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
        return (since // dt.timedelta(microseconds=1)) * 1000

    def frame_rate(self) -> Fraction:
        """Return the GoPro's frames a second."""
        return self.encoding.rate
