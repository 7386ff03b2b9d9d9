"""The step `sharpness`: how sharp each frame of a video is, to find motion blur and lost focus."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import FrameStep, InputPort, Inputs, OutputPort, Outputs, Ports, hookimpl
from handloom.errors import StepError
from handloom.media import View, Views
from handloom.streams import Samples, StreamType

SHARPNESS = StreamType(kind="scalar", dtype="float64")


@attrs.frozen(kw_only=True)
class SharpnessConfig:
    """Settings of the sharpness measure.

    Attributes:
        width: Width the frame is measured at, in pixels; values of different sizes can't be compared.
        height: Height it is measured at; 0 follows from the width and the video's aspect ratio.
    """

    width: int = attrs.field(default=320, validator=attrs.validators.ge(3))
    height: int = attrs.field(default=0, validator=attrs.validators.ge(0))


def laplacian_variance(gray: npt.NDArray[np.uint8]) -> float:
    """Return the variance of the four-neighbour Laplacian of a picture: small when it is blurred.

    Source: Pech-Pacheco et al., "Diatom autofocusing in brightfield microscopy", ICPR 2000.

    Args:
        gray: (H, W) uint8, at least 3 by 3.
    """
    level = gray.astype(np.int16)
    inner = level[1:-1, 1:-1]
    laplacian = level[:-2, 1:-1] + level[2:, 1:-1] + level[1:-1, :-2] + level[1:-1, 2:] - 4 * inner
    return float(laplacian.var(dtype=np.float64))


class Sharpness(FrameStep):
    """Measures the sharpness of each frame on a small grey picture."""

    Config = SharpnessConfig
    summary = "Sharpness of each frame: the variance of its Laplacian"
    lookahead = "none"

    @classmethod
    def ports(cls, config: SharpnessConfig) -> Ports:
        """Declare one number a frame, on the video's clock."""
        return Ports(
            inputs={"video": InputPort(kinds="video")},
            outputs={"sharpness": OutputPort(type=SHARPNESS, clock_of="video")},
        )

    @classmethod
    def views(cls, config: SharpnessConfig) -> Mapping[str, View]:
        """Ask for a small grey picture."""
        return {"gray": View(format="gray", width=config.width, height=config.height)}

    def start(self, inputs: Inputs) -> None:
        """Begin an episode."""
        self._type = attrs.evolve(SHARPNESS, clock=inputs.video("video").type.clock)
        self._stamps: list[int] = []
        self._values: list[float] = []

    def frame(self, index: int, stamp: int, views: Views) -> None:
        """Measure one frame."""
        self._stamps.append(stamp)
        self._values.append(laplacian_variance(views.gray))

    def finish(self) -> Outputs:
        """Return one number a decoded frame.

        Raises:
            StepError: No frame decoded.
        """
        if not self._stamps:
            raise StepError("No frame of the video decoded, so there is no sharpness to tell.")
        values = np.array(self._values)
        samples = Samples(type=self._type, data=values, stamps=np.array(self._stamps, dtype=np.int64))
        return Outputs(
            streams={"sharpness": samples},
            attributes={"median": float(np.median(values)), "least": float(values.min())},
        )


@hookimpl
def step(kind: str) -> type[FrameStep]:
    """Return the step for `sharpness`."""
    return Sharpness
