"""Sound as raw audio: blocks of 16-bit samples, each stamped by its first sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from handloom.errors import StepError
from handloom.streams import Samples, stamps_at
from handloom.streams.samples import Int64Array
from handloom_exporters.mcap.axis import TimeAxis
from handloom_exporters.mcap.topic import Message, Topic, timestamp, topic_name

BLOCK_S = 0.032
"""Length of a block: short enough to scrub to, long enough that blocks cost little."""

_FULL_SCALE = 32767


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
    return sum(int(np.count_nonzero(np.abs(block) > 1.0)) for _, block in _blocks(samples, 1 << 16))


def _messages(name: str, samples: Samples, axis: TimeAxis) -> Iterator[Message]:
    from foxglove.messages import RawAudio

    if not len(samples):
        return
    rate = sample_rate(samples)
    length = max(1, round(rate * BLOCK_S))
    starts = np.arange(0, len(samples), length)
    log_times = axis.log_times(name, samples.type.clock, _stamps_of(samples, starts)).tolist()
    channels = samples.data.reshape(len(samples), -1).shape[1]
    for log_time, (_, block) in zip(log_times, _blocks(samples, length), strict=True):
        message = RawAudio(
            timestamp=timestamp(log_time),
            data=_as_s16(block).tobytes(),
            format="pcm-s16",
            sample_rate=rate,
            number_of_channels=channels,
        )
        yield log_time, message.encode()


def sample_rate(samples: Samples) -> int:
    """Return the whole number of samples a second that a player is told; the stamps hold the true rate."""
    rate = samples.rate_hz()
    return round(rate) if np.isfinite(rate) else 0


def _blocks(samples: Samples, length: int) -> Iterator[tuple[int, Any]]:
    for first in range(0, len(samples), length):
        yield first, samples.data[first : first + length]


def _stamps_of(samples: Samples, indices: Any) -> Int64Array:
    if samples.knots is not None:
        return stamps_at(samples.knots, indices)
    return samples.all_stamps()[indices]


def _as_s16(block: Any) -> Any:
    if block.dtype.kind != "f":
        return block.astype("<i2")
    return np.rint(np.clip(block, -1.0, 1.0) * _FULL_SCALE).astype("<i2")
