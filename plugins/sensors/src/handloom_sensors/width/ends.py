"""The closed and the open end of a jaw, from separations of which some are wrong."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

PERCENTILE = 1.0
"""The end lies here and not at the extreme, which one wrong sighting decides. Source: PolyUMI's calibrate-gripper,
unlike UMI's nanmin."""

PLATEAU_M = 0.001
LEAST_ON_PLATEAU = 20
LEAST_OVER_UNIFORM = 1.5
"""A jaw that is held at its end is seen there more often than one that passes by. Source: PolyUMI, ±1 mm, 20
samples and 1.5 times what an even spread over the range would give."""


@attrs.frozen(kw_only=True)
class End:
    """One end of the range.

    Attributes:
        separation_m: Where it is.
        percentile_m: The 1st percentile, counted from this end.
        extreme_m: The least, or greatest, separation.
        on_plateau: Samples within 1 mm of the percentile.
        expected: Samples that an even spread over the range would have there.
        held: Whether the jaw was held there.
        outliers: Samples more than 1 mm beyond the end.
    """

    separation_m: float
    percentile_m: float
    extreme_m: float
    on_plateau: int
    expected: float
    held: bool
    outliers: int


def closed_and_open(separations: FloatArray) -> tuple[End, End]:
    """Return both ends of finite separations (N,) m, at least one."""
    low, high = np.percentile(separations, [PERCENTILE, 100.0 - PERCENTILE])
    expected = len(separations) * 2.0 * PLATEAU_M / max(float(high - low), 2.0 * PLATEAU_M)
    closed, widest = _end(separations, expected), _end(-separations, expected)
    mirrored = {name: -getattr(widest, name) for name in ("separation_m", "percentile_m", "extreme_m")}
    return closed, attrs.evolve(widest, **mirrored)


def _end(separations: FloatArray, expected: float) -> End:
    """Return the lower end."""
    percentile = float(np.percentile(separations, PERCENTILE))
    near = separations[np.abs(separations - percentile) <= PLATEAU_M]
    held = len(near) >= LEAST_ON_PLATEAU and len(near) >= LEAST_OVER_UNIFORM * expected
    end = _shortest_half(near) if held else percentile
    return End(
        separation_m=end,
        percentile_m=percentile,
        extreme_m=float(separations.min()),
        on_plateau=len(near),
        expected=expected,
        held=held,
        outliers=int((separations < end - PLATEAU_M).sum()),
    )


def _shortest_half(values: FloatArray) -> float:
    """Return the median of the closest-lying half of values: where most are, whatever passes by on one side.

    Source: Rousseeuw and Leroy, "Robust regression and outlier detection", 1987, section 4.2 (the shorth).
    """
    ordered = np.sort(values)
    half = len(ordered) // 2 + 1
    spans = ordered[half - 1 :] - ordered[: len(ordered) - half + 1]
    start = int(np.argmin(spans))
    return float(np.median(ordered[start : start + half]))
