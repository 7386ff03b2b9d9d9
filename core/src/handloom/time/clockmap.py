"""Maps between two clocks: offset, rate and uncertainty."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from handloom.errors import ClockError
from handloom.time.line import fit_line, fit_offset
from handloom.time.stamp import named_clock, whole_ns
from handloom.time.stamps import FloatArray, Int64Array, as_stamps, check_fits, since


def _not_negative(_: object, attribute: attrs.Attribute[float], value: float) -> None:
    if not (math.isfinite(value) and value >= 0.0):
        raise ClockError(f"`{attribute.name}` of a clock map must be finite and not negative; found {value!r}.")


def _running_forward(_: object, __: object, drift_ppm: float) -> None:
    if not (math.isfinite(drift_ppm) and drift_ppm > -1e6):
        raise ClockError(f"`drift_ppm` of a clock map must be finite and above -1000000; found {drift_ppm!r}.")


@attrs.frozen(kw_only=True)
class ClockMap:
    """Turns stamps of one clock into stamps of another.

    target = source + offset_ns + (source - origin_ns) * drift_ppm / 1e6

    Only differences meet floating point, so stamps of an epoch clock keep their last nanosecond. A drift acts over
    the distance from the origin: choose the origin among the stamps that will be mapped.

    Attributes:
        source: Name of the clock the stamps come from.
        target: Name of the clock they go to.
        offset_ns: Target minus source at the origin.
        origin_ns: Source stamp at which the offset holds exactly.
        drift_ppm: How much faster the target runs, in parts per million.
        uncertainty_ns: One standard deviation of the mapped stamp, at the origin.
        drift_uncertainty_ppm: One standard deviation of the drift, independent of the one at the origin.

    Raises:
        ClockError: A name is empty, a number impossible, or time would run backward.
    """

    source: str = attrs.field(validator=named_clock)
    target: str = attrs.field(validator=named_clock)
    offset_ns: int = attrs.field(converter=whole_ns)
    origin_ns: int = attrs.field(default=0, converter=whole_ns)
    drift_ppm: float = attrs.field(default=0.0, converter=float, validator=_running_forward)
    uncertainty_ns: float = attrs.field(default=0.0, converter=float, validator=_not_negative)
    drift_uncertainty_ppm: float = attrs.field(default=0.0, converter=float, validator=_not_negative)

    @property
    def rate(self) -> float:
        """Seconds of the target clock in one second of the source clock."""
        return 1.0 + self.drift_ppm * 1e-6

    def apply(self, stamps: npt.ArrayLike) -> Int64Array:
        """Map (N,) int64 ns stamps of the source clock to the target clock, rounded to the nearest ns.

        Raises:
            ClockError: The stamps are not integers, or a mapped one does not fit in int64.
        """
        stamp = as_stamps(stamps)
        drift = np.rint(since(stamp, self.origin_ns) * (self.drift_ppm * 1e-6))
        check_fits(drift)
        shift = drift.astype(np.int64) + np.int64(self.offset_ns)
        check_fits(stamp.astype(np.float64) + self.offset_ns + drift)
        mapped: Int64Array = stamp + shift
        return mapped

    def uncertainty_at(self, stamps: npt.ArrayLike) -> FloatArray:
        """Return one standard deviation in ns of the mapped stamps, (N,), growing away from the origin.

        Args:
            stamps: (N,) int64 ns on the source clock.
        """
        since_origin = since(as_stamps(stamps), self.origin_ns)
        spread: FloatArray = np.hypot(self.uncertainty_ns, since_origin * (self.drift_uncertainty_ppm * 1e-6))
        return spread

    def inverse(self) -> ClockMap:
        """Return the map from target to source."""
        return ClockMap(
            source=self.target,
            target=self.source,
            offset_ns=-self.offset_ns,
            origin_ns=self.origin_ns + self.offset_ns,
            drift_ppm=-self.drift_ppm / self.rate,
            uncertainty_ns=self.uncertainty_ns / self.rate,
            drift_uncertainty_ppm=self.drift_uncertainty_ppm / self.rate**2,
        )

    def compose(self, after: ClockMap) -> ClockMap:
        """Return the map that applies this one and then `after`.

        The variance of the whole is a parabola in the source stamp; its vertex becomes the origin, so that the
        uncertainty of the result is exact and not only near one place.

        Raises:
            ClockError: `after` does not start on the clock where this one ends.
        """
        if after.source != self.target:
            raise ClockError(
                f"A map to clock '{self.target}' can't be followed by one from clock '{after.source}' "
                f"to '{after.target}'."
            )
        origin_ns, variance = _vertex(self, after)
        middle_ns = int(self.apply(origin_ns))
        return ClockMap(
            source=self.source,
            target=after.target,
            offset_ns=int(after.apply(middle_ns)) - origin_ns,
            origin_ns=origin_ns,
            drift_ppm=self.drift_ppm + after.drift_ppm + self.drift_ppm * after.drift_ppm * 1e-6,
            uncertainty_ns=math.sqrt(variance),
            drift_uncertainty_ppm=_drift_spread(self, after) * 1e6,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the map as plain JSON values."""
        return attrs.asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> ClockMap:
        """Read what `to_json` wrote.

        Raises:
            ClockError: The values are not those of a clock map.
        """
        try:
            return cls(**values)
        except (TypeError, ValueError) as error:
            raise ClockError(f"{dict(values)!r} is not a clock map: {error}.") from error

    @classmethod
    def from_pairs(
        cls,
        source_stamps: npt.ArrayLike,
        target_stamps: npt.ArrayLike,
        *,
        source: str,
        target: str,
        fit_drift: bool = True,
    ) -> ClockMap:
        """Fit the map to instants that both clocks stamped, by least squares.

        The uncertainties are the standard errors of the fit, from the scatter of the residuals: honest for
        independent errors, blind to an error that all pairs share.

        Args:
            source_stamps: (N,) int64 ns on the source clock.
            target_stamps: (N,) int64 ns of the same instants on the target clock.
            source: Name of the source clock.
            target: Name of the target clock.
            fit_drift: Whether the rates may differ; without it only the offset is fitted.

        Raises:
            ClockError: Too few pairs to see a residual (3 with drift, 2 without), lengths that differ, or source
                stamps that are all the same.
        """
        from_stamps, to_stamps = _check_pairs(source_stamps, target_stamps, 3 if fit_drift else 2)
        first_ns, first_offset_ns = int(from_stamps[0]), int(to_stamps[0]) - int(from_stamps[0])
        origin_ns = first_ns + round(float(since(from_stamps, first_ns).mean()))
        elapsed, excess = since(from_stamps, origin_ns), since(to_stamps - from_stamps, first_offset_ns)
        if fit_drift and not elapsed.any():
            raise ClockError(
                f"All {len(elapsed)} pairs have one stamp of clock '{source}'; no rate can be fitted."
            )
        line = fit_line(elapsed, excess) if fit_drift else fit_offset(excess)
        return cls(
            source=source,
            target=target,
            offset_ns=first_offset_ns + round(line.offset),
            origin_ns=origin_ns,
            drift_ppm=line.slope * 1e6,
            uncertainty_ns=line.offset_error,
            drift_uncertainty_ppm=line.slope_error * 1e6,
        )


