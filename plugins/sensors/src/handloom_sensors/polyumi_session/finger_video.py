"""Makes one video of the finger camera's loose JPEGs, every byte kept, under the stamps the Pi gave them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from handloom.errors import RecordingError
from handloom.media import index_video
from handloom.streams import Video
from handloom_sensors.polyumi_session.frames import FingerFrames

FILE = "finger.mp4"

_TICK = Fraction(1, 1_000_000)
"""A finer tick leaves no room for long pauses; the stamps are kept beside the file, to the nanosecond."""


def write_finger_video(frames: FingerFrames, path: Path) -> Path:
    """Put the pictures into an MP4 as they are; nothing is decoded or encoded.

    Args:
        frames: The frames to put in; shown as far apart as their stamps are.
        path: The new file.
    """
    import av

    ticks = _ticks(frames)
    lasts = np.append(np.diff(ticks), max(frames.period_ns // 1000, 1))
    with av.open(f"file:{path}", "w", format="mp4") as container:
        bitexact: Any = av.container.Flags.bitexact
        container.flags |= bitexact.value
        stream = container.add_stream("mjpeg", rate=Fraction(10))
        stream.width, stream.height = frames.size
        stream.pix_fmt = "yuvj420p"
        stream.time_base = stream.codec_context.time_base = _TICK
        for picture, tick, duration in zip(frames.paths, ticks.tolist(), lasts.tolist(), strict=True):
            packet = av.Packet(picture.read_bytes())
            packet.stream, packet.time_base, packet.is_keyframe = stream, _TICK, True
            packet.pts = packet.dts = tick
            packet.duration = duration
            container.mux(packet)
    return path


def _ticks(frames: FingerFrames) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    ticks: np.ndarray[tuple[int], np.dtype[np.int64]] = (frames.stamps - frames.stamps[0]) // 1000
    return ticks


def read_finger_video(frames: FingerFrames, path: Path) -> Video:
    """Index what `write_finger_video` wrote, with the exact stamps of the frames.

    Raises:
        RecordingError: The video holds other frames.
    """
    video = index_video((path,)).video
    if len(video) != len(frames.stamps):
        raise RecordingError(
            f"{path.name} holds {len(video)} frames and the session {len(frames.stamps)}; the session changed "
            f"while it was read, wait until it is complete and run again."
        )
    files = tuple(attrs.evolve(file, start_ns=int(frames.stamps[0])) for file in video.files)
    return attrs.evolve(
        video,
        type=attrs.evolve(video.type, clock="@/pi"),
        files=files,
        stamps=frames.stamps,
        attributes={
            **video.attributes,
            "remuxed_from": "video/frame_*.jpg",
            "frame_numbers_jump": [
                [int(frames.indices[place]), int(frames.indices[place + 1])]
                for place in np.flatnonzero(np.diff(frames.indices) > 1)
            ],
            "left_out": dict(frames.left_out),
            "gaps": [[row, ns] for row, ns in frames.times.gaps],
            "frame_time_uncertainty_ns": frames.period_ns,
        },
    )
