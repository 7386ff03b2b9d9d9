"""The camera's settings, which a GoPro writes as GPMF into the MP4's header: model, lens, stabilization."""

from __future__ import annotations

import mmap
from pathlib import Path

from handloom.errors import RecordingError
from handloom.media import boxes_in
from handloom_sensors.gpmf import klv
from handloom_sensors.gpmf.decoding import numbers

_LONGEST = 1 << 20
"""A header of more than 1 MiB is not one; real ones have about 25 kB."""

_PLAIN = "bBdfjJlLqQsS"


def read_settings(path: Path) -> dict[str, str | float]:
    """Read the settings of the camera, by FourCC.

    Args:
        path: An MP4.

    Returns:
        Texts and single numbers of the global settings; empty for cameras before the HERO6, which wrote none, and
        for files whose settings can't be read.
    """
    if not path.stat().st_size:
        return {}
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        raw = _content(data, (b"moov", b"udta", b"GPMF"), 0, len(data))
    items, _ = klv.salvage(raw)
    devices = [item for item in items if item.key == "DEVC"]
    found: dict[str, str | float] = {}
    for item in devices[0].children if devices else ():
        value = _value(item)
        if value is not None and item.key not in ("DVID", "DVNM"):
            found[item.key] = value
    return found


def _value(item: klv.Item) -> str | float | None:
    if item.type in ("c", "F"):
        return item.text()
    if item.type not in _PLAIN or item.repeat != 1:
        return None
    try:
        found = numbers(item)
    except RecordingError:
        return None
    return float(found[0]) if len(found) == 1 else None


def _content(data: bytes | mmap.mmap, names: tuple[bytes, ...], start: int, end: int) -> bytes:
    """Return the content of the first box inside boxes of these names, b"" when there is none."""
    for name, first, last in boxes_in(data, start, end):
        if name != names[0]:
            continue
        if len(names) == 1:
            return bytes(data[first : min(last, first + _LONGEST)])
        if found := _content(data, names[1:], first, last):
            return found
    return b""
