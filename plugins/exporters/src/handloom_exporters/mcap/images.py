"""Small pictures kept as arrays, pixel for pixel."""

from __future__ import annotations

from collections.abc import Iterator

from handloom.streams import Samples
from handloom.streams.samples import Int64Array
from handloom_exporters.mcap.topic import Message, Topic, timestamp, topic_name


def image_topic(name: str, samples: Samples, log_times: Int64Array) -> Topic:
    """Return the topic of small pictures, pixel for pixel.

    Args:
        name: Full name of the stream.
        samples: (N, H, W, 3) uint8 RGB.
        log_times: (N,) int64 ns on the file's axis.
    """
    from foxglove.messages import RawImage

    return Topic(
        name=topic_name(name),
        schema=RawImage.get_schema(),
        messages=_image_messages(samples, log_times),
        metadata={"frame_id": samples.type.frame, "kind": "image"},
    )


def _image_messages(samples: Samples, log_times: Int64Array) -> Iterator[Message]:
    from foxglove.messages import RawImage

    for log_time, picture in zip(log_times.tolist(), samples.data, strict=True):
        height, width, _ = picture.shape
        message = RawImage(
            timestamp=timestamp(log_time),
            frame_id=samples.type.frame,
            width=width,
            height=height,
            encoding="rgb8",
            step=3 * width,
            data=picture.tobytes(),
        )
        yield log_time, message.encode()
