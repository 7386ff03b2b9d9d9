"""Video as it lies in the file, frame by frame and without re-encoding; refuses what Foxglove can't play."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from handloom.errors import StepError
from handloom.streams import Video
from handloom.streams.samples import Int64Array
from handloom_exporters.mcap.topic import Message, Topic, timestamp, topic_name

if TYPE_CHECKING:
    from handloom.media import EncodedFrame

_FORMATS = {"h264": "h264", "hevc": "h265"}
"""Codec names of FFmpeg, and what Foxglove calls them."""

_DATA_TAG = b"\x1a"
"""Field 3 of CompressedVideo, with a length: 3 << 3 | 2."""


def video_topic(name: str, video: Video, log_times: Int64Array, *, transcode: bool, notes: list[str]) -> Topic:
    """Return the topic of a video, one message a frame.

    Args:
        name: Full name of the stream.
        video: The video.
        log_times: (N,) int64 ns on the file's axis, one a frame.
        transcode: Encode the video anew in place of passing on the bytes it has.
        notes: Gets what is learnt only while the frames go by.
    """
    from foxglove.messages import CompressedVideo

    return Topic(
        name=topic_name(name),
        schema=CompressedVideo.get_schema(),
        messages=_messages(name, video, log_times, transcode=transcode, notes=notes),
        metadata={
            "frame_id": video.type.frame,
            "kind": "video",
            "codec": "h264" if transcode else video.codec,
            "rotation_deg": "0" if transcode else str(video.rotation_deg),
        },
    )


def obstacle(name: str, video: Video) -> str:
    """Return why Foxglove can't play the video as it lies in the file; "" when it can. Reads the whole file."""
    try:
        deque(playable_frames(name, video), maxlen=0)
    except _UnplayableError as error:
        return error.why
    return ""


class _UnplayableError(StepError):
    """A video can't be passed on; `why` is the reason alone, without what to do."""

    def __init__(self, name: str, found: str) -> None:
        self.why = (
            f"Video '{name}' {found}; an MCAP file needs H.264 or H.265 whose frames come in order of display."
        )
        super().__init__(
            f"{self.why} "
            f"Set `transcode_b_frames = true` for the exporter to encode it anew, or record without B-frames."
        )


def playable_frames(name: str, video: Video) -> Iterator[EncodedFrame]:
    """Yield the frames as they lie in the file, each decodable by those before it.

    Raises:
        StepError: The codec is another, the first frame is no keyframe, or a frame looks ahead to a later one.
    """
    from handloom.media import encoded_frames

    if video.codec not in _FORMATS:
        raise _UnplayableError(name, f"is coded as '{video.codec}'; Foxglove plays {', '.join(_FORMATS)}")
    last, first = -1, True
    for frame in encoded_frames(video):
        if first and not frame.keyframe:
            raise _UnplayableError(name, f"starts with frame {frame.index}, which is no keyframe")
        first = False
        if 0 <= frame.index <= last:
            raise _UnplayableError(
                name, f"has B-frames (frame {frame.index} comes after frame {last} in the file)"
            )
        last = max(last, frame.index)
        yield frame


def _messages(
    name: str, video: Video, log_times: Int64Array, *, transcode: bool, notes: list[str]
) -> Iterator[Message]:
    times = log_times.tolist()
    for index, payload, format_ in _transcoded(video) if transcode else _passed_on(name, video, notes):
        yield times[index], encode_frame(times[index], video.type.frame, payload, format_)


def encode_frame(log_time: int, frame_id: str, payload: bytes | memoryview, format_: str) -> bytes:
    """Return the bytes of a CompressedVideo message, with one copy of the payload where foxglove-sdk makes three.

    Source: proto/foxglove/CompressedVideo.proto (timestamp 1, frame_id 2, data 3, format 4) and
    https://protobuf.dev/programming-guides/encoding/: a field that has a length is tag, length, bytes; an empty
    one is left out.
    """
    # The payload is the file's own, megabytes a second: all that is small comes from foxglove-sdk itself.
    from foxglove.messages import CompressedVideo

    head = CompressedVideo(timestamp=timestamp(log_time), frame_id=frame_id).encode()
    tail = CompressedVideo(format=format_).encode()
    return b"".join((head, _DATA_TAG, _varint(len(payload)), payload, tail))


def _varint(number: int) -> bytes:
    septets = bytearray()
    while number > 0x7F:
        septets.append(number & 0x7F | 0x80)
        number >>= 7
    septets.append(number)
    return bytes(septets)


def _passed_on(name: str, video: Video, notes: list[str]) -> Iterator[tuple[int, bytes | memoryview, str]]:
    """Yield the file's own frames; one that is never shown goes with the next one that is, which may need it."""
    shown, hidden, passed = 0, 0, 0
    for frame in playable_frames(name, video):
        if frame.index >= 0:
            shown, passed = frame.index + 1, passed + 1
        elif shown < len(video):
            hidden += 1
        else:
            break
        yield shown if frame.index < 0 else frame.index, frame.payload, _FORMATS[video.codec]
    if passed < len(video):
        notes.append(
            f"Video '{name}': {len(video) - passed} of {len(video)} frames are damaged in the file and left out."
        )
    if hidden:
        notes.append(
            f"Video '{name}' has {hidden} frames that are never shown but that later ones need; "
            f"they stand at the time of the next frame that is shown."
        )


def _transcoded(video: Video) -> Iterator[tuple[int, bytes, str]]:
    from handloom_exporters.mcap.transcode import encode_again

    for index, payload in encode_again(video):
        yield index, payload, "h264"
