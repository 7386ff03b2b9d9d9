"""The metadata records of a file: origin, streams, clocks, rig, and what readers must know."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

import handloom
from handloom.api import Inputs, Rig
from handloom.streams import Stream, Video
from handloom_exporters.mcap.axis import TimeAxis
from handloom_exporters.mcap.topic import topic_name


def describe(
    inputs: Inputs,
    streams: Mapping[str, Stream],
    axis: TimeAxis,
    *,
    counts: Mapping[str, int],
    notes: Sequence[str],
    clock_maps: Mapping[str, Stream],
) -> dict[str, dict[str, str]]:
    """Return the metadata records; MCAP keeps text only, so every value is JSON unless it is a plain word.

    Args:
        inputs: What the exporter was given.
        streams: All streams of the file.
        axis: The file's time axis.
        counts: Messages by topic.
        notes: Sentences for whoever opens the file.
        clock_maps: Streams that keep a clock map.
    """
    return {
        "handloom": {
            "handloom_version": handloom.__version__,
            "episode": inputs.episode,
            "rig": inputs.rig.name,
            "clock": axis.clock,
            "shift_ns": str(axis.shift_ns),
            "log_time": "stamp on `clock` in ns + shift_ns",
        },
        "handloom.streams": {name: _text(_stream(name, stream, counts)) for name, stream in streams.items()},
        "handloom.attributes": {name: _text(stream.attributes) for name, stream in streams.items()},
        "handloom.clock_maps": {name: _text(stream.attributes) for name, stream in clock_maps.items()},
        "handloom.rig": _rig(inputs.rig),
        "handloom.notes": {f"{number:03d}": note for number, note in enumerate(notes, 1)},
    }


def _stream(name: str, stream: Stream, counts: Mapping[str, int]) -> dict[str, Any]:
    described = {
        "type": stream.type.to_json(),
        "topic": topic_name(name),
        "samples": len(stream),
        "messages": counts.get(topic_name(name), 0),
        "rate_hz": stream.rate_hz(),
    }
    if isinstance(stream, Video):
        described |= {"codec": stream.codec, "rotation_deg": stream.rotation_deg}
    return described


def _rig(rig: Rig) -> dict[str, str]:
    """Return the rig as its own table, so that `rig_from_table` reads it back."""
    table: Mapping[str, Any] = rig.to_table()["rig"]
    return {name: value if isinstance(value, str) else _text(value) for name, value in table.items()}


def _text(value: Any) -> str:
    return json.dumps(plain(value), sort_keys=True, ensure_ascii=False)


def plain(value: Any) -> Any:
    """Return a value as plain JSON; numbers that JSON can't hold become null.

    Raises:
        TypeError: The value holds something that has no JSON form.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, PurePath) or not hasattr(value, "__iter__"):
        raise TypeError(f"{type(value).__name__} has no JSON form")
    return [plain(entry) for entry in value]
