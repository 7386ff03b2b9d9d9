"""Whether the poses are whole, smooth, and slow enough for the policy that will see them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from handloom.geometry import interpolate_poses, quaternion
from handloom.streams import Samples, repeated_rows
from handloom_pose_sources.continuity import Motion, motion
from handloom_pose_sources.judging.config import VerdictConfig
from handloom_pose_sources.judging.finding import Finding
from handloom_pose_sources.pose_quality import jumps, reasons_against

BoolArray = npt.NDArray[np.bool_]


def judge_pose(pose: Samples, config: VerdictConfig, span: tuple[int, int] | None = None) -> Finding:
    """Judge coverage, gaps, jumps and speed; rows that are lost, frozen or the end of a jump are not good.

    Args:
        pose: The poses.
        config: The thresholds.
        span: First and last stamp of the time that matters; rows outside are not good. None is the poses' own.
    """
    assert pose.tracked is not None
    stamps, frozen = pose.all_stamps(), repeated_rows(pose.data, at_least=config.repeats)
    span = span or ((int(stamps[0]), int(stamps[-1])) if len(stamps) else (0, 0))
    tracked = pose.tracked & ~frozen & (stamps >= span[0]) & (stamps <= span[1])
    measured = motion(stamps, pose.data, tracked, max_gap_s=config.max_gap_s, span=span)
    limits = config.of_poses()
    far = jumps(measured, limits)
    reasons = reasons_against(measured, int(np.count_nonzero(tracked)), limits)
    if np.count_nonzero(far) <= config.max_jumps:
        # A few jumps are gaps at which an export is cut; the speed in them is the same fault again.
        slow = _without(measured, far)
        reasons = reasons_against(slow, int(np.count_nonzero(tracked)), limits)
    rows = tracked.copy()
    rows[measured.rows[far]] = False
    return Finding(
        measures={
            **measured.to_json(),
            "tracked_rows": int(np.count_nonzero(tracked)),
            "frozen_rows": int(np.count_nonzero(frozen)),
            "jumps": int(np.count_nonzero(far)),
        },
        reasons=reasons,
        rows=rows,
    )


def _without(measured: Motion, far: BoolArray) -> Motion:
    return Motion(
        rows=measured.rows[~far],
        durations_s=measured.durations_s[~far],
        distances_m=measured.distances_m[~far],
        angles_rad=measured.angles_rad[~far],
        largest_gap_s=measured.largest_gap_s,
        coverage=measured.coverage,
    )


def judge_policy_rate(pose: Samples, config: VerdictConfig) -> Finding:
    """Judge how far the tool gets from one step of the policy to the next, from wherever the steps begin."""
    if not config.policy_hz or not len(pose):
        return Finding()
    assert pose.tracked is not None
    stamps, max_gap_ns = pose.all_stamps(), round(config.max_gap_s * 1e9)
    later, there = interpolate_poses(
        stamps, pose.data, pose.tracked, stamps + round(1e9 / config.policy_hz), max_gap_ns=max_gap_ns
    )
    both = pose.tracked & there
    distances = np.linalg.norm(later[both, :3] - pose.data[both, :3], axis=1)
    angles = np.degrees(quaternion.angle_between(pose.data[both, 3:], later[both, 3:]))
    fast = (distances > config.max_step_m) | (angles > config.max_step_deg)
    share = float(fast.mean()) if len(fast) else 0.0
    measures = {
        "largest_policy_step_m": float(distances.max(initial=0.0)),
        "largest_policy_step_deg": float(angles.max(initial=0.0)),
        "fast_share": share,
    }
    if share <= config.max_fast_share:
        return Finding(measures=measures)
    sentence = (
        f"From {share:.0%} of the poses the tool gets further than {config.max_step_m:g} m or "
        f"{config.max_step_deg:g} deg within one step of a policy at {config.policy_hz:g} Hz; at most "
        f"{config.max_fast_share:.0%} may."
    )
    return Finding(measures=measures, reasons={"too_fast_for_policy": sentence})
