"""Whether a GoPro file belongs to a session: each piece of evidence by its name and residual, never a mere yes.

The Pi sets the camera's clock, notes when, and starts it; the camera writes its own time into the file to the
second. That tells files of a session apart, and no more: it is far too coarse to place frames.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import attrs

from handloom_sensors.timecode import DAY_S, timecode_s

Says = Literal["agrees", "contradicts", "says nothing"]

_ZONE_S = 900
"""Time zones are quarters of an hour apart, and a camera may keep local time."""


@attrs.frozen(kw_only=True)
class Evidence:
    """One thing that speaks for or against the file.

    Attributes:
        says: What it says.
        residual_s: By how much the two differ; None where one is unknown.
        about: What was compared, one sentence.
        zone_s: Whole quarters of an hour that were taken off before comparing.
    """

    says: Says
    residual_s: float | None
    about: str
    zone_s: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return attrs.asdict(self)


def creation_evidence(sync_ns: int | None, creation_ns: int | None, tolerance_s: float) -> Evidence:
    """Compare the container's creation time, whole seconds, with when the Pi set the camera's clock."""
    about = "Creation time of the file, to the second, against gopro_sync_time."
    if sync_ns is None or creation_ns is None:
        return Evidence(says="says nothing", residual_s=None, about=about)
    apart = (creation_ns - sync_ns) * 1e-9
    if abs(apart) <= tolerance_s:
        return Evidence(says="agrees", residual_s=apart, about=about)
    zone = round(apart / _ZONE_S) * _ZONE_S
    if 0 < abs(zone) <= 14 * 3600 and abs(apart - zone) <= tolerance_s:
        return Evidence(says="agrees", residual_s=apart - zone, about=about, zone_s=zone)
    return Evidence(says="contradicts", residual_s=apart, about=about)


def timecode_evidence(sync_ns: int | None, timecode: str, rate_hz: float, tolerance_s: float) -> Evidence:
    """Compare the timecode, a time of day to the frame, with when the Pi set the camera's clock.

    A difference is no contradiction: cameras keep the timecode's clock apart, which need not have been set.
    """
    about = "Timecode of the file, a time of day counted at the rounded frame rate, against gopro_sync_time."
    seconds = timecode_s(timecode, rate_hz)
    if sync_ns is None or seconds is None:
        return Evidence(says="says nothing", residual_s=None, about=about)
    apart = (seconds - sync_ns * 1e-9 % DAY_S + DAY_S / 2) % DAY_S - DAY_S / 2
    zone = round(apart / _ZONE_S) * _ZONE_S
    agrees = abs(apart - zone) <= tolerance_s
    return Evidence(says="agrees" if agrees else "says nothing", residual_s=apart - zone, about=about, zone_s=zone)


def duration_evidence(session_s: float | None, file_s: float, tolerance_s: float) -> Evidence:
    """Compare the lengths of session and file; the Pi stops the camera a little after itself."""
    about = "Length of the file against that of the session."
    if session_s is None:
        return Evidence(says="says nothing", residual_s=None, about=about)
    apart = file_s - session_s
    return Evidence(says="agrees" if abs(apart) <= tolerance_s else "contradicts", residual_s=apart, about=about)


def is_wrong(found: Mapping[str, Evidence]) -> bool:
    """Say whether the file is another session's: the camera's clock was set by the Pi, so its date decides.

    A whole time zone between the two is believed only where the lengths do not contradict as well.
    """
    creation, duration = found["creation_time"], found["duration"]
    return creation.says == "contradicts" or (creation.zone_s != 0 and duration.says == "contradicts")


def remarks(found: Mapping[str, Evidence]) -> list[str]:
    """Say where the evidence is weak."""
    creation, duration = found["creation_time"], found["duration"]
    said = []
    if creation.says == "says nothing":
        said.append(
            "Nothing dated ties the GoPro file to this session (no gopro_sync_time, or no creation time in the "
            f"file); that it lies in the session's folder is all there is{_but_heard(found['audio'])}."
        )
    if creation.zone_s:
        said.append(f"The GoPro's clock is {creation.zone_s / 3600:+g} h from the Pi's, taken to be a time zone.")
    if duration.says == "contradicts":
        said.append(
            f"The GoPro file is {abs(duration.residual_s or 0.0):.1f} s "
            f"{'longer' if (duration.residual_s or 0) > 0 else 'shorter'} than the session."
        )
    if found["audio"].says == "contradicts":
        said.append(
            "The GoPro file's sound has no chirp where the Pi played one: it is another session's file, or its "
            "microphone was deaf to it."
        )
    return said


def _but_heard(audio: Evidence) -> str:
    return ", but for the chirp in its sound, which is where it was played" if audio.says == "agrees" else ""
