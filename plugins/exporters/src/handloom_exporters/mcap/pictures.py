"""Video without re-encoding, and small pictures as they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from handloom.errors import StepError
from handloom.streams import Samples, Video
from handloom.streams.samples import Int64Array
from handloom_exporters.mcap.topic import Message, Topic, timestamp, topic_name

if TYPE_CHECKING:
    from handloom.media import EncodedFrame

_FORMATS = {"h264": "h264", "hevc": "h265"}
"""Codec names of FFmpeg, and what Foxglove calls them."""


def video_topic(name: str, video: Video, log_times: Int64Array, *, transcode: bool) -> Topic:
    """Return the topic of a video, one message a frame, the file's own bytes.

    Args:
        name: Full name of the stream.
        video: The video.
        log_times: (N,) int64 ns on the file's axis, one a frame.
        transcode: Encode the video anew, without frames that look ahead.

    Raises:
        StepError: The codec is not one that Foxglove plays.
    """
    from foxglove.messages import CompressedVideo

    if video.codec not in _FORMATS and not transcode:
        raise StepError(
            f"Video '{name}' is coded as '{video.codec}'; an MCAP file holds {' or '.join(sorted(_FORMATS))}. "
            f"Leave it out of the exporter's inputs or convert the file before ingest."
        )
    return Topic(
        name=topic_name(name),
        schema=CompressedVideo.get_schema(),
        messages=_video_messages(name, video, log_times, transcode=transcode),
        metadata={
            "frame_id": video.type.frame,
            "kind": "video",
            "codec": video.codec,
            "rotation_deg": str(video.rotation_deg),
        },
    )


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