def _drift_spread(first: ClockMap, after: ClockMap) -> float:
    return math.hypot(
        first.drift_uncertainty_ppm * 1e-6 * after.rate, after.drift_uncertainty_ppm * 1e-6 * first.rate
    )


def _vertex(first: ClockMap, after: ClockMap) -> tuple[int, float]:
    """Return the source stamp where the composed variance is least, and that variance in ns^2."""
    lever = float(first.origin_ns + first.offset_ns - after.origin_ns)
    after_spread = after.drift_uncertainty_ppm * 1e-6
    curvature = _drift_spread(first, after) ** 2
    at_origin = (first.uncertainty_ns * after.rate) ** 2 + after.uncertainty_ns**2 + (lever * after_spread) ** 2
    if curvature == 0.0:
        return first.origin_ns, at_origin
    slope = lever * first.rate * after_spread**2
    shift = round(-slope / curvature)
    return first.origin_ns + shift, max(0.0, at_origin + 2.0 * slope * shift + curvature * shift**2)


def _check_pairs(source: npt.ArrayLike, target: npt.ArrayLike, fewest: int) -> tuple[Int64Array, Int64Array]:
    from_stamps, to_stamps = as_stamps(source), as_stamps(target)
    if from_stamps.ndim != 1 or from_stamps.shape != to_stamps.shape:
        raise ClockError(
            f"Pairs of stamps need two lists of one length; found {from_stamps.shape} and {to_stamps.shape}."
        )
    if len(from_stamps) < fewest:
        raise ClockError(
            f"{len(from_stamps)} pairs of stamps leave no residual to judge the fit by; it takes {fewest}."
        )
    return from_stamps, to_stamps
