"""How two trackers of one body stand to each other: the turn and shift between their worlds, and their clocks'."""

from handloom_pose_sources.alignment.fit import Fit, Prior, fit
from handloom_pose_sources.alignment.horn import horn, principal_spread
from handloom_pose_sources.alignment.time_offset import Candidate, offset_candidates
from handloom_pose_sources.alignment.tracks import Pairs, Take, Track, pairs_of

__all__ = [
    "Candidate",
    "Fit",
    "Pairs",
    "Prior",
    "Take",
    "Track",
    "fit",
    "horn",
    "offset_candidates",
    "pairs_of",
    "principal_spread",
]
