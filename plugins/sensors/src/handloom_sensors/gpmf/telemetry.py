"""What a telemetry track says: devices, their streams, and each stream's samples payload by payload, unscaled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import RecordingError
from handloom_sensors.gpmf import klv
from handloom_sensors.gpmf.klv import Item

PROPERTIES = frozenset(
    {"STMP", "TSMP", "TICK", "TOCK", "TIMO", "EMPT", "STNM", "RMRK", "SCAL", "SIUN", "UNIT", "TYPE", "TMPC"}
    | {"ORIN", "ORIO", "MTRX", "GPSF", "GPSU", "GPSP", "GPSA"}
)
"""Keys that describe a stream; whatever else ends a STRM is its samples.

Source: https://github.com/gopro/gpmf-parser, README and the list of reserved keys.
"""


@attrs.frozen(kw_only=True)
class Payload:
    """One sample of the telemetry track, usually a second of everything.

    Attributes:
        data: Its bytes.
        pts_ns: When the container shows it, int ns.
        duration_ns: How long the container says it lasts; 0 when unknown.
        chapter: Which of the recording's files it is from, 0-based.
    """

    data: bytes
    pts_ns: int = 0
    duration_ns: int = 0
    chapter: int = 0


@attrs.frozen
class Device:
    """Who measured: the camera, or something connected to it.

    Attributes:
        id: DVID as text: a number, or four letters.
        name: DVNM, "HERO11 Black".
    """

    id: str
    name: str


@attrs.frozen(kw_only=True, eq=False)
class Part:
    """One payload's share of a stream.

    Attributes:
        payload: Index of the payload.
        columns: One (entries,) array a field, unscaled.
        entries: (samples,) how many entries each sample has: 1, or for lists (faces, scene classes) any number.
        stamp_us: STMP, when the first sample was taken on the camera's own counter; None when not recorded.
        total: TSMP, samples since the sensor started, these included; None when not recorded.
        properties: The items that describe the samples.
    """

    payload: int
    columns: tuple[npt.NDArray[Any], ...]
    entries: npt.NDArray[np.int64]
    stamp_us: int | None
    total: int | None
    properties: Mapping[str, Item]

    def __len__(self) -> int:
        return len(self.entries)

    def scale(self) -> npt.NDArray[np.float64]:
        """Return the divisor of each field, (fields,)."""
        item = self.properties.get("SCAL")
        divisors = klv.numbers(item) if item is not None else np.ones(1)
        return np.broadcast_to(divisors, (len(self.columns),)) if len(divisors) == 1 else divisors


@attrs.frozen(kw_only=True, eq=False)
class TelemetryStream:
    """One stream of one device over the whole recording.

    Attributes:
        device: Who measured.
        key: FourCC of the samples, "ACCL".
        types: Type letter of each field, "sss".
        parts: Payload by payload, those without samples included.
        listed: Whether a sample is a list of entries, as for faces.
    """

    device: Device
    key: str
    types: str
    parts: tuple[Part, ...]
    listed: bool = False

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    @property
    def title(self) -> str:
        """The stream's name for people, STNM; "" when it has none."""
        return self.text("STNM")

    @property
    def units(self) -> tuple[str, ...]:
        """SIUN or else UNIT, one for all fields or one a field; () when there is none."""
        for key in ("SIUN", "UNIT"):
            item = self.property(key)
            if item is not None:
                return (
                    item.texts() if item.size > 1 and item.repeat > 1 else _letters_or_word(item, len(self.types))
                )
        return ()

    @property
    def numeric(self) -> tuple[int, ...]:
        """Indices of the fields that hold numbers."""
        return tuple(index for index, letter in enumerate(self.types) if letter not in klv.TEXT_TYPES)

    def property(self, key: str) -> Item | None:
        """Return a property as it stands in the first payload that has it."""
        return next((part.properties[key] for part in self.parts if key in part.properties), None)

    def text(self, key: str) -> str:
        """Return a property as text, "" when there is none."""
        item = self.property(key)
        return "" if item is None else item.text()

    def raw(self) -> npt.NDArray[Any]:
        """Return the unscaled numbers, (entries, numeric fields), in the type they were recorded in."""
        return np.concatenate([_table([part.columns[field] for field in self.numeric]) for part in self.parts])

    def scaled(self) -> npt.NDArray[np.float64]:
        """Return the numbers divided by their scale, (entries, numeric fields) float64."""
        return np.concatenate([self._scaled(part) for part in self.parts])

    def entries(self) -> npt.NDArray[np.int64]:
        """Return how many entries each sample has, (samples,)."""
        return np.concatenate([part.entries for part in self.parts])

    def texts(self, field: int) -> tuple[str, ...]:
        """Return a text field, one text an entry."""
        rows = np.concatenate([part.columns[field] for part in self.parts])
        return tuple(bytes(row).split(b"\0", 1)[0].decode("latin-1") for row in rows)

    def _scaled(self, part: Part) -> npt.NDArray[np.float64]:
        fields, divisors = list(self.numeric), part.scale()
        table = _table([part.columns[field] for field in fields]).astype(np.float64)
        scaled: npt.NDArray[np.float64] = table / divisors[fields]
        return scaled


