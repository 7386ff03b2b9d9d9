"""The steps of an episode in time, and where the samples of any stream lie beside them."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np
import numpy.typing as npt

from handloom.streams import Samples, Stream, Video
from handloom.streams.samples import Int64Array
from handloom.time import ClockMaps
from handloom_exporters.umi.config import UmiConfig

BoolArray = npt.NDArray[np.bool_]


@attrs.frozen(kw_only=True)
class Timeline:
    """Brings stamps to the first camera's clock, each stream's latency taken off: to the instant of the event.

    Attributes:
        clock: The first camera's.
        maps: Known maps between clocks.
        latency_s: By input.
    """

    clock: str
    maps: ClockMaps
    latency_s: Mapping[str, float]

    def events(self, port: str, clock: str, stamps: Int64Array) -> Int64Array:
        """Return the instants, (N,) int64 ns on the first camera's clock, of stamps on a stream's clock.

        Raises:
            ClockError: No map leads from one clock to the other.
        """
        latency_ns = round(self.latency_s.get(port, 0.0) * 1e9)
        return self.maps.between(clock, self.clock).apply(stamps) - latency_ns

    def of(self, port: str, stream: Stream) -> Int64Array:
        """Return the instants of a stream's samples or frames."""
        stamps = stream.stamps if isinstance(stream, Video) else stream.all_stamps()
        return self.events(port, stream.type.clock, stamps)

    def knots_of(self, port: str, samples: Samples) -> Int64Array:
        """Return [sample index, instant] of a regular stream, (K, 2), or of every sample of another."""
        knots = samples.knots
        if knots is None:
            knots = np.column_stack([np.arange(len(samples)), samples.all_stamps()])
        return np.column_stack([knots[:, 0], self.events(port, samples.type.clock, knots[:, 1])])


def steps_of(frames: Int64Array, config: UmiConfig) -> Int64Array:
    """Return the instants of the steps, (M,) int64 ns: every nth frame, or evenly from the first frame on.

    Args:
        frames: (N,) instants of the first camera's frames.
        config: Its stride or rate.
    """
    if not config.rate_hz:
        return frames[:: config.stride]
    count = int((frames[-1] - frames[0]) * 1e-9 * config.rate_hz + 1e-6) + 1
    steps: Int64Array = frames[0] + np.rint(np.arange(count) * (1e9 / config.rate_hz)).astype(np.int64)
    return steps


def step_ns(steps: Int64Array) -> float:
    """Return how long a step usually lasts; NaN of fewer than two."""
    return float(np.median(np.diff(steps))) if len(steps) > 1 else float("nan")


def after_a_hole(steps: Int64Array) -> BoolArray:
    """Say of each step whether time is missing before it: frames that the camera did not record."""
    late = np.zeros(len(steps), dtype=bool)
    if len(steps) > 1:
        late[1:] = np.diff(steps) > 1.5 * step_ns(steps)
    return late


def nearest(stamps: Int64Array, steps: Int64Array, max_distance_s: float) -> tuple[Int64Array, BoolArray]:
    """Return for each step the index of the nearest sample, the earlier of two, and whether it is near enough.

    Args:
        stamps: (N,) instants, increasing, at least one.
        steps: (M,) instants.
        max_distance_s: How far is near enough.
    """
    after = np.clip(np.searchsorted(stamps, steps), 0, len(stamps) - 1)
    before = np.maximum(after - 1, 0)
    index = np.where(np.abs(stamps[before] - steps) <= np.abs(stamps[after] - steps), before, after)
    return index, np.abs(stamps[index] - steps) <= max_distance_s * 1e9


def newest(stamps: Int64Array, steps: Int64Array, max_age_s: float) -> tuple[Int64Array, BoolArray]:
    """Return for each step the index of the last sample that is not after it, and whether it is new enough."""
    index = np.searchsorted(stamps, steps, side="right") - 1
    age = steps - stamps[np.maximum(index, 0)]
    return np.maximum(index, 0), (index >= 0) & (age <= max_age_s * 1e9)
