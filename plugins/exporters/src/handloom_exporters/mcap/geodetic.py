"""Positions on the Earth as location fixes, which Foxglove draws on a map."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from handloom.streams import Samples
from handloom.streams.samples import Int64Array
from handloom_exporters.mcap.topic import Message, Topic, timestamp, topic_name


def geodetic_topic(name: str, samples: Samples, log_times: Int64Array) -> Topic:
    """Return the topic of a stream of positions; a row without a position publishes nothing.

    Args:
        name: Full name of the stream.
        samples: (N, 3) latitude and longitude in degrees, altitude in metres, WGS 84.
        log_times: (N,) int64 ns on the file's axis.
    """
    from foxglove.messages import LocationFix

    return Topic(
        name=topic_name(name),
        schema=LocationFix.get_schema(),
        messages=_messages(samples, log_times),
        metadata={"unit": samples.type.unit, "frame_id": samples.type.frame, "kind": "geodetic"},
    )


def _messages(samples: Samples, log_times: Int64Array) -> Iterator[Message]:
    from foxglove.messages import LocationFix

    found = np.isfinite(samples.data).all(axis=1)
    rows = zip(log_times[found].tolist(), samples.data[found].tolist(), strict=True)
    for log_time, (latitude, longitude, altitude) in rows:
        fix = LocationFix(
            timestamp=timestamp(log_time),
            frame_id=samples.type.frame,
            latitude=latitude,
            longitude=longitude,
            altitude=altitude,
        )
        yield log_time, fix.encode()
