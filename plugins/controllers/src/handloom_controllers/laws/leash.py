"""Hand guiding: a reference that follows the tool on a leash, and a posture that follows the joints likewise."""

from __future__ import annotations

import numpy as np

from handloom_controllers.laws import rotation
from handloom_controllers.laws.rotation import Float64Array


class Leash:
    """The reference trails the tool by no more than the leash, and rests while the tool stays within it."""

    def __init__(self, length_m: float, length_rad: float) -> None:
        self._length_m, self._length_rad = length_m, length_rad
        self._reference = np.zeros(7)

    def begin(self, pose: Float64Array) -> None:
        """Begin at a pose (7,) T_base_tcp."""
        self._reference = pose

    def follow(self, pose: Float64Array) -> Float64Array:
        """Return the reference (7,) after the tool came to a pose."""
        position, orientation = self._reference[:3], self._reference[3:]
        moved = position + _pulled(pose[:3] - position, self._length_m)
        turn = rotation.to_vector(rotation.turn_between(orientation, pose[3:]))
        turned = rotation.product(rotation.from_vector(_pulled(turn, self._length_rad)), orientation)
        self._reference = np.concatenate([moved, turned / np.linalg.norm(turned)])
        return self._reference

    def posture(self, q: Float64Array, posture: Float64Array) -> Float64Array:
        """Return the posture (n,) after the joints came to q (n,) rad."""
        followed: Float64Array = np.clip(posture, q - self._length_rad, q + self._length_rad)
        return followed


def _pulled(way: Float64Array, leash: float) -> Float64Array:
    length = float(np.linalg.norm(way))
    if not length > leash:
        return np.zeros(3)
    pulled: Float64Array = way * ((length - leash) / length)
    return pulled
