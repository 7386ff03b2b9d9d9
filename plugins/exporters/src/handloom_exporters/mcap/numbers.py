"""Numbers as JSON messages: IMU, magnetometer, orientation, scalars and vectors, each at its native rate.

Foxglove has no schema of its own for these. The messages are filled into one template a stream, a block at a time:
400 Hz of gyroscope must not weigh as much as the video.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

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
        columns = _texts(block).T.tolist()
        filled = zip((times // 10**9).tolist(), (times % 10**9).tolist(), *columns, strict=True)
        for log_time, values in zip(times.tolist(), filled, strict=True):
            yield log_time, template % values


def _template(samples: Samples, width: int) -> bytes:
    """Return the message with places for (sec, nsec, *texts of numbers)."""
    fields = _FIELDS[samples.type.kind]
    frame, unit = (json.dumps(word).replace("%", "%%") for word in (samples.type.frame, samples.type.unit))
    numbers = ",".join(f'"{field}":%b' for field in fields) or f'"values":[{",".join(["%b"] * width)}]'
    head = '{"timestamp":{"sec":%d,"nsec":%d},"frame_id":' + f'{frame},"unit":{unit},'
    return (head + numbers + "}").encode()


def _texts(block: npt.NDArray[Any]) -> npt.NDArray[np.object_]:
    """Return the JSON of each number, (N, M) bytes: the shortest decimal that reads back exactly, or null.

    Finding that decimal is most of the cost of a message, and a sensor of 16 bits repeats itself: each number is
    written once a block. Floats are compared by their bits, so that -0.0 stays apart from 0.0.
    """
    block = np.ascontiguousarray(block)
    bits = block.view(f"u{block.itemsize}") if block.dtype.kind == "f" else block
    distinct, where = np.unique(bits, return_inverse=True)
    texts = np.empty(len(distinct), dtype=object)
    texts[:] = [_text(value) for value in distinct.view(block.dtype).tolist()]
    return texts[where].reshape(block.shape)


def _text(value: float) -> bytes:
    return json.dumps(value if math.isfinite(value) else None).encode()
