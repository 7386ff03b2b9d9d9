"""Whether the GoPro's sound holds the session's own chirp, where the Pi says that it was played."""

from __future__ import annotations

from handloom.errors import StepError
from handloom.streams import Samples
from handloom_sensors.polyumi_session.matching import Evidence
from handloom_sensors.sync.chirp_settings import ChirpSyncConfig
from handloom_sensors.sync.search import find
from handloom_sensors.sync.track import Track, track_of

_CHIRP = ChirpSyncConfig()


def audio_evidence(sound: Samples | None, expected_s: float | None, tolerance_s: float) -> Evidence:
    """Look for the chirp in the file's sound.

    Args:
        sound: The GoPro's; None without.
        expected_s: When the Pi played the chirp, since it started the camera; None where it does not say.
        tolerance_s: How far the chirp may be from there, as the camera takes a while to start.
    """
    about = "Where the file's sound has the chirp, against when the Pi played it after it had started the camera."
    nothing = Evidence(says="says nothing", residual_s=None, about=about)
    track = _track(sound)
    if track is None or expected_s is None:
        return nothing
    (sweep,) = _CHIRP.pattern().sweeps
    first, last = (round((expected_s + way * tolerance_s) * track.rate_hz) for way in (-1, 1))
    start, end = max(0, first), min(len(track), last)
    found = find(track, sweep, start=start, end=end, gate=_CHIRP.rules().gate)[0] if start < end else []
    if found:
        nearest = min((each.onset / track.rate_hz - expected_s for each in found), key=abs)
        return Evidence(says="agrees", residual_s=nearest, about=about)
    # A chirp that may lie before the sound or behind it is not missing.
    is_inside = first >= 0 and last + sweep.count(track.rate_hz) <= len(track)
    return Evidence(says="contradicts", residual_s=None, about=about) if is_inside else nothing


def _track(sound: Samples | None) -> Track | None:
    """Return the sound as a search sees it; None where there is nothing to be heard in it."""
    if sound is None:
        return None
    try:
        return track_of(sound, "GoPro's", 0)
    except StepError:
        return None
