"""Decodes a video once from end to end, each frame under its index and stamp."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from handloom.media.demuxing import frames_of, only_stream
from handloom.media.opening import open_media, video_track
from handloom.media.pictures import PictureMaker
from handloom.media.views import View, Views
from handloom.streams import Video, VideoFile


class DecodeReport:
    """What a pass could not give; filled while the pass runs, complete when it ends.

    Attributes:
        lost: Indices of frames that did not decode.
        strays: Decoded pictures that are not in the index, or came a second time, and were left out.
    """

    def __init__(self) -> None:
        self.lost: list[int] = []
        self.strays = 0

    def notes(self) -> tuple[str, ...]:
        """Return sentences for the person who recorded; empty when all went well."""
        sentences = []
        if self.lost:
            head = ", ".join(map(str, self.lost[:10])) + (", …" if len(self.lost) > 10 else "")
            sentences.append(f"{len(self.lost)} frames did not decode and were skipped: {head}.")
        if self.strays:
            sentences.append(f"{self.strays} decoded pictures are not in the index and were left out.")
        return tuple(sentences)


def decode(
    video: Video,
    wanted: Mapping[str, View],
    *,
    only: Collection[int] | None = None,
    threads: int = 1,
    report: DecodeReport | None = None,
) -> Iterator[tuple[int, int, Views]]:
    """Decode all frames in order, in one pass and in flat memory.

    A frame's index is the one its timestamp has in the video's index, so that a frame that fails to decode leaves
    a gap and shifts nothing.

    Args:
        video: What `index_video` made, its files at their present paths.
        wanted: The pictures to make of each frame, by name.
        only: Indices of the frames to yield; the others are decoded and passed over, and nothing after the last of
            them is read. None yields all.
        threads: Decoder threads; 1 decodes on the caller's.
        report: Told which frames were lost.

    Yields:
        (index, stamp in ns, views), the index strictly increasing.

    Raises:
        MediaError: A file is gone or can't be opened any more.
    """
    report = report if report is not None else DecodeReport()
    maker = PictureMaker(wanted, rotation_deg=video.rotation_deg)
    chosen = None if only is None else frozenset(map(int, only))
    last = len(video) - 1 if chosen is None else max(chosen, default=-1)
    for file, end in spans(video):
        if file.first_frame > last:
            return
        for index, frame in _indexed_frames(video, file, end, threads=threads, report=report):
            if chosen is None or index in chosen:
                yield index, int(video.stamps[index]), maker.make(index, frame)
            if index >= last and chosen is not None:
                return


def spans(video: Video) -> Iterator[tuple[VideoFile, int]]:
    """Yield each file with the index after its last frame."""
    ends = [*(file.first_frame for file in video.files[1:]), len(video)]
    yield from zip(video.files, ends, strict=True)


def _indexed_frames(
    video: Video, file: VideoFile, end: int, *, threads: int, report: DecodeReport
) -> Iterator[tuple[int, Any]]:
    pts = video.pts[file.first_frame : end]
    expected = 0
    with open_media(file.path) as container:
        stream = video_track(container, file.path)
        only_stream(container, stream, threads=threads)
        for frame in frames_of(container, stream):
            position = position_of(pts, frame.pts, expected)
            if position is None:
                report.strays += 1
                continue
            report.lost.extend(range(file.first_frame + expected, file.first_frame + position))
            expected = position + 1
            yield file.first_frame + position, frame
    report.lost.extend(range(file.first_frame + expected, end))


def position_of(pts: Any, shown: int | None, expected: int) -> int | None:
    """Return a timestamp's place in a file's index, not before the one expected; None when it has none."""
    if expected < len(pts) and pts[expected] == shown:
        return expected
    if shown is None:
        return None
    position = int(np.searchsorted(pts, shown))
    found = expected <= position < len(pts) and pts[position] == shown
    return position if found else None
