"""A sweep that is easy to find in a recording."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def chirp(
    *, duration_s: float, rate_hz: int, start_hz: float = 500.0, end_hz: float = 5000.0, amplitude: float = 0.5
) -> npt.NDArray[np.float32]:
    """Return (N,) float32 samples of a tone whose frequency rises in a straight line.

    The phase is the integral of start + (end - start) t / duration.
    """
    t = np.arange(round(duration_s * rate_hz)) / rate_hz
    phase = 2 * np.pi * (start_hz * t + (end_hz - start_hz) * t**2 / (2 * duration_s))
    return (amplitude * np.sin(phase)).astype(np.float32)
