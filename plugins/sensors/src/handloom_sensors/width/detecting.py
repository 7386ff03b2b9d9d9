"""Finds tags in a part of a picture, shrunk as far as the tags' expected size allows."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom_sensors.width.opencv import opencv

FloatArray = npt.NDArray[np.float64]
Luma = npt.NDArray[np.uint8]


@attrs.frozen(kw_only=True)
class Box:
    """A rectangle of pixels, its far sides excluded.

    Attributes:
        left: First column.
        top: First row.
        right: Column after the last.
        bottom: Row after the last.
    """

    left: int
    top: int
    right: int
    bottom: int

    @property
    def empty(self) -> bool:
        """Whether it holds no pixel."""
        return self.right <= self.left or self.bottom <= self.top


def box_around(points: FloatArray, margin: FloatArray | float, width: int, height: int) -> Box:
    """Return the box about points (N, 2), widened by a margin in pixels and cut at the picture's borders."""
    low, high = np.floor(points.min(axis=0) - margin), np.ceil(points.max(axis=0) + margin) + 1
    low, high = np.clip(low, 0, [width, height]).astype(int), np.clip(high, 0, [width, height]).astype(int)
    return Box(left=int(low[0]), top=int(low[1]), right=int(high[0]), bottom=int(high[1]))


@attrs.frozen(kw_only=True, eq=False)
class Seen:
    """One tag that was decoded.

    Attributes:
        tag: Its id.
        corners: (4, 2) pixels of the whole picture, clockwise from the tag's own top left.
    """

    tag: int
    corners: FloatArray

    @property
    def side(self) -> float:
        """Mean length of its sides in pixels."""
        return side_of(self.corners)


def side_of(corners: FloatArray) -> float:
    """Return the mean length in pixels of the sides of corners (4, 2)."""
    return float(np.hypot(*(corners - np.roll(corners, 1, axis=0)).T).mean())


class Detector:
    """OpenCV's detector with its own settings, no refinement: corners are measured elsewhere."""

    def __init__(self, dictionary: Any) -> None:
        aruco = opencv().aruco
        self._detector = aruco.ArucoDetector(dictionary, aruco.DetectorParameters())

    def find(self, luma: Luma, box: Box, shrink: float = 1.0) -> list[Seen]:
        """Return the tags in a part of a picture, by id and place.

        Args:
            luma: (H, W) the whole picture.
            box: The part to look at.
            shrink: Each side is divided by this first; below 1 the part is enlarged.
        """
        part = np.ascontiguousarray(luma[box.top : box.bottom, box.left : box.right])
        if min(part.shape) < 8 * shrink:
            return []
        if shrink != 1.0:
            part = _resized(part, shrink)
        quads, ids, _ = self._detector.detectMarkers(part)
        if ids is None:
            return []
        # Pixel centres at integers, before and after shrinking.
        origin = np.array([box.left, box.top]) + 0.5 * shrink - 0.5
        seen = [
            Seen(tag=int(tag), corners=quad.reshape(4, 2).astype(np.float64) * shrink + origin)
            for tag, quad in zip(np.ravel(ids), quads, strict=True)
        ]
        return sorted(seen, key=lambda each: (each.tag, *each.corners[0].tolist()))


def _resized(part: Luma, shrink: float) -> Luma:
    cv2 = opencv()
    how = cv2.INTER_AREA if shrink > 1.0 else cv2.INTER_CUBIC
    # Whole cells only, so that the scale is exactly what it says.
    height, width = (int(size // shrink * shrink) for size in part.shape)
    resized: Luma = cv2.resize(part[:height, :width], None, fx=1 / shrink, fy=1 / shrink, interpolation=how)
    return resized
