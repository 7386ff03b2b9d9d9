"""Which of our own distributions brings what, for the sentence that says what to install when it is not there."""

from __future__ import annotations

from collections.abc import Mapping

DISTRIBUTIONS: Mapping[str, str] = {
    "sensors": "handloom-sensors",
    "pose_sources": "handloom-pose-sources",
    "models": "handloom-models",
    "controllers": "handloom-controllers",
    "exporters": "handloom-exporters",
}
"""Our own distribution for each of the five families."""

KINDS: Mapping[tuple[str, str], str] = {
    ("controllers", "cartesian_follower"): "handloom-controllers",
    ("exporters", "mcap"): "handloom-exporters[foxglove]",
    ("models", "minimum_jerk"): "handloom-models",
    ("pose_sources", "trajectory_file"): "handloom-pose-sources",
    ("sensors", "audio"): "handloom-sensors",
    ("sensors", "gopro"): "handloom-sensors",
    ("sensors", "trajectory"): "handloom-sensors",
    ("sensors", "video"): "handloom-sensors",
    ("steps", "exposure"): "handloom-sensors",
    ("steps", "pose_quality"): "handloom-pose-sources",
    ("steps", "sharpness"): "handloom-sensors",
    ("steps", "thumbnails"): "handloom-sensors",
}
"""Our own kinds, by family and kind: what to give to `pip install`."""
