"""The sensor `audio`: a microphone's sound files, WAV or FLAC or what else FFmpeg reads."""

from __future__ import annotations

from pathlib import Path

from handloom.api import NoConfig, OutputPort, Outputs, Ports, Progress, Sensor, hookimpl
from handloom.errors import MediaError, RecordingError
from handloom.media import read_audio
from handloom.streams import AUDIO


class AudioSensor(Sensor):
    """Reads one sound file, or several that follow one another."""

    summary = "Sound files of any recorder"

    @classmethod
    def ports(cls, config: NoConfig) -> Ports:
        """Declare the sound, on the recorder's own clock."""
        return Ports(outputs={"audio": OutputPort(type=AUDIO)}, files="one sound file, or several in order")

    def read(self, files: tuple[Path, ...], progress: Progress) -> Outputs:
        """Read every sample.

        Raises:
            RecordingError: A file can't be read as sound.
        """
        progress(0.0)
        try:
            audio = read_audio(files)
        except MediaError as error:
            raise RecordingError(str(error)) from error
        progress(1.0)
        return Outputs(streams={"audio": audio.samples}, attributes=audio.samples.attributes, notes=audio.notes)


@hookimpl
def sensor(kind: str) -> type[Sensor]:
    """Return the sensor for `audio`."""
    return AudioSensor
