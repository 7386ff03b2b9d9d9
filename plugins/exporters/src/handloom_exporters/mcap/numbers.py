"""Numbers as JSON messages: IMU, magnetometer, orientation, scalars and vectors, each at its native rate.

Foxglove has no schema of its own for these. The messages are formatted by hand from one template a stream, which
costs a third of what `json.dumps` of a dict does; 400 Hz of gyroscope must not weigh more than the video.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from handloom.streams import KINDS, Samples
from handloom.streams.samples import Int64Array
from handloom_exporters.mcap.topic import Message, Topic, topic_name

_XYZ = ("x", "y", "z")
_FIELDS = {
    "acceleration": _XYZ,
    "angular_velocity": _XYZ,
    "magnetic_field": _XYZ,
    "direction": _XYZ,
    "orientation": (*_XYZ, "w"),
    "scalar": ("value",),
    "vector": (),
}
NUMBER_KINDS = frozenset(_FIELDS)

_BLOCK = 4096


def number_topic(name: str, samples: Samples, log_times: Int64Array) -> Topic:
    """Return the topic of a stream of numbers, one message a sample.

    Args:
        name: Full name of the stream, "camera.gyroscope".
        samples: Its samples, of one of `NUMBER_KINDS`.
        log_times: (N,) int64 ns on the file's axis.
    """
    return Topic(
        name=topic_name(name),
        schema=number_schema(samples.type.kind),
        messages=_messages(samples, log_times),
        metadata={"unit": samples.type.unit, "frame_id": samples.type.frame, "kind": samples.type.kind},
    )


def number_schema(kind: str) -> dict[str, Any]:
    """Return the JSON schema of a kind: timestamp, frame_id, unit and the named numbers ("values" of a vector)."""
    number: dict[str, Any] = {"type": "number", "description": "null where the recording has no number"}
    values = dict.fromkeys(_FIELDS[kind], number) or {"values": {"type": "array", "items": number}}
    time = {"sec": {"type": "integer", "minimum": 0}, "nsec": {"type": "integer", "minimum": 0}}
    return {
        "title": "handloom." + "".join(word.capitalize() for word in kind.split("_")),
        "description": KINDS[kind],
        "type": "object",
        "properties": {
            "timestamp": {"type": "object", "title": "time", "properties": time},
            "frame_id": {"type": "string"},
            "unit": {"type": "string"},
            **values,
        },
    }


def _messages(samples: Samples, log_times: Int64Array) -> Iterator[Message]:
    rows = samples.data.reshape(len(samples), -1)
    template = _template(samples, rows.shape[1])
    for first in range(0, len(samples), _BLOCK):
        times, block = log_times[first : first + _BLOCK], rows[first : first + _BLOCK]
        columns = block.T.tolist()
        if not _all_plain(block):
            columns = [[_Literal(json.dumps(_or_null(value))) for value in column] for column in columns]
        filled = zip((times // 10**9).tolist(), (times % 10**9).tolist(), *columns, strict=True)
        for log_time, values in zip(times.tolist(), filled, strict=True):
            yield log_time, template % values


def _template(samples: Samples, width: int) -> bytes:
    """Return the message with places for (sec, nsec, *numbers); `%a` of a float is its shortest exact decimal."""
    fields = _FIELDS[samples.type.kind]
    frame, unit = (json.dumps(word).replace("%", "%%") for word in (samples.type.frame, samples.type.unit))
    numbers = ",".join(f'"{field}":%a' for field in fields) or f'"values":[{",".join(["%a"] * width)}]'
    head = '{"timestamp":{"sec":%d,"nsec":%d},"frame_id":' + f'{frame},"unit":{unit},'
    return (head + numbers + "}").encode()


class _Literal(str):
    """JSON text that `%a` prints as it stands."""

    __slots__ = ()
    __repr__ = str.__str__


def _all_plain(block: Any) -> bool:
    return block.dtype.kind in "iu" or (block.dtype.kind == "f" and bool(np.isfinite(block).all()))


def _or_null(value: Any) -> Any:
    return value if isinstance(value, bool | int) or np.isfinite(value) else None
