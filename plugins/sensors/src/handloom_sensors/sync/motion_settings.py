"""What can be set of the clock sync by motion."""

from __future__ import annotations

import attrs

_POSITIVE = attrs.validators.gt(0.0)
_NOT_NEGATIVE = attrs.validators.ge(0.0)


@attrs.frozen(kw_only=True)
class MotionSyncConfig:
    """Settings of the sync by motion.

    Attributes:
        pose_starts_s: How much later than the gyroscope the tracker starts, as far as known.
        max_lag_s: How far that may be wrong.
        grid_hz: Rate at which turning speeds are compared first.
        smooth_s: Window over which they are averaged for that.
        min_overlap_s: Least time that both must have recorded.
        min_correlation: Least correlation of the turning speeds.
        min_lead: By how much it must exceed any other half a second away; a motion that repeats fits twice.
        min_speed_deg_per_s: Least spread of the turning speed: a tool at rest tells nothing.
        max_gap_s: Two poses further apart have no rate between them.
        max_residual_deg: Largest angle that may be left between both, RMS.
        fixed_sigma_ms: One standard deviation of what a tracker's own filter may add to its latency.
        drift_uncertainty_ppm: One standard deviation of how far the clocks run apart, which is not measured.
        output: Name of the output.
    """

    pose_starts_s: float = 0.0
    max_lag_s: float = attrs.field(default=3.0, validator=_POSITIVE)
    grid_hz: float = attrs.field(default=50.0, validator=_POSITIVE)
    smooth_s: float = attrs.field(default=0.2, validator=_POSITIVE)
    min_overlap_s: float = attrs.field(default=3.0, validator=_POSITIVE)
    min_correlation: float = attrs.field(default=0.7, validator=_POSITIVE)
    min_lead: float = attrs.field(default=0.1, validator=_NOT_NEGATIVE)
    min_speed_deg_per_s: float = attrs.field(default=5.0, validator=_NOT_NEGATIVE)
    max_gap_s: float = attrs.field(default=0.1, validator=_POSITIVE)
    max_residual_deg: float = attrs.field(default=3.0, validator=_POSITIVE)
    fixed_sigma_ms: float = attrs.field(default=0.5, validator=_NOT_NEGATIVE)
    drift_uncertainty_ppm: float = attrs.field(default=50.0, validator=_NOT_NEGATIVE)
    output: str = "map"
