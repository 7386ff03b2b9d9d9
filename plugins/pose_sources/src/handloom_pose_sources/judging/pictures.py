"""Whether the pictures are sharp, well exposed, and change from one to the next."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handloom.streams import Samples, repeated_rows, runs_of
from handloom_pose_sources.judging.config import VerdictConfig
from handloom_pose_sources.judging.finding import Finding


def judge_sharpness(sharpness: Samples, config: VerdictConfig) -> Finding:
    """Judge the share of frames that are blurred beside the others, and the sharpness of all."""
    if not len(sharpness):
        return Finding(reasons={"no_sharpness": "No frame has a sharpness."})
    median = float(np.median(sharpness.data))
    # Not below but at zero too: where every frame is of one colour, nothing is sharp.
    blurred = float(np.mean(sharpness.data <= config.blurred_below * median))
    reasons = {}
    if blurred > config.max_blurred:
        reasons["blurred"] = f"{blurred:.0%} of the frames are blurred; at most {config.max_blurred:.0%} may be."
    if median < config.min_sharpness:
        reasons["not_sharp"] = (
            f"The median sharpness is {median:.3g}; at least {config.min_sharpness:g} is needed."
        )
    return Finding(measures={"median_sharpness": median, "blurred_share": blurred}, reasons=reasons)


def judge_exposure(clipped: Samples, config: VerdictConfig) -> Finding:
    """Judge the shares of frames that are too dark and too bright to tell anything."""
    if not len(clipped):
        return Finding(reasons={"no_exposure": "No frame has an exposure."})
    dark, bright = np.mean(clipped.data > config.max_clipped, axis=0).tolist()
    reasons = {}
    for name, share in (("too_dark", dark), ("too_bright", bright)):
        if share > config.max_badly_exposed:
            how = name.removeprefix("too_")
            reasons[name] = (
                f"{share:.0%} of the frames are {how} over more than {config.max_clipped:.0%} of the picture; at "
                f"most {config.max_badly_exposed:.0%} may be."
            )
    return Finding(measures={"dark_share": dark, "bright_share": bright}, reasons=reasons)


def judge_frozen_frames(pictures: Sequence[Samples], config: VerdictConfig) -> Finding:
    """Judge how long the picture stood still: every measure of a frame equal to the last digit of the one before.

    Args:
        pictures: What was measured of each frame, by one pass over the video.
        config: The thresholds.
    """
    first = pictures[0]
    stamps = first.all_stamps()
    same = [
        picture.data.reshape(len(picture), -1)
        for picture in pictures
        if len(picture) == len(first) and (picture.all_stamps() == stamps).all()
    ]
    frozen = repeated_rows(np.concatenate(same, axis=1), at_least=1)
    lengths = [float(stamps[end - 1] - stamps[start - 1]) * 1e-9 for start, end in runs_of(frozen)]
    longest = max(lengths, default=0.0)
    measures = {"frozen_frames": int(np.count_nonzero(frozen)), "longest_frozen_s": longest}
    if longest <= config.max_frozen_s:
        return Finding(measures=measures)
    sentence = (
        f"The picture does not change at all for {longest:.2f} s; at most {config.max_frozen_s:g} s is allowed."
    )
    return Finding(measures=measures, reasons={"frozen_frames": sentence})
