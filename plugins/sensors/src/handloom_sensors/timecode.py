"""When a recording began by the camera's own calendar: its timecode, and the date that goes with it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

DAY_S = 86_400
_TIMECODE = re.compile(r"(\d\d):(\d\d):(\d\d)[:;](\d\d+)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def timecode_s(timecode: str, rate_hz: float) -> float | None:
    """Return a non-drop timecode as seconds since midnight; its frames count at the rounded rate.

    Args:
        timecode: "12:34:56:07".
        rate_hz: Frames a second.

    Returns:
        None for a text that is no timecode.
    """
    match = _TIMECODE.fullmatch(timecode.strip())
    frames_a_second = round(rate_hz) if rate_hz == rate_hz else 0
    if match is None or frames_a_second <= 0:
        return None
    hours, minutes, seconds, frames = map(int, match.groups())
    return 3600 * hours + 60 * minutes + seconds + frames / frames_a_second


def iso_ns(text: str) -> int | None:
    """Return an ISO 8601 time as ns since 1970, None for a text that is none; without a zone it is UTC."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    known = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return (known - _EPOCH) // timedelta(microseconds=1) * 1000


def began_ns(creation_time: str, timecode: str, rate_hz: float) -> int | None:
    """Return when a recording began, ns since 1970 by the camera's calendar: the timecode on its date.

    The date is the one that puts the timecode nearest to the creation time, which was written a little before or
    after; without a timecode the creation time itself, to the second, is all there is.

    Args:
        creation_time: ISO 8601, as in the container.
        timecode: Of the first frame; "" for none.
        rate_hz: Frames a second.

    Returns:
        None without a creation time.
    """
    created = iso_ns(creation_time)
    of_day = timecode_s(timecode, rate_hz)
    if created is None or of_day is None:
        return created
    day_ns = DAY_S * 10**9
    shift = (round(of_day * 1e9) - created % day_ns + day_ns // 2) % day_ns - day_ns // 2
    return created + shift
