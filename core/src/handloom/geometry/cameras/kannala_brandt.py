"""The Kannala-Brandt fisheye: the distance from the centre is an odd polynomial of the angle to the axis."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

import attrs
import numpy as np

from handloom.geometry.arrays import BoolArray, FloatArray
from handloom.geometry.cameras.model import CameraModel

_MAX_STEPS = 60
"""Bisection alone reaches the last bit of an angle within so many steps; Newton takes about five."""

_CONVERGED_RAD = 1e-14


@attrs.frozen(kw_only=True)
class KannalaBrandt(CameraModel):
    """r = t + k1 t^3 + k2 t^5 + k3 t^7 + k4 t^9, t the angle to the optical axis, also past 90 degrees.

    The same coefficients as OpenCV's fisheye model. The polynomial is trusted as far as it rises: beyond its first
    maximum two angles share a radius, and neither `project` nor `unproject` answers there.

    Attributes:
        k1: Coefficient of t^3.
        k2: Coefficient of t^5.
        k3: Coefficient of t^7.
        k4: Coefficient of t^9.

    Source: Kannala and Brandt, "A generic camera model and calibration method for conventional, wide-angle, and
    fish-eye lenses", IEEE PAMI 28 (2006), equation 6.
    """

    model: ClassVar[str] = "kannala_brandt"

    k1: float = 0.0
    k2: float = 0.0
    k3: float = 0.0
    k4: float = 0.0

    @property
    def max_angle(self) -> float:
        """Largest angle to the axis in radians, up to which the radius rises; at most pi."""
        return _max_angle(self.k1, self.k2, self.k3, self.k4)

    def radius(self, angles: FloatArray) -> FloatArray:
        """Return the unit-plane radius (...) at angles (...) to the axis in radians."""
        t2 = angles**2
        return angles * (1.0 + t2 * (self.k1 + t2 * (self.k2 + t2 * (self.k3 + t2 * self.k4))))

    def _slope(self, angles: FloatArray) -> FloatArray:
        t2 = angles**2
        return 1.0 + t2 * (3.0 * self.k1 + t2 * (5.0 * self.k2 + t2 * (7.0 * self.k3 + t2 * 9.0 * self.k4)))

    def _onto_plane(self, points: FloatArray) -> tuple[FloatArray, BoolArray]:
        across = np.hypot(points[..., 0], points[..., 1])
        angle = np.arctan2(across, points[..., 2])
        on_axis = across == 0.0
        scale = self.radius(angle) / np.where(on_axis, 1.0, across)
        plane = points[..., :2] * np.where(on_axis, 0.0, scale)[..., None]
        return plane, np.where(on_axis, points[..., 2] > 0.0, angle < self.max_angle)

    def _from_plane(self, plane: FloatArray) -> tuple[FloatArray, BoolArray]:
        radius = np.hypot(plane[..., 0], plane[..., 1])
        limit = self.max_angle
        reached = radius < self.radius(np.array(limit))
        angle = self._angle(np.where(reached, radius, 0.0), limit)
        across = np.where(radius == 0.0, 0.0, np.sin(angle) / np.where(radius == 0.0, 1.0, radius))
        rays = np.concatenate([plane * across[..., None], np.cos(angle)[..., None]], axis=-1)
        return rays, reached

    def _angle(self, radius: FloatArray, limit: float) -> FloatArray:
        """Solve radius(t) = radius on the rising branch, 0 <= t <= limit.

        Newton, with a bisection wherever its step would leave the interval that holds the root: at the end of the
        range the slope goes to 0 and Newton alone runs away.
        """
        low, high = np.zeros_like(radius), np.full_like(radius, limit)
        angle = np.minimum(radius, 0.5 * limit)
        for _ in range(_MAX_STEPS):
            excess = self.radius(angle) - radius
            low, high = np.where(excess <= 0.0, angle, low), np.where(excess >= 0.0, angle, high)
            slope = self._slope(angle)
            newton = angle - excess / np.where(slope > 0.0, slope, 1.0)
            trusted = (slope > 0.0) & (newton >= low) & (newton <= high)
            following = np.where(trusted, newton, 0.5 * (low + high))
            moved = np.abs(following - angle)
            angle = following
            if not (moved > _CONVERGED_RAD).any():
                break
        return angle


@lru_cache(maxsize=64)
def _max_angle(k1: float, k2: float, k3: float, k4: float) -> float:
    """Find the largest angle once for a lens: every projection of a few points asks, and roots take longer."""
    # The slope 1 + 3 k1 t^2 + ... divided by t^8 is monic in 1 / t^2, which tiny coefficients can't upset; the
    # largest positive root is the first turn.
    inverse_squares = np.roots([1.0, 3.0 * k1, 5.0 * k2, 7.0 * k3, 9.0 * k4])
    real = np.abs(inverse_squares.imag) <= 1e-9 * np.abs(inverse_squares)
    steepest = inverse_squares.real[real].max(initial=0.0)
    return float(1.0 / np.sqrt(max(steepest, np.pi**-2)))
