"""What can be set of the clock sync by shared sound."""

from __future__ import annotations

import attrs

from handloom_sensors.sync.gcc_phat import Correlation

_POSITIVE = attrs.validators.gt(0.0)
_NOT_NEGATIVE = attrs.validators.ge(0.0)


@attrs.frozen(kw_only=True)
class GccPhatSyncConfig:
    """Settings of the sync by shared sound.

    Attributes:
        first_channel: Of the first sound, from 0.
        second_channel: Of the second sound.
        second_starts_s: How much later than the first track the second one starts, as far as known.
        max_lag_s: How far that may be wrong.
        windows: How many stretches of sound are compared, evenly over the common part.
        window_s: Length of each; clocks that run 100 ppm apart smear 2 s by 0.2 ms.
        low_hz: Lower end of the band.
        high_hz: Upper end of it; below half the slower track's rate.
        whitening: 1 counts every frequency alike, 0 by its power.
        min_confidence: Least height of a window's correlation over its median.
        min_windows: So many windows must pass and agree.
        agree_s: How far a window may lie from the line through them.
        max_drift_ppm: Largest drift of two clocks.
        apart_m: One standard deviation of how much further one microphone is from the sounds than the other.
        drift_uncertainty_ppm: Least standard deviation of the drift that is stated.
        output: Name of the output.
    """

    first_channel: int = attrs.field(default=0, validator=attrs.validators.ge(0))
    second_channel: int = attrs.field(default=0, validator=attrs.validators.ge(0))
    second_starts_s: float = 0.0
    max_lag_s: float = attrs.field(default=3.0, validator=_POSITIVE)
    windows: int = attrs.field(default=16, validator=attrs.validators.ge(1))
    window_s: float = attrs.field(default=2.0, validator=_POSITIVE)
    low_hz: float = attrs.field(default=100.0, validator=_POSITIVE)
    high_hz: float = attrs.field(default=7000.0, validator=_POSITIVE)
    whitening: float = attrs.field(default=0.8, validator=_NOT_NEGATIVE)
    min_confidence: float = attrs.field(default=8.0, validator=_POSITIVE)
    min_windows: int = attrs.field(default=3, validator=attrs.validators.ge(1))
    agree_s: float = attrs.field(default=1e-3, validator=_POSITIVE)
    max_drift_ppm: float = attrs.field(default=200.0, validator=_NOT_NEGATIVE)
    apart_m: float = attrs.field(default=0.2, validator=_NOT_NEGATIVE)
    drift_uncertainty_ppm: float = attrs.field(default=1.0, validator=_NOT_NEGATIVE)
    output: str = "map"

    def correlation(self) -> Correlation:
        """Return how windows are compared."""
        return Correlation(
            window_s=self.window_s,
            max_lag_s=self.max_lag_s,
            low_hz=self.low_hz,
            high_hz=self.high_hz,
            whitening=self.whitening,
            finer=2,
        )
