"""The step `thumbnails`: small pictures now and then, to recognise an episode by."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import FrameStep, InputPort, Inputs, OutputPort, Outputs, Ports, hookimpl
from handloom.errors import StepError
from handloom.media import View, Views
from handloom.streams import Samples, StreamType


@attrs.frozen(kw_only=True)
class ThumbnailsConfig:
    """Settings of the thumbnails.

    Attributes:
        width: In pixels.
        height: In pixels; 0 follows from the width and the video's aspect ratio.
        every: Frames from one thumbnail to the next; the frames between are not converted.
    """

    width: int = attrs.field(default=128, validator=attrs.validators.ge(1))
    height: int = attrs.field(default=0, validator=attrs.validators.ge(0))
    every: int = attrs.field(default=30, validator=attrs.validators.ge(1))


def _image_type(config: ThumbnailsConfig) -> StreamType:
    return StreamType(kind="image", dtype="uint8", shape=(config.height or None, config.width, 3))


class Thumbnails(FrameStep):
    """Keeps a small picture of every n-th frame."""

    Config = ThumbnailsConfig
    summary = "Small pictures of every n-th frame"
    lookahead = "none"

    @classmethod
    def ports(cls, config: ThumbnailsConfig) -> Ports:
        """Declare the pictures, on the video's clock."""
        return Ports(
            inputs={"video": InputPort(kinds="video")},
            outputs={"thumbnails": OutputPort(type=_image_type(config), clock_of="video")},
        )

    @classmethod
    def views(cls, config: ThumbnailsConfig) -> Mapping[str, View]:
        """Ask for a small colour picture of every n-th frame."""
        return {"thumbnail": View(format="rgb", width=config.width, height=config.height, every=config.every)}

    def start(self, inputs: Inputs) -> None:
        """Begin an episode."""
        self._type = attrs.evolve(_image_type(self.config), clock=inputs.video("video").type.clock)
        self._stamps: list[int] = []
        self._pictures: list[npt.NDArray[np.uint8]] = []

    def frame(self, index: int, stamp: int, views: Views) -> None:
        """Keep the picture when the frame has one."""
        if "thumbnail" in views:
            self._stamps.append(stamp)
            self._pictures.append(views.thumbnail.copy())

    def finish(self) -> Outputs:
        """Return the pictures.

        Raises:
            StepError: No frame that was due decoded.
        """
        if not self._stamps:
            raise StepError("No frame that a thumbnail was due on decoded, so there is none to show.")
        stamps = np.array(self._stamps, dtype=np.int64)
        return Outputs(
            streams={"thumbnails": Samples(type=self._type, data=np.stack(self._pictures), stamps=stamps)}
        )


@hookimpl
def step(kind: str) -> type[FrameStep]:
    """Return the step for `thumbnails`."""
    return Thumbnails
