"""Reads a GoPro's recording: pictures, sound and everything its telemetry says, on one clock."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

import attrs

from handloom.api import OutputPort, Outputs, Ports, Progress, Sensor
from handloom.errors import MediaError, NoTelemetryError, RecordingError
from handloom.media import DataPacket, MediaInfo, has_audio, index_video, probe, read_audio, read_data_packets
from handloom.streams import AUDIO, VIDEO, Stream, Video
from handloom_sensors.gopro.chapters import in_order
from handloom_sensors.gopro.names import EXTRA, RAW_NAMES, TYPES
from handloom_sensors.gopro.recording import Recording
from handloom_sensors.gopro.settings import read_settings
from handloom_sensors.gpmf.axes import labels_from_channels
from handloom_sensors.gpmf.telemetry import Payload
from handloom_sensors.sound_coverage import sound_coverage

HANDLER = "GoPro MET"
TAG = "gpmd"


def _known_axes(_: object, __: object, letters: str) -> None:
    if letters:
        try:
            labels_from_channels(letters)
        except RecordingError as error:
            raise ValueError(str(error)) from error


def _plain_names(_: object, __: object, names: tuple[str, ...]) -> None:
    for name in names:
        if not re.fullmatch(r"[a-z0-9_]+", name) or name in TYPES or name in ("video", "audio"):
            raise ValueError(
                f"'{name}' is no name of a further stream; expected a FourCC in lower case like 'wrgb', with the "
                f"device's name before it for another device's."
            )


def _as_tuple(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(names)


@attrs.frozen(kw_only=True)
class GoProConfig:
    """Settings of a GoPro.

    Attributes:
        audio: Whether to read the sound.
        orientation: Order and sign of the motion sensor's axes (as ORIN gives it, "ZXY") for a camera that does
            not record it, like the HERO5; used only where the file says nothing. Left out, such a camera's streams
            are "accelerometer_raw" and "gyroscope_raw", along the axes they were recorded in.
        extra_streams: Further telemetry streams to wire, by name: "wrgb", "gopro_karma_v1_0_attd". All telemetry
            is stored whether listed or not; only listed ones are known before a file is opened.
    """

    audio: bool = True
    orientation: str = attrs.field(default="", validator=_known_axes)
    extra_streams: tuple[str, ...] = attrs.field(default=(), converter=_as_tuple, validator=_plain_names)


class GoPro(Sensor):
    """A GoPro, HERO5 or later."""

    Config: ClassVar[type] = GoProConfig
    summary: ClassVar[str] = "GoPro recordings: video, sound, motion sensors, GPS and all other telemetry"
    version: ClassVar[int] = 1

    @classmethod
    def ports(cls, config: GoProConfig) -> Ports:
        """Declare the streams a GoPro may have; only the video is always there."""
        outputs = {"video": OutputPort(type=VIDEO)}
        if config.audio:
            outputs["audio"] = OutputPort(type=AUDIO, optional=True)
        never = frozenset(RAW_NAMES.values() if config.orientation else ())
        outputs |= {
            name: OutputPort(type=type_, optional=True) for name, type_ in TYPES.items() if name not in never
        }
        outputs |= {name: OutputPort(type=EXTRA, optional=True) for name in config.extra_streams}
        return Ports(outputs=outputs, files="one MP4 of a GoPro, or all chapters of one recording")

    def read(self, files: tuple[Path, ...], progress: Progress) -> Outputs:
        """Read the chapters of one recording, in whatever order they are given.

        Raises:
            NoTelemetryError: No file has a telemetry track.
            RecordingError: The files are not the chapters of one recording, one can't be read as video, or their
                telemetry is garbage.
        """
        try:
            return self._read(files, progress)
        except MediaError as error:
            raise RecordingError(str(error)) from error

    def _read(self, files: tuple[Path, ...], progress: Progress) -> Outputs:
        config: GoProConfig = self.config
        chapters, notes = in_order(files)
        info = probe(chapters[0])
        packets = [read_data_packets(path, handler=HANDLER, tag=TAG) for path in chapters]
        if not any(packets):
            raise NoTelemetryError(_no_telemetry(chapters[0], info))
        indexed = index_video(chapters)
        progress(0.3)
        streams: dict[str, Stream] = {"video": indexed.video}
        said = [*notes, *indexed.notes, *_chapters_without(chapters, packets)]
        if config.audio and has_audio(chapters[0]):
            sound = read_audio(chapters, [file.start_ns for file in indexed.video.files])
            streams["audio"] = sound.samples
            said += [*sound.notes, *sound_coverage(indexed.video, sound.samples)]
        progress(0.7)
        recording = Recording(
            video=indexed.video,
            info=info,
            payloads=_payloads(packets, indexed.video),
            settings=read_settings(chapters[0]),
        )
        telemetry = recording.telemetry(config.orientation, streams)
        progress(1.0)
        return attrs.evolve(telemetry, streams={**streams, **telemetry.streams}, notes=(*said, *telemetry.notes))


def _no_telemetry(path: Path, info: MediaInfo) -> str:
    tracks = ", ".join(f"{track.type} {track.codec}".strip() for track in info.tracks) or "none"
    return (
        f"{path} has no GoPro telemetry track (found tracks: {tracks}); the file is from another camera or was "
        f're-encoded; use kind = "video" for a plain video.'
    )


def _chapters_without(chapters: Sequence[Path], packets: Sequence[Sequence[DataPacket]]) -> list[str]:
    return [
        f"{path.name} has no telemetry track, unlike the other chapters; it may have been re-encoded."
        for path, found in zip(chapters, packets, strict=True)
        if not found
    ]


def _payloads(packets: Sequence[Sequence[DataPacket]], video: Video) -> tuple[Payload, ...]:
    """Put the payloads of all chapters on the device's clock; one without a time follows the one before."""
    payloads: list[Payload] = []
    for chapter, (found, file) in enumerate(zip(packets, video.files, strict=True)):
        end = 0
        for packet in found:
            start = end if packet.pts_ns is None else packet.pts_ns
            duration_ns = packet.duration_ns or 0
            end = start + duration_ns
            payloads.append(
                Payload(
                    data=packet.payload, pts_ns=start + file.start_ns, duration_ns=duration_ns, chapter=chapter
                )
            )
    return tuple(payloads)
