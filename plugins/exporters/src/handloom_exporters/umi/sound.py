"""Sound at the steps: blocks cut out of a recording by its stamps, or blocks that a step made already.

ManiWAV counts 800 samples a frame, which at 59.94 frames a second slips by 1 ms each second; here every block is
found by the instant of its step.
"""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import StepError
from handloom.streams import Samples, indices_at
from handloom.streams.samples import Int64Array
from handloom_exporters.umi.config import UmiConfig
from handloom_exporters.umi.timeline import BoolArray, nearest, step_ns

_SAME_SAMPLE = 1e-3
"""Stamps are whole nanoseconds, 5e-5 samples at 48 kHz: a stamp this near to a sample's is the sample's own."""


@attrs.frozen(kw_only=True, eq=False)
class SoundRows:
    """Blocks of sound, one a step.

    Attributes:
        samples: (N,) of the recording, or of all blocks one after the other.
        first: (M,) index of each step's first sample.
        length: Samples of a block.
        dtype: Of the exported array.
        missing: (M,) whether the recording does not hold the whole block.
    """

    samples: npt.NDArray[np.floating]
    first: Int64Array
    length: int
    dtype: str
    missing: BoolArray

    def row(self, step: int) -> npt.NDArray[np.floating]:
        """Return a step's block, (length,)."""
        first = int(self.first[step])
        return self.samples[first : first + self.length]


def sound_rows(
    port: str, name: str, samples: Samples, *, knots: Int64Array, steps: Int64Array, config: UmiConfig
) -> SoundRows:
    """Return the blocks of a microphone.

    Args:
        port: "microphone0" and so on.
        name: Full name of the stream, for messages.
        samples: A sound recording, or a stream of blocks.
        knots: (K, 2) of [sample index, instant on the steps' clock].
        steps: (M,) instants.
        config: Block lengths and channels.

    Raises:
        StepError: The recording has no such channel, or a block is not as long as a step.
    """
    if samples.type.kind == "audio":
        return _cut_blocks(port, name, samples, knots, steps, config)
    return _kept_blocks(samples, knots, steps, config)


def _cut_blocks(
    port: str, name: str, samples: Samples, knots: Int64Array, steps: Int64Array, config: UmiConfig
) -> SoundRows:
    channel = _channel(port, name, samples, config)
    length = _length(name, knots, steps, config)
    index = indices_at(knots, steps)
    first = (
        np.ceil(index - _SAME_SAMPLE) if config.block == "starts" else np.floor(index + _SAME_SAMPLE) + 1 - length
    )
    return _checked(samples.data[:, channel], first.astype(np.int64), length, "float64")


def _kept_blocks(samples: Samples, knots: Int64Array, steps: Int64Array, config: UmiConfig) -> SoundRows:
    stamps = (
        np.interp(np.arange(len(samples)), knots[:, 0], knots[:, 1]).astype(np.int64)
        if samples.knots is not None
        else knots[:, 1]
    )
    row, near = nearest(stamps, steps, config.max_image_distance_s)
    width = samples.data.shape[1]
    first = (row + 1 - config.blocks_per_step) * width
    found = _checked(samples.data.reshape(-1), first, width * config.blocks_per_step, "float32")
    return attrs.evolve(found, missing=found.missing | ~near)


def _checked(samples: npt.NDArray[np.floating], first: Int64Array, length: int, dtype: str) -> SoundRows:
    inside = (first >= 0) & (first + length <= len(samples))
    gaps = np.concatenate([[0], np.cumsum(~np.isfinite(samples))])
    begin = np.clip(first, 0, len(samples))
    broken = gaps[np.clip(begin + length, 0, len(samples))] > gaps[begin]
    return SoundRows(samples=samples, first=first, length=length, dtype=dtype, missing=~inside | broken)


def _channel(port: str, name: str, samples: Samples, config: UmiConfig) -> int:
    channels, number = config.microphone_channels, int(port.removeprefix("microphone"))
    channel = channels[number] if len(channels) > 1 else channels[0]
    if channel >= samples.data.shape[1]:
        raise StepError(f"'{name}' has {samples.data.shape[1]} channels; microphone_channels asks for {channel}.")
    return channel


def _length(name: str, knots: Int64Array, steps: Int64Array, config: UmiConfig) -> int:
    rate_hz = float(knots[-1, 0] - knots[0, 0]) / float(knots[-1, 1] - knots[0, 1]) * 1e9
    expected = rate_hz * step_ns(steps) * 1e-9
    length = config.samples_per_block or int(np.ceil(expected - _SAME_SAMPLE))
    if abs(length - expected) > 1.0 + _SAME_SAMPLE:
        raise StepError(
            f"'{name}' has {expected:.1f} samples a step, but samples_per_block is {length}; blocks would "
            f"overlap or leave sound out. Set it to 0 for as many as a step lasts, rounded up."
        )
    return length
