"""The one time axis of a file: every stream's stamps, brought to one clock through the rig's clock maps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import attrs
import numpy as np

from handloom.config import dotted
from handloom.errors import ClockError, StepError
from handloom.streams import Stream, StreamType, Video, end_stamps
from handloom.streams.samples import Int64Array
from handloom.time import ClockMap, ClockMaps

Start = Literal["recording", "creation"]

_SECOND_NS = 1_000_000_000
_LAST_NS = (1 << 32) * _SECOND_NS
"""Foxglove's timestamps hold unsigned 32-bit seconds."""


@attrs.frozen(kw_only=True)
class TimeAxis:
    """Where stamps of any clock lie in the file.

    Attributes:
        clock: Name of the clock the axis follows.
        maps: Known maps between clocks.
        shift_ns: Added to a stamp of `clock` to get the log time.
    """

    clock: str
    maps: ClockMaps
    shift_ns: int = 0

    def log_times(self, name: str, clock: str, stamps: Any) -> Int64Array:
        """Map stamps to log times.

        Args:
            name: Full name of the stream, for the message.
            clock: Clock the stamps are on.
            stamps: (N,) int64 ns.

        Returns:
            (N,) int64 ns on the file's axis.

        Raises:
            ClockError: No map leads from the stream's clock to the axis.
        """
        stamps = np.asarray(stamps, dtype=np.int64)
        if clock != self.clock:
            stamps = map_between(name, clock, self.clock, self.maps).apply(stamps)
        mapped: Int64Array = stamps + self.shift_ns
        return mapped

    def of_stream(self, name: str, stream: Stream) -> Int64Array:
        """Return the log time of each sample or frame, (N,) int64 ns."""
        stamps = stream.stamps if isinstance(stream, Video) else stream.all_stamps()
        return self.log_times(name, stream.type.clock, stamps)


def map_between(name: str, clock: str, target: str, maps: ClockMaps) -> ClockMap:
    """Return the map from a stream's clock to the file's.

    Raises:
        ClockError: No map leads from one to the other; the message says what the rig has instead.
    """
    try:
        return maps.between(clock, target)
    except ClockError as error:
        raise ClockError(
            f"Stream '{name}' is on clock '{clock}' and the file's axis is clock '{target}', with no map "
            f"between them{_instead(clock, target, maps)}. Look why the step that finds one has none, add "
            f"[{dotted(('rig', 'clocks', clock))}] with `reference = '{target}'`, `offset_ns` and "
            f"`uncertainty_ns` to the rig, or leave the stream out of the exporter's inputs. Clocks are never "
            f"taken as equal."
        ) from error


def _instead(clock: str, target: str, maps: ClockMaps) -> str:
    """Say where else the maps of one of the two clocks lead: mostly to a misspelt name."""
    for here, there, whose in ((clock, target, ""), (target, clock, f" from '{target}'")):
        others = " and ".join(f"'{other}'" for other in maps.joined_with(here))
        if others:
            return f" (a map{whose} to {others} exists, none to '{there}')"
    return ""


def unmapped(types: Mapping[str, StreamType], *, clock: str, maps: ClockMaps) -> Iterator[str]:
    """Yield a sentence for each clock that can't be brought to the file's.

    Where several clocks are joined and none can be chosen without a video, nothing is said: a video that the
    recording may have would choose.

    Args:
        types: Types of the streams that the file must hold, by full name.
        clock: Clock to follow; "" chooses.
        maps: Known maps between clocks.
    """
    first = {type_.clock: name for name, type_ in sorted(types.items(), reverse=True)}
    videos = [type_.clock for _, type_ in sorted(types.items()) if type_.kind == "video"]
    target = clock or next(iter([*videos, *sorted(first)]), "")
    for other, name in sorted(first.items()):
        try:
            map_between(name, other, target, maps)
        except ClockError as error:
            yield str(error)


def choose_clock(streams: Mapping[str, Stream], wanted: str) -> str:
    """Return the clock the file follows: the wanted one, the first video's, or the only one there is.

    Raises:
        ClockError: There are several clocks, none is wanted, and there is no video to choose by.
    """
    clocks = sorted({stream.type.clock for stream in streams.values()})
    if wanted or not clocks:
        return wanted
    videos = [stream.type.clock for _, stream in sorted(streams.items()) if isinstance(stream, Video)]
    if videos:
        return videos[0]
    if len(clocks) == 1:
        return clocks[0]
    raise ClockError(
        f"The streams are on {len(clocks)} clocks ({', '.join(clocks)}) and there is no video to choose one by; "
        f"set `clock` of the exporter to one of them."
    )


def make_axis(streams: Mapping[str, Stream], *, clock: str, start: Start, maps: ClockMaps) -> TimeAxis:
    """Return the axis of a file; log times are unsigned, so it is shifted as a whole when it starts below zero.

    Args:
        streams: All streams of the file, by full name.
        clock: Clock to follow; "" chooses.
        start: "recording" keeps the clock's own stamps; "creation" puts zero of the clock at the video's
            creation time, so that Foxglove shows the date.
        maps: Known maps between clocks.

    Raises:
        ClockError: A stream's clock can't be mapped, or no clock can be chosen.
        StepError: The creation time is wanted but unknown, or the axis ends past what MCAP can hold.
    """
    axis = TimeAxis(clock=choose_clock(streams, clock), maps=maps)
    if start == "creation":
        axis = attrs.evolve(axis, shift_ns=creation_ns(streams, axis.clock))
    first, last = span(streams, axis)
    if first < 0:
        # Whole seconds, so that the digits after the point stay those of the recording.
        axis = attrs.evolve(axis, shift_ns=axis.shift_ns + -(first // _SECOND_NS) * _SECOND_NS)
    if last + axis.shift_ns >= _LAST_NS:
        raise StepError(
            f"Clock '{axis.clock}' reaches {last / _SECOND_NS:.0f} s; timestamps of Foxglove end at 2^32 s. "
            f"Choose another `clock` for the exporter."
        )
    return axis


def span(streams: Mapping[str, Stream], axis: TimeAxis) -> tuple[int, int]:
    """Return the first and the last log time of all streams, ns; (0, 0) when all are empty."""
    ends = [
        axis.log_times(name, stream.type.clock, stamps)
        for name, stream in streams.items()
        if (stamps := end_stamps(stream))
    ]
    if not ends:
        return 0, 0
    return int(min(pair[0] for pair in ends)), int(max(pair[1] for pair in ends))


def creation_ns(streams: Mapping[str, Stream], clock: str) -> int:
    """Return the creation time of the first video on the clock, ns since 1970.

    Raises:
        StepError: No video on the clock says when it was made.
    """
    from datetime import UTC, datetime

    for _, stream in sorted(streams.items()):
        made = stream.attributes.get("creation_time") if stream.type.clock == clock else None
        if isinstance(made, str) and made:
            moment = datetime.fromisoformat(made)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            return round(moment.timestamp()) * _SECOND_NS
    raise StepError(
        f'`start = "creation"` needs a stream on clock \'{clock}\' with a "creation_time" attribute; '
        f'none has one. Use `start = "recording"`.'
    )
