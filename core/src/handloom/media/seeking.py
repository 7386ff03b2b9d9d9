"""Reads single frames of a video by their index, seeking to the keyframe before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import MediaError
from handloom.media.decoding import spans
from handloom.media.demuxing import frames_of, only_stream
from handloom.media.opening import open_media, pyav, video_track
from handloom.media.pictures import PictureMaker
from handloom.media.views import View
from handloom.streams import Video, VideoFile

Picture = npt.NDArray[np.uint8]


def read_frames(video: Video, indices: Iterable[int], view: View) -> Iterator[tuple[int, Picture]]:
    """Read frames by index, each once, in increasing order.

    The file is sought only when a keyframe lies between the last frame read and the next one wanted.

    Args:
        video: What `index_video` made, its files at their present paths.
        indices: Indices of frames, in any order.
        view: What to make of each; `every` does not matter here.

    Yields:
        (index, picture), read-only.

    Raises:
        MediaError: An index is outside the video, or a wanted frame does not decode.
    """
    wanted = np.unique(np.fromiter(indices, dtype=np.int64))
    if len(wanted) and (wanted[0] < 0 or wanted[-1] >= len(video)):
        outside = int(wanted[0] if wanted[0] < 0 else wanted[-1])
        raise MediaError(f"Frame {outside} was asked of a video that has frames 0 to {len(video) - 1}.")
    plain = attrs.evolve(view, every=1)
    maker = PictureMaker({"picture": plain}, rotation_deg=video.rotation_deg)
    for file, end in spans(video):
        own = wanted[(wanted >= file.first_frame) & (wanted < end)]
        for index, frame in _frames(video, file, own.tolist()):
            yield index, maker.make(index, frame)["picture"]


def _frames(video: Video, file: VideoFile, wanted: list[int]) -> Iterator[tuple[int, Any]]:
    if not wanted:
        return
    # Stamps that jump back make a search by timestamp ambiguous; such a file is read from its start.
    may_seek = not video.attributes.get("backward_frames")
    with open_media(file.path) as container:
        stream = video_track(container, file.path)
        only_stream(container, stream)
        frames, last = frames_of(container, stream), file.first_frame
        for index in wanted:
            start = _keyframe_before(video, file, index)
            if may_seek and start > last:
                frames = _frames_from(container, stream, int(video.pts[start]))
            frame = _scan(frames, int(video.pts[index]))
            yield index, frame if frame is not None else _from_the_start(video, file, index)
            last = index


def _keyframe_before(video: Video, file: VideoFile, index: int) -> int:
    """Return the last keyframe not after a frame, or the file's first frame when there is none."""
    before = np.flatnonzero(video.keyframes[file.first_frame : index + 1])
    return file.first_frame + (int(before[-1]) if len(before) else 0)


def _frames_from(container: Any, stream: Any, pts: int) -> Iterator[Any]:
    try:
        container.seek(pts, stream=stream)
    except pyav().error.FFmpegError:
        # A container that can't seek; the frame is then looked for from the start of the file.
        return iter(())
    return frames_of(container, stream)


def _scan(frames: Iterator[Any], wanted: int) -> Any:
    """Return the frame with a timestamp, None when the frames begin after it or go past it."""
    for frame in frames:
        if frame.pts == wanted:
            return frame
        if frame.pts is not None and frame.pts > wanted:
            return None
    return None


def _from_the_start(video: Video, file: VideoFile, index: int) -> Any:
    """Look for a frame from the start of its file, where a seek went too far: MPEG-TS has no table to seek by."""
    with open_media(file.path) as container:
        stream = video_track(container, file.path)
        only_stream(container, stream)
        wanted = int(video.pts[index])
        frame = next((frame for frame in frames_of(container, stream) if frame.pts == wanted), None)
    if frame is None:
        raise MediaError(f"{file.path}: frame {index} (tick {wanted}) does not decode; the file is damaged there.")
    return frame
