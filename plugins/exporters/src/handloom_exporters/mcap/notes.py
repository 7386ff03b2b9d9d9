"""Sentences about what the file can't say: turned pictures, clipped sound, lost poses, cameras without a model."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from handloom.streams import Samples, Stream, Video
from handloom_exporters.mcap.axis import TimeAxis
from handloom_exporters.mcap.sound import clipped_samples


def axis_notes(axis: TimeAxis) -> Iterator[str]:
    """Yield what must be said about the time axis."""
    if axis.shift_ns:
        yield f"Log times are stamps of clock '{axis.clock}' plus {axis.shift_ns} ns, for every stream alike."


def stream_notes(name: str, stream: Stream, *, encoded_again: str = "") -> Iterator[str]:
    """Yield what must be said about a stream.

    Args:
        name: Full name of the stream.
        stream: The stream.
        encoded_again: Why a video was encoded anew; "" when it was not.
    """
    if not len(stream):
        yield f"Stream '{name}' is empty; it has no topic."
    elif isinstance(stream, Video):
        yield from _video_notes(name, stream, encoded_again)
    elif stream.type.kind == "audio":
        yield from _audio_notes(name, stream)
    else:
        yield from _lost_notes(name, stream)


def _video_notes(name: str, video: Video, encoded_again: str) -> Iterator[str]:
    if encoded_again:
        yield f"Video '{name}' was encoded anew, upright, and is not the recording's own bytes. {encoded_again}"
    elif video.rotation_deg:
        yield (
            f"Video '{name}' shows its pictures as coded: turn them {video.rotation_deg} degrees clockwise. "
            f"CompressedVideo has no field for it."
        )


def _audio_notes(name: str, samples: Samples) -> Iterator[str]:
    clipped = clipped_samples(samples)
    if clipped:
        yield f"Sound '{name}': {clipped} of {samples.data.size} samples were past full scale and are clipped."
    missing = np.count_nonzero(~np.isfinite(samples.data)) if samples.data.dtype.kind == "f" else 0
    if missing:
        yield f"Sound '{name}': {missing} of {samples.data.size} samples are missing and silent in the file."


def _lost_notes(name: str, samples: Samples) -> Iterator[str]:
    if samples.type.kind not in ("pose", "geodetic"):
        return
    lost = int(np.count_nonzero(~np.isfinite(samples.data).all(axis=1)))
    if lost:
        held = "; the 3D scene goes on showing the last pose there" if samples.type.kind == "pose" else ""
        yield f"Stream '{name}': {lost} of {len(samples)} rows are lost and publish nothing{held}."
