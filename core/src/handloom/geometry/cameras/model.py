"""What all camera models share: picture size, focal lengths, principal point, the way through the unit plane."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import ConfigError
from handloom.geometry.arrays import BoolArray, FloatArray, rows

SIZES = ("width", "height")
FOCAL_LENGTHS = ("fx", "fy")

_FAR = 1e100
"""No pixel is so many focal lengths away, and the square of it still fits in float64."""

Camera = TypeVar("Camera", bound="CameraModel")


@attrs.frozen(kw_only=True)
class CameraModel(ABC):
    """A calibrated camera that looks along +z, x to the right, y down.

    Pixel centres are at integers, (0, 0) is the centre of the first pixel. Points and rays are in the camera's
    optical frame. What a model can't map is NaN and marked as not valid.

    Attributes:
        model: Name of the model in a rig's table.
        width: Picture width in pixels.
        height: Picture height in pixels.
        fx: Focal length along x in pixels.
        fy: Focal length along y in pixels.
        cx: Principal point, x of a pixel.
        cy: Principal point, y of a pixel.

    Raises:
        ConfigError: A value is impossible; all such values are listed.
    """

    model: ClassVar[str] = ""

    width: int
    height: int
    fx: float
    fy: float
    cx: float
    cy: float

    def __attrs_post_init__(self) -> None:
        problems = [
            f"{name}: found {value!r}; expected {expected}."
            for name, value in attrs.asdict(self).items()
            if (expected := self._expected(name, value))
        ]
        if problems:
            raise ConfigError(problems)

    def project(self, points: npt.ArrayLike) -> tuple[FloatArray, BoolArray]:
        """Return where points appear.

        Args:
            points: (N, 3) in the camera's optical frame.

        Returns:
            (N, 2) pixels x y, NaN where not valid, and (N,) whether the model can see the point. A valid pixel may
            lie outside the picture; `contains` says so.

        Raises:
            FrameError: The points are not (..., 3).
        """
        array = rows(points, 3, "Points")
        size = np.abs(array).max(axis=-1, keepdims=True)
        somewhere = np.isfinite(size) & (size > 0.0)
        # Only the direction counts; brought near 1, no square of it can leave float64.
        plane, seen = self._onto_plane(np.where(somewhere, array, 1.0) / np.where(somewhere, size, 1.0))
        valid = seen & somewhere[..., 0]
        pixels = plane * np.array([self.fx, self.fy]) + np.array([self.cx, self.cy])
        return _only_valid(pixels, valid)

    def unproject(self, pixels: npt.ArrayLike) -> tuple[FloatArray, BoolArray]:
        """Return the directions that pixels look into.

        Args:
            pixels: (N, 2), inside the picture or not.

        Returns:
            (N, 3) unit rays in the camera's optical frame, NaN where not valid, and (N,) whether the model reaches
            the pixel.

        Raises:
            FrameError: The pixels are not (..., 2).
        """
        centred = rows(pixels, 2, "Pixels") - np.array([self.cx, self.cy])
        plane = centred / np.array([self.fx, self.fy])
        near = (np.abs(plane) < _FAR).all(axis=-1)
        rays, reached = self._from_plane(np.where(near[..., None], plane, 0.0))
        return _only_valid(rays, reached & near)

    def contains(self, pixels: npt.ArrayLike) -> BoolArray:
        """Return (N,) whether pixels (N, 2) lie in the picture, half a pixel past the outermost centres."""
        array = rows(pixels, 2, "Pixels")
        inside = (array >= -0.5) & (array <= np.array([self.width - 0.5, self.height - 0.5]))
        return np.asarray(inside.all(axis=-1))

    def scaled(self: Camera, width: int, height: int) -> Camera:
        """Return the camera of the same picture resized to another size.

        The edges of the picture stay where they are, half a pixel outside the first and last centres, so the
        principal point moves by c' = (c + 0.5) * scale - 0.5.

        Raises:
            ConfigError: The size is not that of a picture.
        """
        x, y = width / self.width, height / self.height
        return attrs.evolve(
            self,
            width=width,
            height=height,
            fx=self.fx * x,
            fy=self.fy * y,
            cx=(self.cx + 0.5) * x - 0.5,
            cy=(self.cy + 0.5) * y - 0.5,
        )

    def matrix(self) -> FloatArray:
        """Return the (3, 3) matrix from the unit plane to pixels."""
        return np.array([[self.fx, 0.0, self.cx], [0.0, self.fy, self.cy], [0.0, 0.0, 1.0]])

    def to_table(self) -> dict[str, Any]:
        """Return the table that `camera_from_table` reads back."""
        return {"model": self.model, **attrs.asdict(self)}

    @abstractmethod
    def _onto_plane(self, points: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return (..., 2) unit-plane coordinates of directions (..., 3), largest element 1, and which are seen."""

    @abstractmethod
    def _from_plane(self, plane: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return (..., 3) unit rays of finite unit-plane coordinates (..., 2), and which are reached."""

    @classmethod
    def _expected(cls, name: str, value: Any) -> str:
        """Say what a value should have been; "" when it is fine."""
        if name in SIZES:
            whole = isinstance(value, int) and not isinstance(value, bool) and value > 0
            return "" if whole else "a whole number of pixels above 0"
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return "a finite number"
        return "a focal length above 0 pixels" if name in FOCAL_LENGTHS and value <= 0 else ""


def _only_valid(values: FloatArray, valid: BoolArray) -> tuple[FloatArray, BoolArray]:
    good = valid & np.isfinite(values).all(axis=-1)
    return np.where(good[..., None], values, np.nan), good
