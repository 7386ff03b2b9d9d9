"""How whole a pose stream is: coverage, largest gap, jumps and speed, from stamps and poses alone."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.geometry import quaternion

Int64Array = npt.NDArray[np.int64]
Float64Array = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

PERCENTILES = (50, 95, 99)


@attrs.frozen(kw_only=True, eq=False)
class Motion:
    """What happens between each two tracked rows that follow one another closely enough to belong together.

    Attributes:
        rows: (M,) row at which each step ends.
        durations_s: (M,) time of each step.
        distances_m: (M,) length of each step.
        angles_rad: (M,) turn of each step.
        largest_gap_s: Longest time without a tracked pose, the ends of the span included; NaN without a span.
        coverage: Share of the span that lies inside steps, 0 to 1.
    """

    rows: Int64Array
    durations_s: Float64Array
    distances_m: Float64Array
    angles_rad: Float64Array
    largest_gap_s: float
    coverage: float

    @property
    def speeds_m_per_s(self) -> Float64Array:
        """(M,) speed of each step."""
        return self.distances_m / self.durations_s

    @property
    def speeds_rad_per_s(self) -> Float64Array:
        """(M,) turning rate of each step."""
        return self.angles_rad / self.durations_s

    def to_json(self) -> dict[str, Any]:
        """Return the figures as plain JSON values; None where there is nothing to measure."""
        return {
            "coverage": self.coverage,
            "largest_gap_s": None if np.isnan(self.largest_gap_s) else self.largest_gap_s,
            "largest_jump_m": _largest(self.distances_m),
            "largest_jump_deg": _largest(np.degrees(self.angles_rad)),
            "speed_m_per_s": _distribution(self.speeds_m_per_s),
            "speed_deg_per_s": _distribution(np.degrees(self.speeds_rad_per_s)),
        }


def motion(
    stamps: Int64Array, poses: Float64Array, tracked: BoolArray, *, max_gap_s: float, span: tuple[int, int]
) -> Motion:
    """Measure a pose stream.

    Args:
        stamps: (N,) int64 ns, never decreasing.
        poses: (N, 7) metres and unit quaternion x y z w, NaN where lost.
        tracked: (N,) bool.
        max_gap_s: Two tracked rows further apart than this have a gap between them, not a step.
        span: First and last stamp of the time that should be covered.
    """
    rows = np.flatnonzero(tracked)
    times = stamps[rows]
    step_s = np.diff(times) * 1e-9
    # A lost row between two tracked ones is a gap however short it is: the tracker itself says it did not know.
    unbroken = np.diff(rows) == 1
    inside = unbroken & (step_s > 0) & (step_s <= max_gap_s)
    first, last = rows[:-1][inside], rows[1:][inside]
    span_s = (span[1] - span[0]) * 1e-9
    return Motion(
        rows=last,
        durations_s=step_s[inside],
        distances_m=np.linalg.norm(poses[last, :3] - poses[first, :3], axis=1),
        angles_rad=quaternion.angle_between(poses[first, 3:], poses[last, 3:]),
        largest_gap_s=_largest_gap(times, span),
        coverage=_covered(times, inside, span) / span_s if span_s > 0 else float(len(rows) > 0),
    )


def _covered(times: Int64Array, inside: BoolArray, span: tuple[int, int]) -> float:
    """Return the seconds of the span that lie inside steps."""
    starts = np.clip(times[:-1], *span)
    ends = np.clip(times[1:], *span)
    return float(np.sum((ends - starts)[inside])) * 1e-9


def _largest_gap(times: Int64Array, span: tuple[int, int]) -> float:
    within = np.clip(times, *span)
    edges = np.concatenate([[span[0]], within, [span[1]]])
    return float(np.max(np.diff(edges))) * 1e-9


def _largest(values: Float64Array) -> float | None:
    return float(values.max()) if len(values) else None


def _distribution(values: Float64Array) -> dict[str, float] | None:
    if not len(values):
        return None
    levels = np.percentile(values, PERCENTILES)
    named = {f"p{percent}": float(level) for percent, level in zip(PERCENTILES, levels, strict=True)}
    return {**named, "max": float(values.max())}
