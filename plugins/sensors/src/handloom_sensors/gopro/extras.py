"""Keeps every telemetry stream that has no name of its own: numbers as vectors, texts as attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from handloom.streams import Samples
from handloom_sensors.gopro.names import EXTRA, slug
from handloom_sensors.gopro.placing import Placed
from handloom_sensors.gpmf.telemetry import Device


@attrs.define
class Extras:
    """What was kept.

    Attributes:
        streams: By name.
        texts: Texts of streams that hold letters, by name.
        notes: Whole sentences.
    """

    streams: dict[str, Samples] = attrs.field(factory=dict)
    texts: dict[str, str] = attrs.field(factory=dict)
    notes: list[str] = attrs.field(factory=list)


def extra_streams(placed: Sequence[Placed], camera: Device, taken: frozenset[str]) -> Extras:
    """Keep streams under their FourCC in lower case, those of another device with its name before it.

    Args:
        placed: The streams that nothing else was made of.
        camera: The device whose streams need no prefix.
        taken: Names that are in use.
    """
    kept = Extras()
    for one in placed:
        name = _free_name(one, camera, taken | kept.streams.keys() | kept.texts.keys())
        if one.stream.numeric:
            kept.streams[name] = _vector(one, name, kept.notes)
        else:
            kept.texts[name] = _text(one)
            kept.notes.append(f"'{name}' holds text and is kept as an attribute of the recording.")
    return kept


def _free_name(placed: Placed, camera: Device, taken: frozenset[str]) -> str:
    device = placed.stream.device
    prefix = "" if device == camera else f"{slug(device.name or device.id)}_"
    name = prefix + slug(placed.stream.key)
    if name in taken and device != camera:
        name = f"{prefix}{slug(device.id)}_{slug(placed.stream.key)}"
    number = 2
    free = name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def _text(placed: Placed) -> str:
    fields = range(len(placed.stream.types))
    return "".join("".join(row) for row in zip(*(placed.stream.texts(field) for field in fields), strict=True))


def _vector(placed: Placed, name: str, notes: list[str]) -> Samples:
    stream = placed.stream
    data, entries = stream.scaled(), stream.entries()
    attributes: dict[str, Any] = {"types": stream.types}
    labels = [field for field in range(len(stream.types)) if field not in stream.numeric]
    if not stream.listed:
        attributes |= _labels(placed, labels, 1, name, notes)
        return placed.samples(attrs.evolve(EXTRA, shape=(data.shape[1],)), data, **attributes)
    each = int(entries[0])
    if each and (entries == each).all():
        attributes |= _labels(placed, labels, each, name, notes)
        table = data.reshape(len(entries), -1)
        return placed.samples(attrs.evolve(EXTRA, shape=(table.shape[1],)), table, **attributes)
    attributes |= _labels(placed, labels, 1, name, notes)
    notes.append(
        f"'{name}' lists {len(data)} entries over {len(entries)} samples; each is a row with its sample's stamp."
    )
    return Samples(
        type=attrs.evolve(EXTRA, shape=(data.shape[1],)),
        data=data,
        stamps=np.repeat(placed.stamps(), entries),
        attributes={**placed.attributes(), **attributes, "samples": len(entries)},
    )


def _labels(placed: Placed, fields: Sequence[int], each: int, name: str, notes: list[str]) -> dict[str, Any]:
    """Return the letters beside the numbers, where they are the same in every sample."""
    found: dict[str, Any] = {}
    for field in fields:
        words = placed.stream.texts(field)
        first = words[:each]
        if list(words) == list(first) * (len(words) // max(each, 1)):
            found["labels"] = [*found.get("labels", []), *first]
        else:
            notes.append(f"'{name}' has letters beside its numbers that change; they are not kept.")
    return found
