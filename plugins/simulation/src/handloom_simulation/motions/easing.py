"""A share that grows from 0 to 1 without a jump of speed or acceleration at either end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def eased(share: FloatArray) -> FloatArray:
    """Return shares (N,) of 0 to 1 along the minimum-jerk curve; what lies outside counts as 0 or 1.

    Source: Flash and Hogan, "The coordination of arm movements", Journal of Neuroscience 5 (1985).
    """
    inside = np.clip(share, 0.0, 1.0)
    curve: FloatArray = inside**3 * (10.0 - 15.0 * inside + 6.0 * inside**2)
    return curve
