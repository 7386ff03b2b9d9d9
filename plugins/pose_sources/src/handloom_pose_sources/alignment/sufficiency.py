"""Whether a motion shows the whole transform, and whether two sources agree: refused by name where not."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.errors import StepError
from handloom_pose_sources.alignment.fit import Fit
from handloom_pose_sources.alignment.horn import principal_spread

_AXES = "xyz"


def check_motion(found: Fit, min_spread_m: float, frame: str) -> None:
    """Refuse a motion that leaves a turn open.

    Raises:
        StepError: The body stood still, or moved along one line only.
    """
    points = np.concatenate([pairs.points_a for pairs in found.pairs.values()])
    weights = np.concatenate(list(found.weights.values()))
    if not weights.any():
        raise StepError("No pair of the two sources agrees with the others.")
    spread, axes = principal_spread(points, weights)
    if spread[0] < min_spread_m:
        raise StepError(
            f"The body stays within {spread[0] * 1e3:.1f} mm (standard deviation), so no turn between the two "
            "worlds can be told. Move it by some decimetres in two directions; at least "
            f"{min_spread_m * 1e3:g} mm are needed."
        )
    if spread[1] < min_spread_m:
        raise StepError(
            f"The body moves along a line: {spread[0] * 1e3:.0f} mm along {_direction(axes[0])} of '{frame}' and "
            f"{spread[1] * 1e3:.1f} mm across (standard deviations). The turn about that line can't be told. Move "
            f"it in a second direction too; at least {min_spread_m * 1e3:g} mm are needed."
        )


def _direction(axis: npt.NDArray[np.float64]) -> str:
    """Say an axis: by its letter where it is one, else by its numbers."""
    sign = 1.0 if axis[np.argmax(np.abs(axis))] > 0.0 else -1.0
    largest = int(np.argmax(np.abs(axis)))
    if abs(axis[largest]) > 0.99:
        return f"the {_AXES[largest]} axis"
    return "(" + ", ".join(f"{value:.2f}" for value in sign * axis) + ")"


def scale(found: Fit) -> float:
    """Return how many times larger the reference's motion is than the other's; 1 where both are metric.

    Source: Horn 1987, the scale that treats both sets of points alike.
    """
    weights = np.concatenate(list(found.weights.values()))
    spread_a, spread_b = (
        float(np.linalg.norm(principal_spread(np.concatenate(points), weights)[0]))
        for points in (
            [pairs.points_a for pairs in found.pairs.values()],
            [pairs.points_b for pairs in found.pairs.values()],
        )
    )
    return spread_a / max(spread_b, 1e-12)


def check_pairs(found: Fit, max_outliers: float, max_scale_error: float) -> None:
    """Refuse sources of which one must be wrong, be it in a third of the rows.

    Raises:
        StepError: Too many pairs contradict the rest, or the motions are not of one size.
    """
    times = scale(found)
    if abs(times - 1.0) > max_scale_error:
        raise StepError(
            f"The reference's motion is {times:.3f} times as large as the other's; at most {max_scale_error:.0%} "
            "may be between them. Is one source not metric, as a single camera without motion sensors is not?"
        )
    count = sum(len(weights) for weights in found.weights.values())
    outliers = sum(int(np.count_nonzero(weights == 0.0)) for weights in found.weights.values())
    if outliers > max_outliers * count:
        worst = max(found.weights, key=lambda episode: float(np.mean(found.weights[episode] == 0.0)))
        raise StepError(
            f"{outliers} of {count} pairs contradict the rest, most of them in '{worst}'; at most "
            f"{max_outliers:.0%} may. Is one source of another take?"
        )
