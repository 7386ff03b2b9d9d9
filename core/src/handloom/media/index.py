"""Builds the index of a video: when each frame is shown, found by reading packets without decoding them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import MediaError
from handloom.media.demuxing import decoded, only_stream, packets_of
from handloom.media.opening import open_media, time_base, video_track
from handloom.media.probing import MediaInfo, describe, upright_turn
from handloom.media.stamps import tick_to_ns, ticks_to_ns
from handloom.streams import StreamType, Video, VideoFile

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

JPEG_RANGE = 2
"""AVCOL_RANGE_JPEG: luma uses 0 to 255. Source: libavutil/pixfmt.h."""


@attrs.frozen(kw_only=True)
class IndexedVideo:
    """A video with what the reader of its files should know.

    Attributes:
        video: Every frame that is shown, in order.
        notes: What was lost or left out, where, how much; empty for a sound recording.
    """

    video: Video
    notes: tuple[str, ...] = ()


@attrs.frozen(kw_only=True, eq=False)
class _Chapter:
    """One file's frames, in order of display, on its own ticks."""

    path: Path
    info: MediaInfo
    time_base: Fraction
    pts: Int64Array
    keyframes: BoolArray
    last_duration: int
    picture: Any
    codec: str
    nominal_rate: Fraction
    has_b_frames: bool
    backward: int
    notes: tuple[str, ...]


@attrs.define
class _Packets:
    """What is collected while a file's packets go by."""

    pts: list[int] = attrs.field(factory=list)
    keyframes: list[bool] = attrs.field(factory=list)
    durations: list[int] = attrs.field(factory=list)
    seen: int = 0
    backward: int = 0
    unstamped: int = 0
    damaged: int = 0
    newest_dts: int | None = None
    broke_off: str = ""

    def break_off(self, cause: str) -> None:
        self.broke_off = cause


def index_video(files: tuple[Path, ...], *, allow_truncated: bool = True) -> IndexedVideo:
    """Index a video, or its chapters in the given order.

    A later chapter starts where the one before ends: at its last frame plus that frame's duration. The first keeps
    the start its container gives; nothing is moved to zero. Packets are read, not decoded, except one frame a
    file: only frames tell how they are turned and what range their luma has.

    Args:
        files: One file, or chapters of one recording.
        allow_truncated: Whether to keep what is there of a file that breaks off; a note says how much is missing.

    Raises:
        MediaError: A file can't be read as video, or the chapters don't fit together.
    """
    if not files:
        raise MediaError("No video file was given; name one MP4, or the chapters of one recording in order.")
    chapters = [_read_chapter(path) for path in files]
    notes = tuple(note for chapter in chapters for note in chapter.notes)
    broken = [note for note in notes if "breaks off" in note]
    if broken and not allow_truncated:
        raise MediaError(broken[0])
    _check_alike(chapters)
    return IndexedVideo(video=_join(chapters), notes=notes)


def _read_chapter(path: Path) -> _Chapter:
    with open_media(path) as container:
        stream = video_track(container, path)
        only_stream(container, stream)
        packets = _Packets()
        picture = _collect_all(container, stream, packets)
        if not packets.pts or picture is None:
            raise MediaError(_nothing_shown(path, packets))
        order, repeated = _display_order(packets.pts)
        base = time_base(stream)
        return _Chapter(
            path=path,
            info=describe(container, path, rotation_deg=upright_turn(picture.rotation)),
            time_base=base,
            pts=np.array(packets.pts, dtype=np.int64)[order],
            keyframes=np.array(packets.keyframes)[order],
            last_duration=_last_duration(packets, order, stream),
            picture=picture,
            codec=stream.codec_context.codec.canonical_name,
            nominal_rate=Fraction(stream.average_rate or 0),
            has_b_frames=bool(stream.codec_context.has_b_frames),
            backward=packets.backward,
            notes=tuple(
                _notes(path, packets, repeated, missing=len(stream.index_entries) - packets.seen, base=base)
            ),
        )


def _collect_all(container: Any, stream: Any, packets: _Packets) -> Any:
    """Note all packets and return the first picture that decodes, None when none does."""
    pictures: list[Any] = []
    for packet in packets_of(container, stream, on_break=packets.break_off):
        _collect(packet, packets)
        if not pictures:
            pictures = decoded(stream, packet)
    return next(iter(pictures or decoded(stream, None)), None)


def _collect(packet: Any, packets: _Packets) -> None:
    """Note a packet's frame unless it is never shown, damaged, without a stamp or back in time."""
    packets.seen += 1
    if packet.is_discard:
        return
    if packet.is_corrupt:
        packets.damaged += 1
        return
    if packet.pts is None:
        packets.unstamped += 1
        return
    dts, newest = packet.dts, packets.newest_dts
    if dts is not None:
        if newest is not None and dts < newest:
            packets.backward += 1
            return
        packets.newest_dts = dts
    packets.pts.append(packet.pts)
    packets.keyframes.append(packet.is_keyframe)
    packets.durations.append(packet.duration or 0)


