"""What a telemetry track says: devices, their streams, and each stream's samples payload by payload, unscaled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom_sensors.gpmf.decoding import as_table, numbers
from handloom_sensors.gpmf.klv import TEXT_TYPES, Item


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
        divisors = numbers(item) if item is not None else np.ones(1)
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
        return tuple(index for index, letter in enumerate(self.types) if letter not in TEXT_TYPES)

    def property(self, key: str) -> Item | None:
        """Return a property as it stands in the first payload that has it."""
        return next((part.properties[key] for part in self.parts if key in part.properties), None)

    def text(self, key: str) -> str:
        """Return a property as text, "" when there is none."""
        item = self.property(key)
        return "" if item is None else item.text()

    def raw(self) -> npt.NDArray[Any]:
        """Return the unscaled numbers, (entries, numeric fields), in the type they were recorded in."""
        return np.concatenate([as_table([part.columns[field] for field in self.numeric]) for part in self.parts])

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
        table = as_table([part.columns[field] for field in fields], np.float64)
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
