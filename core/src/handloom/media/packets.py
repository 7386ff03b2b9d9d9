"""Hands out what a file holds without decoding it: telemetry payloads and encoded frames."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs

from handloom.errors import MediaError
from handloom.media.decoding import spans
from handloom.media.demuxing import only_stream, packets_of
from handloom.media.opening import open_media, pyav, time_base, video_track
from handloom.media.stamps import tick_to_ns
from handloom.streams import Video, VideoFile

_ANNEX_B = {"h264": "h264_mp4toannexb", "hevc": "hevc_mp4toannexb"}
_AS_THEY_ARE = frozenset({"mjpeg"})
"""Codecs whose packets are whole pictures."""
_UNNAMED_TAGS = {"gpmd": "bin_data"}
"""What FFmpeg calls the data tracks whose tag PyAV does not show. Source: libavformat/isom.c, movdata tags."""


@attrs.frozen(kw_only=True)
class DataPacket:
    """One payload of a data track.

    Attributes:
        pts_ns: When it begins, by the container; None when the container does not say.
        duration_ns: How long it lasts, by the container; None when it does not say.
        payload: As recorded.
    """

    pts_ns: int | None
    duration_ns: int | None
    payload: bytes


@attrs.frozen(kw_only=True, eq=False)
class EncodedFrame:
    """One frame as the camera encoded it.

    Attributes:
        index: Index in the video; -1 for a frame that the index does not list but that later ones may refer to:
            before the start of an edit list, damaged, or with the time of another.
        stamp: int64 ns on the video's clock, by the container's own tick where the index is -1.
        payload: Annex B bytes, with the parameter sets before each keyframe, or a whole JPEG; valid until the next
            frame is asked.
        keyframe: Whether decoding can start here.
    """

    index: int
    stamp: int
    payload: Any
    keyframe: bool


def read_data_packets(path: Path, *, handler: str, tag: str) -> list[DataPacket]:
    """Read the payloads of a data track, none when the file has no such track.

    Args:
        path: The file.
        handler: What the track's handler name contains, "GoPro MET".
        tag: Four-character code to look for when no handler fits, "gpmd".

    Raises:
        MediaError: The file can't be opened.
    """
    with open_media(path) as container:
        stream = _data_track(container, handler, tag)
        if stream is None:
            return []
        only_stream(container, stream)
        base = Fraction(stream.time_base or 0)
        return [
            DataPacket(
                pts_ns=None if packet.pts is None or not base else tick_to_ns(packet.pts, base),
                duration_ns=tick_to_ns(packet.duration, base) if packet.duration and base else None,
                payload=bytes(packet),
            )
            for packet in packets_of(container, stream)
            if not packet.is_corrupt
        ]


def _data_track(container: Any, handler: str, tag: str) -> Any:
    tracks = [stream for stream in container.streams if stream.type == "data"]
    named = [stream for stream in tracks if handler in stream.metadata.get("handler_name", "")]
    tagged = [stream for stream in tracks if getattr(stream, "name", None) == _UNNAMED_TAGS.get(tag, tag)]
    return next(iter(named + tagged), None)


def encoded_frames(video: Video) -> Iterator[EncodedFrame]:
    """Yield the frames as the camera encoded them, in order of decoding; nothing is re-encoded.

    A frame whose bytes are damaged so that they can't be taken apart does not come.

    Args:
        video: What `index_video` made, its files at their present paths.

    Raises:
        MediaError: The codec has no form outside its container, or a file can't be opened.
    """
    if video.codec not in _ANNEX_B and video.codec not in _AS_THEY_ARE:
        known = ", ".join(sorted({*_ANNEX_B, *_AS_THEY_ARE}))
        raise MediaError(f"The codec '{video.codec}' has no form outside its container; expected one of {known}.")
    for file, end in spans(video):
        yield from _encoded(video, file, end)


def _encoded(video: Video, file: VideoFile, end: int) -> Iterator[EncodedFrame]:
    # A table in place of a search a packet: this loop is what an exporter's cost is measured by.
    first = file.first_frame
    index_of = dict(zip(video.pts[first:end].tolist(), range(first, end), strict=True))
    stamps = video.stamps
    stamp = int(stamps[first])
    with open_media(file.path) as container:
        stream = video_track(container, file.path)
        only_stream(container, stream)
        base = time_base(stream)
        filter_ = _ANNEX_B.get(video.codec)
        annex_b = pyav().bitstream.BitStreamFilterContext(filter_, stream) if filter_ else None
        for packet in packets_of(container, stream):
            index = -1 if packet.is_corrupt or packet.is_discard else index_of.pop(packet.pts, -1)
            if index >= 0:
                stamp = int(stamps[index])
            elif packet.pts is not None:
                stamp = tick_to_ns(packet.pts, base) + file.start_ns
            keyframe = packet.is_keyframe
            for filtered in _filtered(annex_b, packet):
                yield EncodedFrame(index=index, stamp=stamp, payload=memoryview(filtered), keyframe=keyframe)


def _filtered(annex_b: Any, packet: Any) -> list[Any]:
    if annex_b is None:
        return [packet]
    try:
        return list(annex_b.filter(packet))
    except pyav().error.FFmpegError:
        return []  # cut off in the middle, or bits are wrong: no whole frame is in it; who counts sees it missing
