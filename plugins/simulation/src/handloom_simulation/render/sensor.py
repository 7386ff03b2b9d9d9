"""From light to bytes: gain, vignetting, noise and rounding (compiled)."""

from __future__ import annotations

import numpy as np

from handloom_simulation.render.compiled import Array, compiled

_ZERO, _HALF, _WHITE = np.float32(0.0), np.float32(0.5), np.float32(255.0)


@compiled
def develop(light: Array, gain: Array, noise: Array, variance: Array, key: Array, picture: Array) -> None:
    """Write a picture (H, W, 3) uint8 from grey levels (H, W, 3) float32.

    Args:
        light: Grey levels before gain.
        gain: (H, W), or (1, 1) for one gain everywhere.
        noise: (65536,) standard normal values to draw from; their number must be that.
        variance: Of the noise in the dark, and what it grows by for each grey level.
        key: uint64 that the frame's noise follows from.
        picture: Written.
    """
    height, width, _ = light.shape
    noisy = variance[0] > _ZERO or variance[1] > _ZERO
    for row in range(height):
        state = _scatter(key + np.uint64(row))
        shares = gain[row if len(gain) > 1 else 0]
        for column in range(width):
            if noisy:
                state = _scatter(state + np.uint64(0x9E3779B97F4A7C15))
            factor = shares[column if len(shares) > 1 else 0]
            drawn = state
            for channel in range(3):
                level = light[row, column, channel] * factor
                if noisy:
                    spread = np.sqrt(variance[0] + variance[1] * max(_ZERO, level))
                    level += spread * noise[np.int64(drawn & np.uint64(0xFFFF))]
                    drawn >>= np.uint64(16)
                picture[row, column, channel] = np.uint8(max(_ZERO, min(_WHITE, level)) + _HALF)


@compiled
def _scatter(value: Array) -> Array:
    """Return a well mixed uint64.  Source: splitmix64, Steele, Lea and Flood, OOPSLA 2014."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