def _display_order(pts: list[int]) -> tuple[npt.NDArray[np.intp], int]:
    """Return the packets in order of display, the first of each stamp only, and how many were left out."""
    _, first = np.unique(np.array(pts, dtype=np.int64), return_index=True)
    return first, len(pts) - len(first)


def _last_duration(packets: _Packets, order: npt.NDArray[np.intp], stream: Any) -> int:
    """Return how long the last frame is shown, in ticks: as written, else the usual step, else the nominal one."""
    written = packets.durations[order[-1]]
    if written:
        return int(written)
    if len(order) > 1:
        return int(np.median(np.diff(np.array(packets.pts, dtype=np.int64)[order])))
    return round(1 / Fraction(stream.average_rate * stream.time_base)) if stream.average_rate else 1


def _nothing_shown(path: Path, packets: _Packets) -> str:
    if packets.unstamped:
        return (
            f"{path}: its {packets.unstamped} frames carry no timestamps, as in a raw H.264 stream; record into "
            f"MP4 or MKV, or mux it with the stamps the recorder kept."
        )
    return (
        f"{path}: no frame of the video can be shown ({packets.seen} packets, {packets.damaged} damaged); "
        f"the recording broke off before its first picture, leave it out."
    )


def _notes(path: Path, packets: _Packets, repeated: int, *, missing: int, base: Fraction) -> Iterator[str]:
    name = path.name
    lost = max(missing, 0) + packets.damaged
    if packets.broke_off or lost:
        kept = len(packets.pts)
        seconds = float((max(packets.pts) - min(packets.pts)) * base)
        expected = f", {lost} frames that its header counts are missing or damaged" if lost else ""
        cause = f" ({packets.broke_off})" if packets.broke_off else ""
        yield f"{name} breaks off{cause}: {kept} frames over {seconds:.3f} s are kept{expected}."
    for count, what in (
        (repeated, "repeat the timestamp of another frame"),
        (packets.backward, "go back in time"),
        (packets.unstamped, "carry no timestamp"),
    ):
        if count:
            yield f"{name}: {count} of {packets.seen} frames {what} and are left out."


def _check_alike(chapters: Sequence[_Chapter]) -> None:
    first = chapters[0]
    for chapter in chapters[1:]:
        if _looks(chapter) != _looks(first):
            raise MediaError(
                f"{chapter.path}: codec, size and turn {_looks(chapter)} differ from {_looks(first)} in "
                f"{first.path.name}; only chapters of one recording can be joined."
            )


def _looks(chapter: _Chapter) -> tuple[str, int, int, int]:
    return chapter.codec, chapter.picture.width, chapter.picture.height, chapter.info.rotation_deg


def _join(chapters: Sequence[_Chapter]) -> Video:
    files: list[VideoFile] = []
    stamps: list[Int64Array] = []
    count, end_ns = 0, None
    for chapter in chapters:
        own = ticks_to_ns(chapter.pts, chapter.time_base)
        start_ns = 0 if end_ns is None else int(end_ns - own[0])
        base = (chapter.time_base.numerator, chapter.time_base.denominator)
        files.append(VideoFile(path=chapter.path, first_frame=count, time_base=base, start_ns=start_ns))
        stamps.append(own + start_ns)
        count += len(own)
        end_ns = tick_to_ns(int(chapter.pts[-1]) + chapter.last_duration, chapter.time_base) + start_ns
    first = chapters[0]
    return Video(
        type=StreamType(kind="video", dtype="uint8", shape=_upright_shape(first)),
        files=tuple(files),
        pts=np.concatenate([chapter.pts for chapter in chapters]),
        stamps=np.concatenate(stamps),
        keyframes=np.concatenate([chapter.keyframes for chapter in chapters]),
        rotation_deg=first.info.rotation_deg,
        codec=first.codec,
        attributes=_attributes(chapters),
    )


def _upright_shape(chapter: _Chapter) -> tuple[int, int, int]:
    height, width = chapter.picture.height, chapter.picture.width
    return (width, height, 3) if chapter.info.rotation_deg % 180 else (height, width, 3)


def _attributes(chapters: Sequence[_Chapter]) -> dict[str, Any]:
    first = chapters[0]
    return {
        "creation_time": first.info.creation_time,
        "timecode": first.info.timecode,
        "coded_size": [first.picture.width, first.picture.height],
        "full_range": has_full_range(first.picture),
        "has_b_frames": any(chapter.has_b_frames for chapter in chapters),
        "nominal_rate_hz": float(first.nominal_rate),
        "backward_frames": sum(chapter.backward for chapter in chapters),
    }


def has_full_range(frame: Any) -> bool:
    """Say whether a decoded frame's luma uses 0 to 255."""
    return bool(frame.color_range == JPEG_RANGE or frame.format.name.startswith(("yuvj", "gray")))
