"""What a media file says of itself: tracks, start, duration, creation time, timecode."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import attrs

from handloom.media.opening import open_media, pyav

if TYPE_CHECKING:
    from av.container import InputContainer

TrackType = Literal["video", "audio", "data", "subtitle", "attachment", "unknown"]


@attrs.frozen(kw_only=True)
class Track:
    """One track of a file.

    Attributes:
        index: Position in the file.
        type: "video", "audio", "data" or what else FFmpeg calls it.
        codec: Codec as FFmpeg names it; "" when it knows none.
        tag: Four-character code in the file, "gpmd"; "" for none.
        handler: Handler name in the file, "GoPro MET"; "" for none.
        time_base: Seconds a tick lasts.
        start_s: When the first sample is shown; None when the file does not say.
        duration_s: None when the file does not say.
        frames: Samples the header counts, edit lists not respected; 0 when it does not say.
        size: (width, height) as coded, for video.
        rate: Nominal frames or samples a second; 0 when unknown.
        channels: Audio channels.
        metadata: What else is written there.
    """

    index: int
    type: str
    codec: str
    tag: str
    handler: str
    time_base: Fraction
    start_s: Fraction | None
    duration_s: Fraction | None
    frames: int
    size: tuple[int, int] = (0, 0)
    rate: Fraction = Fraction(0)
    channels: int = 0
    metadata: Mapping[str, str] = attrs.field(factory=dict)


@attrs.frozen(kw_only=True)
class MediaInfo:
    """What a file says of itself.

    Attributes:
        path: The file.
        format: Container as FFmpeg names it, "mov,mp4,m4a,3gp,3g2,mj2".
        tracks: In the file's order.
        duration_s: Of the container; None when it does not say.
        creation_time: As written in the file, ISO 8601; "" for none. Cameras set it from their own clock.
        timecode: "12:34:56:07", from any track; "" for none.
        rotation_deg: Clockwise turn that brings the coded picture upright; 0 without video.
        metadata: Of the container.
    """

    path: Path
    format: str
    tracks: tuple[Track, ...]
    duration_s: Fraction | None
    creation_time: str
    timecode: str
    rotation_deg: int
    metadata: Mapping[str, str]

    def of_type(self, type_: str) -> tuple[Track, ...]:
        """Return the tracks of one type."""
        return tuple(track for track in self.tracks if track.type == type_)


def probe(path: Path) -> MediaInfo:
    """Read what a file says of itself; one frame is decoded, since only frames tell how they are turned.

    Raises:
        MediaError: The file can't be opened.
    """
    with open_media(path) as container:
        return describe(container, path, rotation_deg=_first_rotation(container))


def describe(container: InputContainer, path: Path, *, rotation_deg: int) -> MediaInfo:
    """Collect the description of an open file."""
    metadata = dict(container.metadata)
    tracks = tuple(_track(stream) for stream in container.streams)
    timecodes = [metadata.get("timecode", ""), *(track.metadata.get("timecode", "") for track in tracks)]
    return MediaInfo(
        path=path,
        format=container.format.name,
        tracks=tracks,
        duration_s=None if container.duration is None else Fraction(container.duration, 1_000_000),
        creation_time=metadata.get("creation_time", ""),
        timecode=next(filter(None, timecodes), ""),
        rotation_deg=rotation_deg,
        metadata=metadata,
    )


def upright_turn(rotation_deg: float) -> int:
    """Return the clockwise turn, 0 to 270, for FFmpeg's counter-clockwise angle of a display matrix.

    An angle that is no quarter turn gives the nearest one: cameras write none other.
    """
    return round(-rotation_deg / 90) % 4 * 90


def _first_rotation(container: InputContainer) -> int:
    if not container.streams.video or container.streams.video[0].codec_context is None:
        return 0
    try:
        return next((upright_turn(frame.rotation) for frame in container.decode(container.streams.video[0])), 0)
    except pyav().error.FFmpegError:
        # A description of a damaged file is still a description; index_video says what is lost.
        return 0


def _track(stream: Any) -> Track:
    base = Fraction(stream.time_base or 0)
    context = stream.codec_context
    metadata = dict(stream.metadata)
    rates = {"video": getattr(stream, "average_rate", None), "audio": getattr(context, "sample_rate", None)}
    return Track(
        index=stream.index,
        type=stream.type,
        codec=context.name if context is not None else "",
        tag=tag_of(stream),
        handler=metadata.get("handler_name", "").strip(),
        time_base=base,
        start_s=None if stream.start_time is None else stream.start_time * base,
        duration_s=None if stream.duration is None else stream.duration * base,
        frames=stream.frames,
        size=(context.width, context.height) if stream.type == "video" and context is not None else (0, 0),
        rate=Fraction(rates.get(stream.type) or 0),
        channels=context.channels if stream.type == "audio" and context is not None else 0,
        metadata=metadata,
    )


def tag_of(stream: Any) -> str:
    """Return the four-character code of a track, "" when it has none."""
    return str(getattr(stream, "codec_tag", None) or "").strip("\0")
