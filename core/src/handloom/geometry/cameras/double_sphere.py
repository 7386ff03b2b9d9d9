"""The double sphere camera: two unit spheres and a pinhole, a fisheye whose inverse is closed."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import attrs
import numpy as np

from handloom.geometry.arrays import BoolArray, FloatArray
from handloom.geometry.cameras.model import CameraModel


@attrs.frozen(kw_only=True)
class DoubleSphere(CameraModel):
    """Project onto a unit sphere, onto a second one shifted by xi, then through a pinhole shifted by alpha.

    Attributes:
        xi: Distance between the centres of the spheres, -1 < xi <= 1.
        alpha: alpha / (1 - alpha) is the shift of the pinhole, 0 <= alpha <= 1.

    Source: Usenko, Demmel, Cremers, "The double sphere camera model", 3DV 2018, arXiv:1807.08957, equations 40-52.
    """

    model: ClassVar[str] = "double_sphere"

    xi: float
    alpha: float

    @property
    def min_cosine(self) -> float:
        """Cosine of the largest angle to the axis that is seen.

        It is where the direction from the centre of the second sphere leaves the cone that the pinhole sees,
        cos = -w1 of equation 44, carried back to the first sphere. Equation 45 of the paper does the same with
        another w2, which agrees for xi = 0 or alpha = 0.5 only: for xi < 0 and alpha near 1 it lets in points that
        fall on the pixels of others, as the tests show.
        """
        w1 = self._cone
        narrowing = 1.0 - w1**2
        return -self.xi * narrowing - w1 * math.sqrt(1.0 - self.xi**2 * narrowing)

    @property
    def _cone(self) -> float:
        """The w1 of equation 44: minus the smallest cosine that the pinhole sees on the second sphere."""
        return self.alpha / (1.0 - self.alpha) if self.alpha <= 0.5 else (1.0 - self.alpha) / self.alpha

    def _onto_plane(self, points: FloatArray) -> tuple[FloatArray, BoolArray]:
        unit = points / np.linalg.norm(points, axis=-1, keepdims=True)
        shifted = self.xi + unit[..., 2]
        second = np.sqrt(unit[..., 0] ** 2 + unit[..., 1] ** 2 + shifted**2)
        divisor = self.alpha * second + (1.0 - self.alpha) * shifted
        seen = (shifted > -self._cone * second) & (divisor > 0.0)
        return unit[..., :2] / np.where(seen, divisor, 1.0)[..., None], seen

    def _from_plane(self, plane: FloatArray) -> tuple[FloatArray, BoolArray]:
        r2 = (plane**2).sum(axis=-1)
        root = 1.0 - (2.0 * self.alpha - 1.0) * r2
        reached = root > 0.0
        r2, root = np.where(reached, r2, 0.0), np.where(reached, root, 1.0)
        mz = (1.0 - self.alpha**2 * r2) / (self.alpha * np.sqrt(root) + 1.0 - self.alpha)
        inner = mz**2 + (1.0 - self.xi**2) * r2
        stretch = (mz * self.xi + np.sqrt(inner)) / (mz**2 + r2)
        across = plane * np.where(reached, stretch, 0.0)[..., None]
        rays = np.concatenate([across, (stretch * mz - self.xi)[..., None]], axis=-1)
        return rays / np.linalg.norm(rays, axis=-1, keepdims=True), reached

    @classmethod
    def _expected(cls, name: str, value: Any) -> str:
        problem = super()._expected(name, value)
        if not problem and name == "xi" and not -1.0 < value <= 1.0:
            return "above -1 and at most 1"
        if not problem and name == "alpha" and not 0.0 <= value <= 1.0:
            return "between 0 and 1"
        return problem
