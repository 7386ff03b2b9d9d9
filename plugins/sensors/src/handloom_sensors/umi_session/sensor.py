"""Reads one demonstration of a UMI gripper: a GoPro's MP4, alone or in its folder of `demos`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import attrs

from handloom.api import Outputs, Ports, Progress, Sensor
from handloom.errors import MediaError, RecordingError
from handloom.streams import Stream, Video
from handloom_sensors.gopro import GoPro, GoProConfig
from handloom_sensors.gopro_or_video import read_gopro_or_video
from handloom_sensors.timecode import began_ns, iso_ns
from handloom_sensors.umi_session.naming import DEMO_FILE, Named, is_recording, named

_FAR_APART_S = 5.0
"""A timecode and a creation time that differ by more come from clocks of which one was not set."""


class UmiSession(Sensor):
    """A UMI gripper: one recorded "file" is an MP4 of `raw_videos`, or a folder of `demos`."""

    Config: ClassVar[type] = GoProConfig
    summary: ClassVar[str] = (
        "UMI demonstrations: the GoPro's video, sound and telemetry, and what the recording is for"
    )
    version: ClassVar[int] = 1

    @classmethod
    def ports(cls, config: GoProConfig) -> Ports:
        """Declare what a GoPro may have."""
        return attrs.evolve(GoPro.ports(config), files="one MP4 of raw_videos, or one folder of demos")

    def read(self, files: tuple[Path, ...], progress: Progress) -> Outputs:
        """Read one demonstration.

        Raises:
            RecordingError: There is no such file or folder, the folder holds no single recording, or the file
                can't be read as video.
        """
        recording = _recording_of(files)
        try:
            found = read_gopro_or_video((recording, *files[1:]), self.config, progress)
        except MediaError as error:
            raise RecordingError(str(error)) from error
        about, notes = _about(named(recording), found.attributes, found.streams)
        return attrs.evolve(found, attributes={**found.attributes, **about}, notes=(*found.notes, *notes))


def _recording_of(files: tuple[Path, ...]) -> Path:
    """Return the MP4 that a file or folder means."""
    if not files:
        raise RecordingError("No file was given; name one MP4 of raw_videos, or one folder of demos.")
    given = files[0]
    if not given.is_dir():
        return given
    if (given / DEMO_FILE).is_file():
        return given / DEMO_FILE
    found = sorted(path for path in given.iterdir() if is_recording(path))
    if len(found) != 1:
        raise RecordingError(
            f"{given}: the folder holds {len(found)} MP4 files and no {DEMO_FILE}; expected one demonstration. "
            f"For a folder of several see: handloom umi-episodes '{given}'"
        )
    return found[0]


def _about(
    name: Named, attributes: Mapping[str, Any], streams: Mapping[str, Stream]
) -> tuple[dict[str, Any], list[str]]:
    """Return what the recording is for and when it began, each with where that comes from."""
    written = str(attributes.get("camera_serial", ""))
    video = streams["video"]
    rate_hz = video.rate_hz() if isinstance(video, Video) else float("nan")
    created, code = str(attributes.get("creation_time", "")), str(attributes.get("timecode", ""))
    began, by_date = began_ns(created, code, rate_hz), iso_ns(created)
    apart_s = None if began is None or by_date is None or not code else (began - by_date) * 1e-9
    about = {
        "role": name.role,
        "role_from": "name" if name.role else "",
        "camera_serial": written or name.serial,
        "camera_serial_from": "file" if written else "name" if name.serial else "",
        "began_ns": began,
        "began_from": ""
        if began is None
        else "creation date and timecode"
        if code
        else "creation time, to the second",
        "timecode_minus_creation_time_s": apart_s,
    }
    return about, list(_notes(name, written, apart_s))


def _notes(name: Named, written: str, apart_s: float | None) -> list[str]:
    said = []
    if written and name.serial and written != name.serial:
        said.append(
            f"The folder is named after camera {name.serial} and the file is from camera {written}; the file is "
            f"believed."
        )
    if not written and not name.serial:
        said.append("Neither the file nor its folder's name tells the camera's serial number.")
    if apart_s is not None and abs(apart_s) > _FAR_APART_S:
        said.append(
            f"The timecode and the creation time differ by {apart_s:+.1f} s; the start is told by the timecode, "
            f"and one of the two clocks was not set."
        )
    return said
