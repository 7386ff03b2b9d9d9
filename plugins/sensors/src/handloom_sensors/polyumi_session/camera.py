"""The GoPro's part of a session: its streams under names of their own, and the evidence that it belongs here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from handloom.api import OutputPort, Outputs, Progress
from handloom.errors import RecordingError
from handloom.streams import Samples, Stream, Video
from handloom_sensors.gopro import GoPro, GoProConfig
from handloom_sensors.gopro.chapters import chapter_of
from handloom_sensors.gopro_or_video import read_gopro_or_video, without_folders
from handloom_sensors.polyumi_session import matching
from handloom_sensors.polyumi_session.chirp_heard import audio_evidence
from handloom_sensors.polyumi_session.metadata import Metadata
from handloom_sensors.timecode import iso_ns

FILE = "gopro.mp4"
CLOCK = "@/gopro"
PREFIX = "gopro_"


@attrs.frozen(kw_only=True)
class Tolerances:
    """How far a GoPro file may be from its session.

    Attributes:
        creation_s: Between the file's creation time and when the Pi set the camera's clock.
        duration_s: Between the lengths of file and session.
        refuse: Whether the streams of a file that is another session's are left out; a note says so either way.
    """

    creation_s: float
    duration_s: float
    refuse: bool


def gopro_outputs(config: GoProConfig) -> dict[str, OutputPort]:
    """Declare what a session may have of its GoPro, on the clock "@/gopro"."""
    declared = GoPro.ports(config).outputs
    return {
        f"{PREFIX}{name}": OutputPort(type=port.type.bind(CLOCK), optional=True) for name, port in declared.items()
    }


def gopro_files(session: Path, given: Sequence[Path]) -> tuple[Path, ...]:
    """Return the GoPro's file or chapters: those given, else gopro.mp4, else what is named as by a GoPro."""
    if given:
        return tuple(given)
    if (session / FILE).is_file():
        return (session / FILE,)
    return tuple(sorted(path for path in session.iterdir() if path.suffix.lower() == ".mp4" and chapter_of(path)))


def read_gopro(files: Sequence[Path], config: GoProConfig, progress: Progress) -> Outputs:
    """Read the GoPro's streams; a file that can't be read costs only them, and a note says so."""
    if not files:
        return Outputs(notes=(f"There is no {FILE}: the session has no pictures or sound of a GoPro.",))
    try:
        found = read_gopro_or_video(tuple(files), config, progress)
    except RecordingError as error:
        return Outputs(notes=(f"The GoPro's streams are left out: {without_folders(str(error), files)}",))
    streams = {
        f"{PREFIX}{name}": attrs.evolve(stream, type=stream.type.bind(CLOCK))
        for name, stream in found.streams.items()
    }
    notes = tuple(without_folders(note, files) for note in found.notes)
    return attrs.evolve(found, streams=streams, notes=notes)


def match(
    streams: Mapping[str, Stream],
    metadata: Metadata,
    lasts_ns: int | None,
    played: int | None,
    tolerances: Tolerances,
) -> dict[str, matching.Evidence]:
    """Collect the evidence that the GoPro's file is this session's.

    Args:
        streams: The GoPro's, under their names in the session; none gives no evidence.
        metadata: The session's.
        lasts_ns: How long the session's sound is; None without.
        played: When the Pi played the chirp, int64 ns since 1970; None where nothing tells it.
        tolerances: What counts as agreement.
    """
    video = streams.get(f"{PREFIX}video")
    if not isinstance(video, Video):
        return {}
    sync = metadata.instant_ns("gopro_sync_time")
    session_s = metadata.number("duration_s")
    if session_s is None and lasts_ns is not None:
        session_s = lasts_ns * 1e-9
    about: Mapping[str, Any] = video.attributes
    return {
        "creation_time": matching.creation_evidence(
            sync, iso_ns(str(about.get("creation_time", ""))), tolerances.creation_s
        ),
        "timecode": matching.timecode_evidence(
            sync, str(about.get("timecode", "")), video.rate_hz(), tolerances.creation_s
        ),
        "duration": matching.duration_evidence(session_s, _length_s(video), tolerances.duration_s),
        "audio": audio_evidence(
            _sound(streams),
            None if sync is None or played is None else (played - sync) * 1e-9,
            tolerances.creation_s,
        ),
    }


def _sound(streams: Mapping[str, Stream]) -> Samples | None:
    sound = streams.get(f"{PREFIX}audio")
    return sound if isinstance(sound, Samples) else None


def _length_s(video: Video) -> float:
    """Return the time from the first frame to the end of the last."""
    shown = len(video) - 1
    return float((video.stamps[-1] - video.stamps[0]) * 1e-9 * (1 + 1 / shown)) if shown else 0.0


def judge(
    found: Mapping[str, matching.Evidence], session: str, tolerances: Tolerances
) -> tuple[bool, tuple[str, ...]]:
    """Return whether the file's streams are taken, and what is to be said of the match."""
    if not found:
        return True, ()
    if not matching.is_wrong(found):
        return True, tuple(matching.remarks(found))
    sentence = f"{session}: the GoPro file is not this session's: {_how_wrong(found, tolerances)}."
    if not tolerances.refuse:
        return True, (sentence,)
    return False, (
        f"{sentence} Its streams are left out; put the right file there as {FILE}, or set "
        f"refuse_wrong_gopro = false if the camera's clock was wrong.",
    )


def _how_wrong(found: Mapping[str, matching.Evidence], tolerances: Tolerances) -> str:
    creation = found["creation_time"]
    apart = (creation.residual_s or 0.0) + creation.zone_s
    length = found["duration"].residual_s
    lengths = ""
    if length is not None and abs(length) > tolerances.duration_s:
        lengths = f", and it is {abs(length):.1f} s {'longer' if length > 0 else 'shorter'}"
    return (
        f"it was begun {abs(apart):.1f} s {'after' if apart > 0 else 'before'} the Pi set the camera's clock and "
        f"started it (expected within {tolerances.creation_s:g} s){lengths}"
    )
