"""Sound as raw audio: blocks of 16-bit samples, each stamped by its first sample."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from handloom.errors import StepError
from handloom.streams import Samples, stamps_at
from handloom.streams.samples import Int64Array
from handloom_exporters.mcap.axis import TimeAxis
from handloom_exporters.mcap.topic import Message, Topic, timestamp, topic_name

BLOCK_S = 0.04
"""Length of a block: short enough to scrub to, long enough that blocks cost little."""

_FULL_SCALE = 32767
_AT_A_TIME = 32

_JUMP = 1e-3
"""A step of the clock that differs by more than this share is a jump and no drift: a block hides less."""


def audio_topic(name: str, samples: Samples, axis: TimeAxis) -> Topic:
    """Return the topic of an audio stream.

    Args:
        name: Full name of the stream.
        samples: (N, channels), float with full scale at 1, or int16.
        axis: The file's time axis.

    Raises:
        StepError: The sample type is neither.
    """
    from foxglove.messages import RawAudio

    if samples.data.dtype.kind != "f" and samples.data.dtype != np.int16:
        raise StepError(
            f"Sound '{name}' has {samples.data.dtype} samples; MCAP takes int16, or float with full scale at 1. "
            f"Leave it out of the exporter's inputs or convert it in a step."
        )
    return Topic(
        name=topic_name(name),
        schema=RawAudio.get_schema(),
        messages=_messages(name, samples, axis),
        metadata={"unit": samples.type.unit, "kind": "audio"},
    )


def clipped_samples(samples: Samples) -> int:
    """Count the float samples past full scale, which 16 bits can't hold."""
    if samples.data.dtype.kind != "f":
        return 0
    return int(np.count_nonzero(samples.data > 1.0) + np.count_nonzero(samples.data < -1.0))


def _messages(name: str, samples: Samples, axis: TimeAxis) -> Iterator[Message]:
    from foxglove.messages import RawAudio

    knots = _knots(samples)
    period_ns = _period_ns(knots)
    rate = sample_rate(samples, period_ns)
    starts = block_starts(knots, len(samples), period_ns)
    log_times = axis.log_times(name, samples.type.clock, stamps_at(knots, starts)).tolist()
    channels = samples.data.reshape(len(samples), -1).shape[1]
    for log_time, block in zip(log_times, _blocks(samples, starts), strict=True):
        message = RawAudio(
            timestamp=timestamp(log_time),
            data=block,
            format="pcm-s16",
            sample_rate=rate,
            number_of_channels=channels,
        )
        yield log_time, message.encode()


def sample_rate(samples: Samples, period_ns: float) -> int:
    """Return the samples a second that a player is told: as the recorder declared, else as measured."""
    return round(float(samples.attributes.get("nominal_rate_hz", 1e9 / period_ns)))


def block_starts(knots: Int64Array, count: int, period_ns: float) -> list[int]:
    """Return the index of each block's first sample; a block ends early where the time jumps.

    Args:
        knots: (K, 2) of [sample index, ns].
        count: How many samples there are.
        period_ns: From one sample to the next.
    """
    length = max(1, round(BLOCK_S * 1e9 / period_ns))
    steps = np.diff(knots, axis=0)
    jumps = knots[1:][np.abs(steps[:, 1] / steps[:, 0] - period_ns) > _JUMP * period_ns, 0]
    edges = [0, *(int(jump) for jump in jumps if 0 < jump < count), count]
    return [start for first, last in pairwise(edges) for start in range(first, last, length)]


def _period_ns(knots: Int64Array) -> float:
    """Return the time from one sample to the next, as most samples have it, whatever gaps there are."""
    steps = np.diff(knots, axis=0)
    periods = steps[:, 1] / steps[:, 0]
    order = np.argsort(periods)
    samples = np.cumsum(steps[order, 0])
    return float(periods[order][np.searchsorted(samples, samples[-1] / 2)])


def _knots(samples: Samples) -> Int64Array:
    if samples.knots is not None:
        return samples.knots
    knots: Int64Array = np.column_stack([np.arange(len(samples)), samples.all_stamps()])
    return knots


def _blocks(samples: Samples, starts: list[int]) -> Iterator[bytes]:
    """Yield the bytes of each block, converted many at a time: a block alone is mostly the overhead of numpy."""
    bounds = [*starts, len(samples)]
    for first in range(0, len(starts), _AT_A_TIME):
        group = bounds[first : first + _AT_A_TIME + 1]
        converted = _as_s16(samples.data[group[0] : group[-1]])
        for start, end in pairwise(group):
            yield converted[start - group[0] : end - group[0]].tobytes()


def _as_s16(block: Any) -> Any:
    if block.dtype.kind != "f":
        return block.astype("<i2")
    known = np.where(np.isnan(block), 0.0, block) if np.isnan(block).any() else block
    return np.rint(np.clip(known, -1.0, 1.0) * _FULL_SCALE).astype("<i2")
