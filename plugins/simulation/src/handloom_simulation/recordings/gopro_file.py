"""Writes a GoPro's MP4: pictures, stereo sound, and the telemetry that its readers expect."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import pose, quaternion
from handloom_sensors.gopro.writing import CameraSettings, write_gopro_file
from handloom_sensors.gpmf import Device, Payload, Signal, cut_payloads
from handloom_sensors.gpmf.hero11 import frame_signals, motion_signals
from handloom_simulation.devices.inertial import Inertial
from handloom_simulation.recordings.video import Encoding, write_video
from handloom_simulation.world import Picture

FloatArray = npt.NDArray[np.float64]
Int64Array = npt.NDArray[np.int64]

_PAYLOAD_S = 1.001
"""From one telemetry payload to the next. Source: GoPro files of 59.94 frames a second."""

_DOWN = np.array([0.0, 0.0, -1.0])


@attrs.frozen(kw_only=True, eq=False)
class GoProContent:
    """All that goes into a file but the pictures.

    Attributes:
        sound: (N, channels) at 48 kHz from the first frame on; None for a silent file.
        inertial: Of the motion sensors; None for a file without telemetry.
        orientations: (frames, 4) quaternions x y z w of R_world_camera.
        exposure_s: What SHUT says of every frame.
        orientation: ORIN.
        counter_us: What the camera's microsecond counter shows at the first frame.
        camera: Model, serial, creation time, timecode.
    """

    sound: FloatArray | None
    inertial: Inertial | None
    orientations: FloatArray
    exposure_s: float
    orientation: str
    counter_us: int
    camera: CameraSettings


def write_gopro(path: Path, frames: Iterable[Picture], encoding: Encoding, content: GoProContent) -> Path:
    """Write the file; its pictures pass through a scratch file beside it."""
    plain = path.with_suffix(".plain.mp4")
    try:
        write_video(plain, frames, encoding, content.sound)
        payloads = _payloads(content, encoding.rate) if content.inertial is not None else ()
        write_gopro_file(plain, payloads, path, content.camera)
    finally:
        plain.unlink(missing_ok=True)
    return path


def _payloads(content: GoProContent, rate: Fraction) -> tuple[Payload, ...]:
    assert content.inertial is not None
    end_s = float(len(content.orientations) / rate)
    starts_s = _PAYLOAD_S * np.arange(max(int(np.ceil(end_s / _PAYLOAD_S)), 1))
    counter = content.counter_us
    return cut_payloads(
        {Device("1", content.camera.model): [*_inertial(content), *_per_frame(content, rate)]},
        starts_us=(counter + np.rint(starts_s * 1e6).astype(np.int64)).tolist(),
        end_us=counter + round(end_s * 1e6),
    )


def _inertial(content: GoProContent) -> list[Signal]:
    inertial = content.inertial
    assert inertial is not None
    return motion_signals(
        inertial.specific_force,
        inertial.angular_velocity,
        stamps_us=content.counter_us + np.rint(inertial.times_s * 1e6).astype(np.int64),
        orientation=content.orientation,
        temperature_c=41.0,
    )


def _per_frame(content: GoProContent, rate: Fraction) -> list[Signal]:
    times_us = np.rint(np.arange(len(content.orientations)) * float(1e6 / rate)).astype(np.int64)
    return frame_signals(
        quaternion.multiply(quaternion.conjugate(content.orientations[0]), content.orientations),
        quaternion.rotate(quaternion.conjugate(content.orientations), _DOWN),
        stamps_us=content.counter_us + times_us,
        exposure_s=content.exposure_s,
    )


def filtered_orientations(T_world_camera: FloatArray, rate: float, seed: int) -> FloatArray:
    """Return what the camera's own filter makes of its orientation: the truth with a slow walk, (frames, 4)."""
    steps = np.random.default_rng([seed, 202]).standard_normal((len(T_world_camera), 3)) * 1e-3 / np.sqrt(rate)
    twists = np.concatenate([np.zeros_like(steps), np.cumsum(steps, axis=0)], axis=1)
    orientations: FloatArray = pose.compose(T_world_camera, pose.exp(twists))[:, 3:]
    return orientations
