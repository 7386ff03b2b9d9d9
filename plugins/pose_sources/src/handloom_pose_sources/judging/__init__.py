"""What speaks against a demonstration: one function for each thing that can be wrong with it."""

from handloom_pose_sources.judging.config import VerdictConfig
from handloom_pose_sources.judging.finding import Finding
from handloom_pose_sources.judging.pictures import judge_exposure, judge_frozen_frames, judge_sharpness
from handloom_pose_sources.judging.poses import judge_policy_rate, judge_pose
from handloom_pose_sources.judging.signals import judge_sync, judge_width

__all__ = [
    "Finding",
    "VerdictConfig",
    "judge_exposure",
    "judge_frozen_frames",
    "judge_policy_rate",
    "judge_pose",
    "judge_sharpness",
    "judge_sync",
    "judge_width",
]
