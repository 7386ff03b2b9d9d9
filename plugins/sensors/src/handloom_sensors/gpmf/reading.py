"""Reads payloads into telemetry: what is damaged is left out and noted, the rest is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from handloom.errors import RecordingError
from handloom_sensors.gpmf.decoding import columns, field_types, whole_number
from handloom_sensors.gpmf.klv import NESTED, TEXT_TYPES, Item, salvage
from handloom_sensors.gpmf.telemetry import Device, Part, Payload, Telemetry, TelemetryStream

PROPERTIES = frozenset(
    {"STMP", "TSMP", "TICK", "TOCK", "TIMO", "EMPT", "STNM", "RMRK", "SCAL", "SIUN", "UNIT", "TYPE", "TMPC"}
    | {"ORIN", "ORIO", "MTRX", "GPSF", "GPSU", "GPSP", "GPSA"}
)
"""Keys that describe a stream; whatever else ends a STRM is its samples.

Source: https://github.com/gopro/gpmf-parser, README and the list of reserved keys.
"""


def read_telemetry(payloads: Sequence[Payload]) -> Telemetry:
    """Read all payloads of a recording; what is damaged is left out and noted, never guessed.

    Args:
        payloads: In order, those of later chapters after those of earlier ones.

    Raises:
        RecordingError: Not one payload holds a device.
    """
    notes: list[str] = []
    shares: dict[tuple[Device, str, int], list[_Share]] = {}
    for index, payload in enumerate(payloads):
        items, problems = salvage(payload.data)
        notes += [f"Telemetry payload {index} is damaged and kept in part: {problem}" for problem in problems]
        for device, strm, occurrence in _streams_in(items, index, notes):
            shares.setdefault((device, strm.key, occurrence), []).append(
                _Share(index, strm.samples, strm.properties)
            )
    if not shares:
        raise RecordingError(
            f"None of the {len(payloads)} telemetry payloads holds a stream of a device (DEVC and STRM); "
            f"the telemetry is damaged or not GPMF. {' '.join(notes[:1])}".rstrip()
        )
    streams = [_stream(device, key, found, notes) for (device, key, _), found in shares.items()]
    return Telemetry(streams=tuple(stream for stream in streams if stream is not None), notes=tuple(notes))


@attrs.frozen
class _Strm:
    key: str
    samples: tuple[Item, ...]
    properties: Mapping[str, Item]


@attrs.frozen
class _Share:
    payload: int
    samples: tuple[Item, ...]
    properties: Mapping[str, Item]


def _streams_in(items: Sequence[Item], payload: int, notes: list[str]) -> list[tuple[Device, _Strm, int]]:
    found: list[tuple[Device, _Strm, int]] = []
    seen: dict[tuple[Device, str], int] = {}
    for devc in (item for item in items if item.key == "DEVC"):
        try:
            device = _device(devc)
        except RecordingError as error:
            notes.append(f"Telemetry payload {payload} has a device that can't be told and is left out: {error}")
            continue
        for strm in (_strm(child) for child in devc.children if child.key == "STRM"):
            if strm is not None:
                occurrence = seen.get((device, strm.key), 0)
                seen[device, strm.key] = occurrence + 1
                found.append((device, strm, occurrence))
    return found


def _device(devc: Item) -> Device:
    number, name = devc.child("DVID"), devc.child("DVNM")
    return Device(_id(number) if number is not None else "", name.text() if name is not None else "")


def _id(number: Item) -> str:
    return number.text() if number.type in TEXT_TYPES else str(whole_number(number))


def _strm(item: Item) -> _Strm | None:
    """Split a STRM into its samples and what describes them; None when its samples are missing."""
    if not item.children or item.children[-1].key in PROPERTIES:
        return None
    key = item.children[-1].key
    samples = tuple(child for child in item.children if child.key == key)
    return _Strm(key, samples, {child.key: child for child in item.children if child.key != key})


def _stream(device: Device, key: str, shares: Sequence[_Share], notes: list[str]) -> TelemetryStream | None:
    listed = any(len(share.samples) > 1 for share in shares)
    who = f"Stream {key} of {device.name or 'device ' + device.id}"
    if any(sample.type == NESTED for share in shares for sample in share.samples):
        notes.append(f"{who} holds nested items instead of samples and is left out.")
        return None
    parts: list[Part] = []
    types = ""
    for share in shares:
        try:
            part, letters = _part(share, listed=listed)
            types = _same_types(types, letters, part)
        except RecordingError as error:
            notes.append(f"{who}, payload {share.payload}, is damaged and left out: {error}")
            continue
        parts.append(part)
    fitting = tuple(part for part in parts if len(part.columns) == len(types))
    return TelemetryStream(device=device, key=key, types=types, parts=fitting, listed=listed) if fitting else None


def _same_types(types: str, letters: str, part: Part) -> str:
    if types and letters != types:
        raise RecordingError(f"its fields are {letters!r} but were {types!r} before.")
    divisors = part.scale()
    if len(divisors) != len(letters) or not np.isfinite(divisors).all() or not divisors.all():
        raise RecordingError(f"its scale SCAL {divisors.tolist()} does not fit {len(letters)} fields.")
    return letters


def _part(share: _Share, *, listed: bool) -> tuple[Part, str]:
    structure = (
        share.properties["TYPE"].data.split(b"\0", 1)[0].decode("latin-1") if "TYPE" in share.properties else ""
    )
    letters = field_types(share.samples[0], structure)
    tables = [columns(sample, structure) for sample in share.samples]
    if any(len(table) != len(letters) for table in tables):
        raise RecordingError(f"its {len(tables)} samples differ in their fields.")
    repeats = [sample.repeat for sample in share.samples]
    part = Part(
        payload=share.payload,
        columns=tuple(np.concatenate([table[field] for table in tables]) for field in range(len(letters))),
        entries=np.array(repeats, np.int64) if listed else np.ones(repeats[0], np.int64),
        stamp_us=whole_number(share.properties.get("STMP")),
        total=whole_number(share.properties.get("TSMP")),
        properties=share.properties,
    )
    return part, letters
