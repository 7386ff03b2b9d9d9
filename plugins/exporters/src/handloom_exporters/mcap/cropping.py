"""Leave out what a tracker recorded long before or after the episode's videos."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np

from handloom.streams import Samples, Stream, Video
from handloom_exporters.mcap.axis import TimeAxis


def near_videos(
    streams: Mapping[str, Stream], axis: TimeAxis, around_s: float
) -> tuple[dict[str, Stream], tuple[str, ...]]:
    """Return the streams without samples far from every video, and a sentence on each that lost some.

    Streams with knots instead of stamps stay whole, as do all where no video has a frame: there is nothing to be
    near to.

    Args:
        streams: All streams of the file, by full name.
        axis: The file's.
        around_s: How far before the first frame and behind the last one a sample may lie, s.
    """
    frames = [axis.of_stream(name, stream) for name, stream in streams.items() if isinstance(stream, Video)]
    ends = [end for times in frames if len(times) for end in (times[0], times[-1])]
    if not ends:
        return dict(streams), ()
    margin = round(around_s * 1e9)
    kept: dict[str, Stream] = {}
    notes = []
    for name, stream in streams.items():
        kept[name] = _cropped(name, stream, axis, int(min(ends)) - margin, int(max(ends)) + margin)
        lost = len(stream) - len(kept[name])
        if lost:
            notes.append(f"{name}: {lost} of {len(stream)} samples lie more than {around_s:g} s from every video.")
    return kept, tuple(notes)


def _cropped(name: str, stream: Stream, axis: TimeAxis, first: int, last: int) -> Stream:
    if not isinstance(stream, Samples) or stream.stamps is None:
        return stream
    times = axis.of_stream(name, stream)
    rows = slice(int(np.searchsorted(times, first)), int(np.searchsorted(times, last, side="right")))
    tracked = None if stream.tracked is None else stream.tracked[rows]
    return attrs.evolve(stream, data=stream.data[rows], stamps=stream.stamps[rows], tracked=tracked)
