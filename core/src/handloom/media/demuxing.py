"""Reads the packets of one track until the file ends or breaks off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from handloom.media.opening import pyav


def only_stream(container: Any, stream: Any, *, threads: int = 1) -> None:
    """Have the demuxer skip the other tracks, and the decoder use so many threads.

    With one, the decoder works on the caller's thread.
    """
    nothing = pyav().stream.Discard.all
    for other in container.streams:
        if other.index != stream.index:
            other.discard = nothing
    if stream.codec_context is not None and not stream.codec_context.is_open:
        stream.codec_context.thread_count = threads
        if threads != 1:
            stream.codec_context.thread_type = "AUTO"


def packets_of(container: Any, stream: Any, *, on_break: Callable[[str], None] | None = None) -> Iterator[Any]:
    """Yield the packets of a track that hold something.

    Args:
        container: An open file.
        stream: The track.
        on_break: Told the cause when the file breaks off before its end; the iteration ends either way.
    """
    try:
        for packet in container.demux(stream):
            if packet.size:
                yield packet
    except pyav().error.FFmpegError as error:
        if on_break is not None:
            on_break(error.strerror or str(error))


def frames_of(container: Any, stream: Any) -> Iterator[Any]:
    """Yield a track's decoded frames from where the file stands to its end, past packets that don't decode.

    Damaged packets are decoded like the others, since later frames may refer to them; an index does not list them,
    and who has one tells their pictures by the timestamp.
    """
    for packet in packets_of(container, stream):
        yield from decoded(stream, packet)
    yield from decoded(stream, None)


def decoded(stream: Any, packet: Any) -> list[Any]:
    """Return the frames a packet completes, none when it is broken; None in place of a packet gives the rest."""
    try:
        return [frame for frame in stream.decode(packet) if not frame.is_corrupt]
    except pyav().error.FFmpegError:
        return []
