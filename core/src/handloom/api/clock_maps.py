"""Clock maps as streams: what a step found out about two clocks of one episode, wired like everything else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from handloom.errors import StreamError
from handloom.streams import Samples, Stream, StreamType
from handloom.time import ClockMap, ClockMaps

_KEY = "clock_map"


def clock_map_type(source: str, target: str) -> StreamType:
    """Return the type of a clock map's stream: stamps on the source clock, the same instants on the target's.

    Args:
        source: Clock the stamps are on; "@" in it stands for the component's own name.
        target: Clock the values are on.
    """
    return StreamType(kind="clock_map", dtype="int64", unit="ns", frame=target, clock=source)


def clock_map_stream(known: ClockMap, attributes: Mapping[str, Any] | None = None) -> Samples:
    """Return a clock map as a stream that keeps every digit of it.

    Args:
        known: The map; its row is the instant where it is least uncertain.
        attributes: Further plain JSON values: method, confidence, residuals.
    """
    return Samples(
        type=clock_map_type(known.source, known.target),
        data=np.array([known.origin_ns + known.offset_ns], dtype=np.int64),
        stamps=np.array([known.origin_ns], dtype=np.int64),
        attributes={**(attributes or {}), _KEY: known.to_json()},
    )


def clock_map_of(stream: Stream) -> ClockMap:
    """Return the clock map that a stream keeps, between the clocks its type names now.

    The names in the type count: a component writes "@" for its own, and the type is where that becomes a name.

    Raises:
        StreamError: It is not a clock map's stream.
    """
    values = stream.attributes.get(_KEY)
    if stream.type.kind != "clock_map" or not isinstance(values, Mapping):
        raise StreamError(f"A stream of {stream.type} keeps no clock map; make it with clock_map_stream.")
    return ClockMap.from_json({**values, "source": stream.type.clock, "target": stream.type.frame})


def declared_clock_maps(maps: ClockMaps, types: Iterable[StreamType]) -> ClockMaps:
    """Return clock maps with those added that streams of these types will hold; only whom they join is meant.

    For checking a plan before anything has run: the added maps have no offset.
    """
    known = {frozenset((found.source, found.target)) for found in maps}
    for type_ in types:
        pair = frozenset((type_.clock, type_.frame))
        if type_.kind == "clock_map" and len(pair) == 2 and pair not in known:
            maps = maps.with_map(ClockMap(source=type_.clock, target=type_.frame, offset_ns=0))
            known.add(pair)
    return maps
