"""The step kind `contact_audio`: a block of sound for each video frame, and log-mel images on demand."""

from __future__ import annotations

from handloom.api import Step, hookimpl
from handloom_sensors.contact_audio.log_mel import LogMel, log_mel
from handloom_sensors.contact_audio.step import ContactAudio, ContactAudioConfig

__all__ = ["ContactAudio", "ContactAudioConfig", "LogMel", "log_mel", "step"]


@hookimpl
def step(kind: str) -> type[Step] | None:
    """Return the class for kind "contact_audio"."""
    return ContactAudio if kind == "contact_audio" else None
