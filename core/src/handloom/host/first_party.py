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
    ("exporters", "mcap"): "handloom-exporters[foxglove]",
    ("pose_sources", "trajectory_file"): "handloom-pose-sources",
    ("sensors", "gopro"): "handloom-sensors",
    ("sensors", "trajectory"): "handloom-sensors",
    ("steps", "pose_quality"): "handloom-pose-sources",
}
"""Our own kinds, by family and kind: what to give to `pip install`."""
