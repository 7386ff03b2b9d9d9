"""What to tell the person who recorded: what was lost and why, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from handloom_sensors.width.following import counted
from handloom_sensors.width.measuring import Separations
from handloom_sensors.width.settings import GripperWidthConfig

STROKE_TOLERANCE_M = 0.001
"""How far beyond its calibrated end points a width may be before it is counted."""

_REASONS: Mapping[str, str] = {
    "missing": "was not seen",
    "depth": "was seen at a distance that no finger can have",
    "ambiguous": "was seen in two places",
    "unrefined": "was too blurred or too hidden to be measured",
    "off rail": "was seen beside its rail",
    "dark": "was in a black frame",
}


def sentences(
    config: GripperWidthConfig,
    found: Separations,
    *,
    attributes: Mapping[str, Any],
    strangers: Mapping[int, int],
    mirrored: int,
) -> Iterator[str]:
    """Yield a sentence for everything worth telling of an episode."""
    gaps, frames = attributes["gaps"], attributes["frames"]
    if gaps:
        told = "; ".join(f"{_told(reason)} in {count}" for reason, count in gaps.items())
        yield f"{sum(gaps.values())} of {frames} frames have no measured width: {told}."
    if mirrored and not attributes["detection_rate"]:
        yield (
            "Tags can be read in the mirror image of this video only: it was recorded or converted flipped; "
            "flip it back or record without mirroring."
        )
    if strangers:
        yield (
            f"Tags that are no fingers of gripper {config.gripper} were met and left out: {counted(strangers)}; "
            f"its fingers are {config.ids[0]} and {config.ids[1]}."
        )
    if attributes["single_tag_frames"]:
        yield (
            f"{attributes['single_tag_frames']} widths rest on one tag and the symmetry of the jaw; "
            "the stream `tags` marks them."
        )
    if attributes["bridged_frames"]:
        yield f"{attributes['bridged_frames']} frames lie in gaps short enough to be bridged by a straight line."
    yield from found.notes
    yield from _about_the_stroke(config, attributes)


def _about_the_stroke(config: GripperWidthConfig, attributes: Mapping[str, Any]) -> Iterator[str]:
    if config.closed_separation_m is None and not config.separation_only:
        yield (
            "closed_separation_m is not given, so the width is the distance of the tags' centres; "
            "measure it with `gripper_range`, or let `calibrated_width` follow and set separation_only."
        )
    if attributes["over_stroke_frames"]:
        yield (
            f"{attributes['over_stroke_frames']} widths are beyond the calibrated open end by more than "
            f"{STROKE_TOLERANCE_M * 1e3:g} mm; calibrate the range again."
        )
    if attributes["under_closed_frames"]:
        yield (
            f"{attributes['under_closed_frames']} widths are below the calibrated closed end by more than "
            f"{STROKE_TOLERANCE_M * 1e3:g} mm; calibrate the range again."
        )


def _told(reason: str) -> str:
    """Return a clause for "left missing", "both depth", "crossed"."""
    if reason == "crossed":
        return "the right tag was not right of the left one"
    who, _, why = reason.partition(" ")
    if why == "lost":
        return "both tags were lost, each in its own way"
    return f"{'both tags' if who == 'both' else f'the {who} tag'} {_REASONS[why]}".replace(
        "both tags was", "both tags were"
    )
