"""The step `exposure`: how bright each frame is, and how much of it is too dark or too bright to tell anything."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np

from handloom.api import FrameStep, InputPort, Inputs, OutputPort, Outputs, Ports, hookimpl
from handloom.errors import StepError
from handloom.media import View, Views
from handloom.streams import Samples, StreamType

BRIGHTNESS = StreamType(kind="scalar", dtype="float64")
CLIPPED = StreamType(kind="vector", dtype="float64", shape=(2,))


@attrs.frozen(kw_only=True)
class ExposureConfig:
    """Settings of the exposure measure.

    Attributes:
        size: Width and height the frame is measured at; 224 shares the picture that policies train on.
        dark_level: A pixel whose channels are all at most this, of 255, is clipped dark.
        bright_level: A pixel with a channel of at least this is clipped bright.
    """

    size: int = attrs.field(default=224, validator=attrs.validators.ge(1))
    dark_level: int = 4
    bright_level: int = 251


class Exposure(FrameStep):
    """Measures brightness and clipping of each frame."""

    Config = ExposureConfig
    summary = "Brightness of each frame, and the shares of it that are clipped dark and bright"
    lookahead = "none"

    @classmethod
    def ports(cls, config: ExposureConfig) -> Ports:
        """Declare brightness (0 to 1) and clipped shares [dark, bright] a frame, on the video's clock."""
        return Ports(
            inputs={"video": InputPort(kinds="video")},
            outputs={
                "brightness": OutputPort(type=BRIGHTNESS, clock_of="video"),
                "clipped": OutputPort(type=CLIPPED, clock_of="video"),
            },
        )

    @classmethod
    def views(cls, config: ExposureConfig) -> Mapping[str, View]:
        """Ask for a small colour picture."""
        return {"rgb": View(format="rgb", width=config.size, height=config.size)}

    def start(self, inputs: Inputs) -> None:
        """Begin an episode."""
        self._clock = inputs.video("video").type.clock
        self._stamps: list[int] = []
        self._rows: list[tuple[float, float, float]] = []

    def frame(self, index: int, stamp: int, views: Views) -> None:
        """Measure one frame."""
        rgb = views.rgb
        # Channel by channel: a maximum along an axis of three costs thirty times as much.
        strongest = np.maximum(np.maximum(rgb[..., 0], rgb[..., 1]), rgb[..., 2])
        dark = np.count_nonzero(strongest <= self.config.dark_level)
        bright = np.count_nonzero(strongest >= self.config.bright_level)
        self._stamps.append(stamp)
        self._rows.append((float(rgb.mean()) / 255, dark / strongest.size, bright / strongest.size))

    def finish(self) -> Outputs:
        """Return the measures of every decoded frame.

        Raises:
            StepError: No frame decoded.
        """
        if not self._stamps:
            raise StepError("No frame of the video decoded, so there is no exposure to tell.")
        rows, stamps = np.array(self._rows), np.array(self._stamps, dtype=np.int64)
        brightness, clipped = (attrs.evolve(type_, clock=self._clock) for type_ in (BRIGHTNESS, CLIPPED))
        return Outputs(
            streams={
                "brightness": Samples(type=brightness, data=rows[:, 0].copy(), stamps=stamps),
                "clipped": Samples(type=clipped, data=rows[:, 1:].copy(), stamps=stamps),
            },
            attributes={"mean_brightness": float(rows[:, 0].mean()), "worst_clipped": float(rows[:, 1:].max())},
        )


@hookimpl
def step(kind: str) -> type[FrameStep]:
    """Return the step for `exposure`."""
    return Exposure
