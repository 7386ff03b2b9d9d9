"""Cuts a sound into one block for each video frame: the last samples at or before the frame's instant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import InputPort, Inputs, OutputPort, Outputs, Ports, Progress, Step
from handloom.errors import ClockError, StepError
from handloom.streams import Samples, StreamType, Video, end_stamps
from handloom.time import ClockMap
from handloom_sensors.contact_audio.anchoring import Blocks, block_samples, blocks_ending_at

BLOCKS = StreamType(kind="vector", dtype="float32", shape=(None,))
START = StreamType(kind="scalar", dtype="int64", unit="sample")


@attrs.frozen(kw_only=True)
class ContactAudioConfig:
    """Settings of the blocks.

    Attributes:
        block_s: Length of a block; 0 is as long as a frame lasts, rounded up, and one sample more: blocks of
            neighbouring frames then leave no hole (268 samples at 16 kHz and 59.94 frames a second).
        channel: Which channel of the sound.
    """

    block_s: float = attrs.field(default=0.0, validator=attrs.validators.ge(0))
    channel: int = attrs.field(default=0, validator=attrs.validators.ge(0))


class ContactAudio(Step):
    """One block of sound a frame, anchored on the frame's stamp; a policy at that instant may hear all of it."""

    Config = ContactAudioConfig
    summary = "One block of the contact microphone's sound for each video frame, ending at the frame's instant"
    lookahead = "none"

    @classmethod
    def ports(cls, config: ContactAudioConfig) -> Ports:
        """Declare a block and its first sample's index for each frame, on the video's clock."""
        return Ports(
            inputs={
                "audio": InputPort(kinds="audio"),
                "video": InputPort(kinds="video"),
                "clock_maps": InputPort(kinds="clock_map", many=True, optional=True),
            },
            outputs={
                "blocks": OutputPort(type=BLOCKS, clock_of="video"),
                "block_start": OutputPort(type=START, clock_of="video"),
            },
        )

    def run(self, inputs: Inputs, progress: Progress) -> Outputs:
        """Cut the blocks.

        Raises:
            StepError: The sound has no such channel, no regular rate or nothing but silence, nothing maps the
                video's clock to the sound's, or not one frame has a whole block.
        """
        progress(0.0)
        sound, video = inputs.samples("audio"), inputs.video("video")
        self._check(sound)
        known = _way(inputs, video.type.clock, sound.type.clock)
        stamps = known.apply(video.stamps)
        rate_hz, length = sound.rate_hz(), self._length(sound, video)
        blocks = blocks_ending_at(sound, stamps, length, channel=self.config.channel)
        if blocks.missing.all():
            raise StepError(_no_overlap(sound, stamps, length / rate_hz))
        progress(1.0)
        clock = video.type.clock
        data = Samples(
            type=attrs.evolve(BLOCKS, shape=(length,), clock=clock),
            data=blocks.data,
            stamps=video.stamps,
            attributes={"rate_hz": rate_hz, "channel": self.config.channel},
        )
        starts = Samples(type=attrs.evolve(START, clock=clock), data=blocks.starts, stamps=video.stamps)
        return Outputs(
            streams={"blocks": data, "block_start": starts},
            attributes=_attributes(blocks, rate_hz, known, video),
            notes=tuple(_notes(blocks)),
        )

    def _check(self, sound: Samples) -> None:
        if sound.knots is None or len(sound) < 2:
            raise StepError(
                f"The sound of {len(sound)} samples has no regular rate; blocks can't be counted off it."
            )
        channels: int = sound.data.shape[1]
        if self.config.channel >= channels:
            raise StepError(
                f"Channel {self.config.channel} was asked for and the sound has {channels}; count from 0."
            )
        values = sound.data[:, self.config.channel]
        # fmin and fmax pass over what is not a number.
        if not np.fmin.reduce(values) < np.fmax.reduce(values):
            raise StepError(
                f"The sound is silent: all its {len(values)} samples have one value. A microphone that works "
                f"hears its own noise; look at its plug."
            )

    def _length(self, sound: Samples, video: Video) -> int:
        rate_hz = float(sound.attributes.get("nominal_rate_hz") or sound.rate_hz())
        seconds: float = self.config.block_s
        if seconds:
            return max(round(seconds * rate_hz), 1)
        if len(video) < 2:
            raise StepError("The video has one frame, which tells no frame rate; set block_s.")
        return block_samples(rate_hz, float(1e9 / np.median(np.diff(video.stamps))))


def _way(inputs: Inputs, source: str, target: str) -> ClockMap:
    try:
        return inputs.rig.clock_maps.between(source, target)
    except ClockError as error:
        raise StepError(
            f"The video is on clock '{source}' and the sound on '{target}': {error} Let a sync step find the map, "
            f"or give it in the rig."
        ) from error


def _no_overlap(sound: Samples, stamps: npt.NDArray[np.int64], block_s: float) -> str:
    first, last = end_stamps(sound) or (0, 0)
    return (
        f"No frame has a whole block of {block_s * 1e3:.1f} ms: on clock '{sound.type.clock}' the sound goes from "
        f"{first * 1e-9:.3f} s to {last * 1e-9:.3f} s and the frames from {stamps[0] * 1e-9:.3f} s to "
        f"{stamps[-1] * 1e-9:.3f} s; check the clock map and that both are of one recording."
    )


def _attributes(blocks: Blocks, rate_hz: float, known: ClockMap, video: Video) -> dict[str, Any]:
    missing, (frames, length) = blocks.missing, blocks.data.shape
    kept = blocks.data[~missing].astype(np.float64)
    holes = (np.diff(blocks.starts) > length) & ~missing[1:] & ~missing[:-1]
    return {
        "block_samples": length,
        "rate_hz": rate_hz,
        "gap_frames": int(missing.sum()),
        "before_sound": int(blocks.before.sum()),
        "after_sound": int(blocks.after.sum()),
        "in_sound_gaps": int(blocks.broken.sum()),
        "holes_between_blocks": int(holes.sum()),
        "coverage": 1.0 - float(missing.sum()) / frames,
        "rms": float(np.sqrt(np.mean(kept**2))),
        "clock_uncertainty_samples": float(known.uncertainty_at(video.stamps).max() * 1e-9 * rate_hz),
    }


def _notes(blocks: Blocks) -> Iterator[str]:
    missing = int(blocks.missing.sum())
    if missing:
        yield (
            f"{missing} of {len(blocks.starts)} frames have no whole block of sound and are gaps: "
            f"{int(blocks.before.sum())} before the sound begins, {int(blocks.after.sum())} after it ends, "
            f"{int(blocks.broken.sum())} at gaps in it."
        )
