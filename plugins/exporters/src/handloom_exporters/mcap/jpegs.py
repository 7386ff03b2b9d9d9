"""Video whose frames are whole JPEGs, passed on to the byte as Foxglove's CompressedImage."""

from __future__ import annotations

from collections.abc import Iterator

from handloom.streams import Video
from handloom.streams.samples import Int64Array
from handloom_exporters.mcap.topic import Message, Topic, timestamp, topic_name

CODEC = "mjpeg"


def jpeg_topic(name: str, video: Video, log_times: Int64Array) -> Topic:
    """Return the topic of a video of JPEGs, one message a frame.

    Args:
        name: Full name of the stream.
        video: The video, of codec "mjpeg".
        log_times: (N,) int64 ns on the file's axis, one a frame.
    """
    from foxglove.messages import CompressedImage

    return Topic(
        name=topic_name(name),
        schema=CompressedImage.get_schema(),
        messages=_messages(video, log_times),
        metadata={
            "frame_id": video.type.frame,
            "kind": "video",
            "codec": video.codec,
            "rotation_deg": str(video.rotation_deg),
        },
    )


def _messages(video: Video, log_times: Int64Array) -> Iterator[Message]:
    from foxglove.messages import CompressedImage

    from handloom.media import encoded_frames

    times = log_times.tolist()
    for frame in encoded_frames(video):
        if frame.index < 0:
            continue
        message = CompressedImage(
            timestamp=timestamp(times[frame.index]),
            frame_id=video.type.frame,
            data=bytes(frame.payload),
            format="jpeg",
        )
        yield times[frame.index], message.encode()
