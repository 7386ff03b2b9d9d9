"""Builds the index of a video: when each frame of a recording, or of its chapters, is shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import MediaError
from handloom.media.chapter import Chapter, read_chapter
from handloom.media.stamps import tick_to_ns, ticks_to_ns
from handloom.streams import VIDEO, Video, VideoFile


@attrs.frozen(kw_only=True)
class IndexedVideo:
    """A video with what the reader of its files should know.

    Attributes:
        video: Every frame that is shown, in order.
        notes: What was lost or left out, where, how much; empty for a sound recording.
    """

    video: Video
    notes: tuple[str, ...] = ()


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
    chapters = [read_chapter(path) for path in files]
    broken = [chapter.break_note for chapter in chapters if chapter.break_note]
    if broken and not allow_truncated:
        raise MediaError(f"{broken[0]} A whole file was asked for; copy it from the card again.")
    _check_alike(chapters)
    notes = broken + [note for chapter in chapters for note in chapter.notes]
    return IndexedVideo(video=_join(chapters), notes=tuple(notes))


def _check_alike(chapters: Sequence[Chapter]) -> None:
    first = chapters[0]
    for chapter in chapters[1:]:
        if chapter.looks() != first.looks():
            raise MediaError(
                f"{chapter.path}: codec, size and turn are {chapter.looks()} but {first.looks()} in "
                f"{first.path.name}; only chapters of one recording can be joined."
            )


def _join(chapters: Sequence[Chapter]) -> Video:
    files, stamps = _placed(chapters)
    first = chapters[0]
    return Video(
        type=attrs.evolve(VIDEO, shape=_upright_shape(first)),
        files=files,
        pts=np.concatenate([chapter.pts for chapter in chapters]),
        stamps=stamps,
        keyframes=np.concatenate([chapter.keyframes for chapter in chapters]),
        rotation_deg=first.info.rotation_deg,
        codec=first.codec,
        attributes=_attributes(chapters),
    )


def _placed(chapters: Sequence[Chapter]) -> tuple[tuple[VideoFile, ...], npt.NDArray[np.int64]]:
    """Return the files, each where the one before ends, and the stamps of all frames."""
    files: list[VideoFile] = []
    stamps: list[npt.NDArray[np.int64]] = []
    count, end_ns = 0, None
    for chapter in chapters:
        own = ticks_to_ns(chapter.pts, chapter.time_base)
        start_ns = 0 if end_ns is None else int(end_ns - own[0])
        base = chapter.time_base.as_integer_ratio()
        files.append(VideoFile(path=chapter.path, first_frame=count, time_base=base, start_ns=start_ns))
        stamps.append(own + start_ns)
        count += len(own)
        end_ns = tick_to_ns(int(chapter.pts[-1]) + chapter.last_duration, chapter.time_base) + start_ns
    return tuple(files), np.concatenate(stamps)


def _upright_shape(chapter: Chapter) -> tuple[int, int, int]:
    width, height = chapter.coded_size
    return (width, height, 3) if chapter.info.rotation_deg % 180 else (height, width, 3)


def _attributes(chapters: Sequence[Chapter]) -> dict[str, Any]:
    first = chapters[0]
    return {
        "creation_time": first.info.creation_time,
        "timecode": first.info.timecode,
        "coded_size": list(first.coded_size),
        "full_range": first.full_range,
        "has_b_frames": any(chapter.has_b_frames for chapter in chapters),
        "nominal_rate_hz": float(first.nominal_rate),
        "backward_frames": sum(chapter.backward for chapter in chapters),
    }
