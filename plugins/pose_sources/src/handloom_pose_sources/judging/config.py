"""The thresholds of the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import attrs

from handloom.api import TCP
from handloom_pose_sources.pose_quality import PoseQualityConfig

Judged = Literal["video", "width", "sharpness", "exposure", "sync"]


@attrs.frozen(kw_only=True)
class VerdictConfig:
    """What a usable demonstration keeps.

    Attributes:
        judge: What is judged beside the poses: "video", whether they cover it and not only their own time;
            "width", "sharpness", "exposure", "sync". Each needs its inputs: `video`; `width`; `sharpness`;
            `brightness` and `clipped`; `clock_maps`. One that an episode lacks is a reason.
        body: Body of the poses; "" takes any.
        pruned: Episodes taken out by hand, each with the reason; nothing is deleted.
        max_gap_s: Two tracked rows further apart than this have a gap between them.
        min_coverage: Least share of the time with poses. Source: PolyUMI marks episodes below 0.90 as low.
        largest_gap_s: Longest time without a pose. Source: MILD marks trajectories with gaps over 0.5 s.
        jump_m: Longest step between two rows.
        jump_deg: Largest turn between two rows.
        max_jumps: Most steps beyond that; each is a gap at which an export is cut.
        speed_m_per_s: Highest speed. Source: Franka FR3, Cartesian limit 3.0 m/s; faster can't be replayed.
        speed_deg_per_s: Highest turning rate; our choice: a wrist stays below, a flipped marker does not.
        min_tracked: Fewest tracked rows. Source: PolyUMI, 60 tracked frames.
        repeats: Fewest rows in a run that repeat the row before to the last digit: the tracker is frozen there.
        policy_hz: Rate of the policy that will be trained; 0 leaves it out.
        max_step_m: Longest way between two steps of the policy. Source: PolyUMI's controller, 1 m/s at 10 Hz.
        max_step_deg: Largest turn between two steps of the policy. Source: likewise, pi rad/s at 10 Hz.
        max_fast_share: Largest share of the poses from which the next step is further than that.
        min_width_coverage: Least share of the frames with a width.
        min_sharpness: Least median of the sharpness; 0 leaves it out, as it depends on size and scene.
        blurred_below: A frame is blurred below this share of the median sharpness.
        max_blurred: Largest share of blurred frames.
        max_clipped: A frame is badly exposed when more than this share of it is too dark or too bright.
        max_badly_exposed: Largest share of such frames.
        max_frozen_s: Longest time through which the picture may not change at all.
        max_sync_uncertainty_s: Largest standard deviation of a clock map.
        min_sync_confidence: Least confidence of a clock map, by the `method` it tells, since each has a scale of
            its own; one that is not named is left to the step that found it. Source: the gate of `chirp_sync`,
            which noise of a minute reaches in one track of 300.
    """

    judge: tuple[Judged, ...] = ()
    body: str = TCP
    pruned: Mapping[str, str] = attrs.field(factory=dict)
    max_gap_s: float = 0.15
    min_coverage: float = 0.9
    largest_gap_s: float = 0.5
    jump_m: float = 0.1
    jump_deg: float = 30.0
    max_jumps: int = 3
    speed_m_per_s: float = 3.0
    speed_deg_per_s: float = 1000.0
    min_tracked: int = 60
    repeats: int = attrs.field(default=3, validator=attrs.validators.ge(1))
    policy_hz: float = attrs.field(default=10.0, validator=attrs.validators.ge(0.0))
    max_step_m: float = 0.1
    max_step_deg: float = 18.0
    max_fast_share: float = 0.05
    min_width_coverage: float = 0.9
    min_sharpness: float = 0.0
    blurred_below: float = 0.3
    max_blurred: float = 0.2
    max_clipped: float = 0.5
    max_badly_exposed: float = 0.1
    max_frozen_s: float = 0.5
    max_sync_uncertainty_s: float = 0.01
    min_sync_confidence: Mapping[str, float] = attrs.field(factory=lambda: {"chirp": 5.2})

    def of_poses(self) -> PoseQualityConfig:
        """Return the thresholds that `pose_quality` has too."""
        names = [field.name for field in attrs.fields(PoseQualityConfig)]
        return PoseQualityConfig(**{name: getattr(self, name) for name in names})
