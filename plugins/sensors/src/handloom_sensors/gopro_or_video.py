"""Reads a GoPro's file, as plain video where its telemetry is gone: a note says so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import attrs

from handloom.api import Outputs, Progress
from handloom.errors import NoTelemetryError
from handloom_sensors.gopro import GoPro, GoProConfig
from handloom_sensors.video import VideoSensor


def read_gopro_or_video(files: tuple[Path, ...], config: GoProConfig, progress: Progress) -> Outputs:
    """Read pictures, sound and, where there is any, telemetry.

    Args:
        files: One MP4, or the chapters of one recording.
        config: Of the GoPro.
        progress: Told the share done.

    Raises:
        RecordingError: A file can't be read even as video.
    """
    try:
        return GoPro(config).read(files, progress)
    except NoTelemetryError:
        plain = VideoSensor().read(files, lambda _: None)
        progress(1.0)
        note = (
            f"{files[0].name} has no GoPro telemetry track, as after re-encoding: its pictures and sound are read "
            f"without motion data."
        )
        return attrs.evolve(plain, notes=(note, *plain.notes))


def without_folders(text: str, files: Sequence[Path]) -> str:
    """Return a sentence with the names of files in place of their paths, as a store may keep it."""
    for path in files:
        text = text.replace(str(path), path.name)
    return text