@attrs.frozen(kw_only=True, eq=False)
class Telemetry:
    """A whole telemetry track.

    Attributes:
        streams: In order of first appearance, devices in theirs.
        notes: Sentences about what was damaged and left out.
    """

    streams: tuple[TelemetryStream, ...]
    notes: tuple[str, ...] = ()

    @property
    def devices(self) -> tuple[Device, ...]:
        """The devices, in order of first appearance."""
        return tuple(dict.fromkeys(stream.device for stream in self.streams))

    def find(self, key: str, device: Device | None = None) -> TelemetryStream | None:
        """Return the first stream of that key, of one device or of any; None when there is none."""
        fits = (stream for stream in self.streams if stream.key == key and device in (None, stream.device))
        return next(fits, None)


def _letters_or_word(item: Item, fields: int) -> tuple[str, ...]:
    word = item.text()
    return tuple(word) if item.size == 1 and item.repeat == fields > 1 else (word,)


def _table(columns: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    return np.stack(columns, axis=1) if columns else np.empty((0, 0))


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
        items, problems = klv.salvage(payload.data)
        notes += [f"Telemetry payload {index} is damaged and kept in part: {problem}" for problem in problems]
        for device, strm, occurrence in _streams_in(items):
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


def _streams_in(items: Sequence[Item]) -> list[tuple[Device, _Strm, int]]:
    found: list[tuple[Device, _Strm, int]] = []
    seen: dict[tuple[Device, str], int] = {}
    for devc in (item for item in items if item.key == "DEVC"):
        device = _device(devc)
        for strm in (_strm(child) for child in devc.children if child.key == "STRM"):
            if strm is not None:
                occurrence = seen.get((device, strm.key), 0)
                seen[device, strm.key] = occurrence + 1
                found.append((device, strm, occurrence))
    return found


def _device(devc: Item) -> Device:
    number, name = devc.child("DVID"), devc.child("DVNM")
    if number is None:
        id_ = ""
    else:
        id_ = number.text() if number.type in klv.TEXT_TYPES else str(klv.whole_number(number))
    return Device(id_, name.text() if name is not None else "")


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
    if any(sample.type == klv.NESTED for share in shares for sample in share.samples):
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
    letters = klv.field_types(share.samples[0], structure)
    tables = [klv.columns(sample, structure) for sample in share.samples]
    if any(len(table) != len(letters) for table in tables):
        raise RecordingError(f"its {len(tables)} samples differ in their fields.")
    repeats = [sample.repeat for sample in share.samples]
    part = Part(
        payload=share.payload,
        columns=tuple(np.concatenate([table[field] for table in tables]) for field in range(len(letters))),
        entries=np.array(repeats, np.int64) if listed else np.ones(repeats[0], np.int64),
        stamp_us=klv.whole_number(share.properties.get("STMP")),
        total=klv.whole_number(share.properties.get("TSMP")),
        properties=share.properties,
    )
    return part, letters
