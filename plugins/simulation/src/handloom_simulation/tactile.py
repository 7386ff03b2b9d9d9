"""What the finger camera sees: a soft pad lit from three sides, with dots on it, that contact dents and shears."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from handloom_simulation.take import Take
from handloom_simulation.world import Picture

FloatArray = npt.NDArray[np.float64]
Float32Array = npt.NDArray[np.float32]

_LIGHTS = np.array([[-0.9, 0.1, 0.45], [0.45, 0.8, 0.4], [0.5, -0.75, 0.45]], np.float32)
"""Direction to the red, the green and the blue lamp, x right, y down, z towards the camera."""

_REST = np.array([0.42, 0.40, 0.46], np.float32)
"""Share of full scale of each colour on a flat pad."""

_PITCH = 1 / 16
_DOT = 0.17
"""Distance of the dots by the picture's width, and their radius by their distance."""


@attrs.frozen(kw_only=True, eq=False)
class TactilePainter:
    """Paints the pad of one finger; it answers to force and shear, not to what exactly is touched.

    Attributes:
        take: Whose forces.
        width: Of the picture.
        height: Of the picture.
        pad: 0 for the left finger's pad, 1 for the right one's.
        depth_per_n: How deep one newton dents the pad, by the picture's width; it grows with the square root.
        shift_per_n: How far one newton of shear moves the dots there, by the picture's width.
        noise_grey: Standard deviation of the sensor's noise, grey levels.
    """

    take: Take
    width: int = 1152
    height: int = 648
    pad: int = 0
    depth_per_n: float = 0.02
    shift_per_n: float = 0.008
    noise_grey: float = 1.0

    def paint(self, stamp_ns: int) -> Picture:
        """Return the (H, W, 3) uint8 RGB picture of an instant of the take."""
        since = (self.take.stamps - self.take.stamps[0]).astype(np.float64)
        at = float(stamp_ns - self.take.stamps[0])
        force = float(np.interp(at, since, self.take.pad_force_n[:, self.pad]))
        shear = [float(np.interp(at, since, self.take.pad_shear_n[:, self.pad, axis])) for axis in (0, 1)]
        light = self._light(max(force, 0.0), *(self.shift_per_n * value for value in shear))
        noise = np.random.default_rng([stamp_ns]).standard_normal(light.shape, np.float32) * self.noise_grey
        return np.clip(255 * light + noise + 0.5, 0, 255).astype(np.uint8)

    def _light(self, force_n: float, shift_x: float, shift_y: float) -> Float32Array:
        """Return the picture (H, W, 3), full scale at 1, of a pad that is pressed and pulled."""
        x = ((np.arange(self.width, dtype=np.float32) + 0.5) / self.width - 0.5)[None, :]
        y = ((np.arange(self.height, dtype=np.float32) + 0.5) / self.width - 0.5 * self.height / self.width)[
            :, None
        ]
        radius = 0.06 + 0.02 * np.sqrt(force_n)
        dx, dy = x - shift_x, y - shift_y
        dent = np.exp(-(((dx**2 + dy**2) / (2 * radius**2)) ** 1.5))
        # A plateau with steep sides, as of a flat thing pressed in: the slope is what the lamps show.
        steep = self.depth_per_n * np.sqrt(force_n) * dent * 3 * np.hypot(dx, dy) / (2 * radius**2) ** 1.5
        slope = np.stack([steep * dx, steep * dy], axis=-1)
        lit = _REST + 0.3 * np.tanh(np.tensordot(slope, _LIGHTS[:, :2].T, axes=1))
        falloff = 1 - 0.8 * (x**2 + y**2)
        dots = self._dots(x - shift_x * dent, y - shift_y * dent)
        return np.asarray(np.clip(lit, 0, 1) * (falloff * (1 - 0.75 * dots))[..., None], np.float32)

    def _dots(self, x: Float32Array, y: Float32Array) -> Float32Array:
        """Return how much of each pixel is covered by a dot, 0 to 1, at places on the undeformed pad."""
        off_x, off_y = (place / _PITCH - np.round(place / _PITCH) for place in (x, y))
        edge = self.width * _PITCH
        covered: Float32Array = np.clip((_DOT - np.hypot(off_x, off_y)) * edge + 0.5, 0, 1)
        return covered
