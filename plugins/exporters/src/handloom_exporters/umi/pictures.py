"""Pictures at the steps: which frame of which video, seen how, and what of it is blackened."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence

import attrs
import numpy as np
import numpy.typing as npt

from handloom.media import View, decode
from handloom.media.crops import Box, upright_box
from handloom.streams import Video
from handloom.streams.samples import Int64Array
from handloom_exporters.umi.config import UmiConfig
from handloom_exporters.umi.timeline import BoolArray

Picture = npt.NDArray[np.uint8]
Polygons = Sequence[Sequence[Sequence[float]]]


@attrs.frozen(kw_only=True, eq=False)
class PictureRows:
    """Pictures of one camera, one a step.

    Attributes:
        port: The input.
        video: Where they come from.
        view: How they look, its width and height given.
        frame: (M,) index of each step's frame.
        masked: (height, width) pixels that are black; None for none.
    """

    port: str
    video: Video
    view: View
    frame: Int64Array
    masked: BoolArray | None = None

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of a picture."""
        return self.view.height, self.view.width, 3


class FrameCursor:
    """Goes through a video once, and gives the encoded pictures of frames asked for in order."""

    def __init__(self, rows: PictureRows, steps: Int64Array, encode: Callable[[Picture], bytes]) -> None:
        self._rows = rows
        self._encode = encode
        self._frames = self._decoded(rows.frame[steps])
        self._index, self._chunk = -1, b""

    def chunk(self, step: int) -> bytes | None:
        """Return the picture of a step; None when its frame does not decode.

        Raises:
            MediaError: The file is gone or can't be opened any more.
        """
        wanted = int(self._rows.frame[step])
        while self._index < wanted:
            self._index, self._chunk = next(self._frames, (len(self._rows.video), b""))
        return self._chunk if self._index == wanted else None

    def close(self) -> None:
        """Close the file."""
        self._frames.close()

    def _decoded(self, only: Int64Array) -> Generator[tuple[int, bytes]]:
        for index, _, views in decode(self._rows.video, {"it": self._rows.view}, only=np.unique(only)):
            picture = np.array(views["it"])
            if self._rows.masked is not None:
                picture[self._rows.masked] = 0
            yield index, self._encode(picture)


def camera_rows(port: str, video: Video, frame: Int64Array, config: UmiConfig) -> PictureRows:
    """Return a camera's pictures: the middle of the frame, averaged down to a square, masks black."""
    size = config.image_size
    view = View(format="rgb", width=size, height=size, crop=config.crop)
    polygons = config.masks.get(port, ())
    masked = mask_of(polygons, view, _upright_size(video)) if polygons else None
    return PictureRows(port=port, video=video, view=view, frame=frame, masked=masked)


def finger_rows(port: str, video: Video, frame: Int64Array, config: UmiConfig) -> PictureRows:
    """Return a finger camera's pictures: every pixel of the crop, unless a size is set."""
    x, y, width, height = config.finger_crop_px or (0, 0, *_upright_size(video))
    size = config.finger_size_px or (width, height)
    view = View(format="rgb", width=size[0], height=size[1], crop=(x, y, width, height))
    return PictureRows(port=port, video=video, view=view, frame=frame)


def mask_of(polygons: Polygons, view: View, size: tuple[int, int]) -> BoolArray:
    """Return which pixels of a view have their centre inside one of the polygons, (height, width).

    Args:
        polygons: Corners [x, y] from the centre of the whole picture on, in its heights.
        view: Its crop, width and height.
        size: Width and height of the whole picture.
    """
    box = upright_box(view.crop, *size)
    rows, columns = np.mgrid[: view.height, : view.width] + 0.5
    mask = np.zeros((view.height, view.width), dtype=bool)
    for polygon in polygons:
        corners = [_on_view(corner, box, view, size) for corner in polygon]
        mask |= _inside(corners, columns, rows)
    return mask


def _on_view(corner: Sequence[float], box: Box, view: View, size: tuple[int, int]) -> tuple[float, float]:
    x, y, width, height = box
    across, down = corner[0] * size[1] + size[0] / 2, corner[1] * size[1] + size[1] / 2
    return (across - x) * view.width / width, (down - y) * view.height / height


def _inside(
    corners: list[tuple[float, float]], columns: npt.NDArray[np.float64], rows: npt.NDArray[np.float64]
) -> BoolArray:
    """Count the edges to the right of each point: an odd number of them is inside."""
    odd = np.zeros(rows.shape, dtype=bool)
    for (x0, y0), (x1, y1) in zip(corners, [*corners[1:], corners[0]], strict=True):
        if y0 != y1:
            crossing = x0 + (rows - y0) * (x1 - x0) / (y1 - y0)
            odd ^= ((y0 > rows) != (y1 > rows)) & (columns < crossing)
    return odd


def _upright_size(video: Video) -> tuple[int, int]:
    height, width = video.type.shape[:2]
    assert height is not None
    assert width is not None
    return width, height
