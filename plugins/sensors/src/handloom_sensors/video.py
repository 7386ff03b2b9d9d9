"""The sensor `video`: any camera's video files, with their sound where they have it."""

from __future__ import annotations

from pathlib import Path

import attrs

from handloom.api import OutputPort, Outputs, Ports, Progress, Sensor, hookimpl
from handloom.errors import MediaError, RecordingError
from handloom.media import IndexedVideo, has_audio, index_video, read_audio
from handloom.streams import AUDIO, VIDEO, Samples, Stream
from handloom_sensors.sound_coverage import sound_coverage


@attrs.frozen(kw_only=True)
class VideoConfig:
    """Settings of a camera without telemetry.

    Attributes:
        allow_truncated: Whether to keep what is there of a file that breaks off; a note says how much is missing.
    """

    allow_truncated: bool = True


class VideoSensor(Sensor):
    """Reads one video, or the chapters of one recording in the given order."""

    Config = VideoConfig
    summary = "Video files of any camera, with their sound"

    @classmethod
    def ports(cls, config: VideoConfig) -> Ports:
        """Declare the pictures, and the sound where there is any, both on the camera's own clock."""
        return Ports(
            outputs={"video": OutputPort(type=VIDEO), "audio": OutputPort(type=AUDIO, optional=True)},
            files="one video file, or its chapters in order",
        )

    def read(self, files: tuple[Path, ...], progress: Progress) -> Outputs:
        """Index the pictures and read the sound, on one time axis.

        Raises:
            RecordingError: A file can't be read as video.
        """
        progress(0.0)
        try:
            indexed = index_video(files, allow_truncated=self.config.allow_truncated)
            progress(0.5)
            sound, notes = _read_sound(indexed)
        except MediaError as error:
            raise RecordingError(str(error)) from error
        streams: dict[str, Stream] = {"video": indexed.video}
        if sound is not None:
            streams["audio"] = sound
        progress(1.0)
        return Outputs(streams=streams, attributes=indexed.video.attributes, notes=(*indexed.notes, *notes))


def _read_sound(indexed: IndexedVideo) -> tuple[Samples | None, tuple[str, ...]]:
    """Return the sound of all chapters that have it, each where its pictures are."""
    sounding = [file for file in indexed.video.files if has_audio(file.path)]
    if not sounding:
        return None, ()
    audio = read_audio(tuple(file.path for file in sounding), [file.start_ns for file in sounding])
    silent = tuple(
        f"{file.path.name} has no sound although other chapters of its recording do."
        for file in indexed.video.files
        if file not in sounding
    )
    return audio.samples, (*silent, *audio.notes, *sound_coverage(indexed.video, audio.samples))


@hookimpl
def sensor(kind: str) -> type[Sensor]:
    """Return the sensor for `video`."""
    return VideoSensor
