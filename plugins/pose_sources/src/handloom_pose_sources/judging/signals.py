"""Whether the gripper's width is known, and how well the clocks are joined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from handloom.api import clock_map_of
from handloom.streams import Samples, Stream
from handloom_pose_sources.judging.config import VerdictConfig
from handloom_pose_sources.judging.finding import Finding


def judge_width(width: Samples, config: VerdictConfig) -> Finding:
    """Judge in how many frames the width is known."""
    coverage = float(np.isfinite(width.data).mean()) if len(width) else 0.0
    measures = {"width_coverage": coverage}
    if coverage >= config.min_width_coverage:
        return Finding(measures=measures)
    sentence = (
        f"The width is known in {coverage:.3f} of the frames; at least {config.min_width_coverage:g} is needed."
    )
    return Finding(measures=measures, reasons={"low_width_coverage": sentence})


def judge_sync(clock_maps: Mapping[str, Stream], config: VerdictConfig) -> Finding:
    """Judge each clock map by its uncertainty, and by its confidence where its method has a threshold."""
    if not clock_maps:
        return Finding(reasons={"no_sync": "The clock maps were to be judged, and there is none."})
    measures, doubts = {}, []
    for name, stream in clock_maps.items():
        uncertainty_s = clock_map_of(stream).uncertainty_ns * 1e-9
        confidence = _least(stream.attributes.get("confidence"))
        least = config.min_sync_confidence.get(str(stream.attributes.get("method", "")), 0.0)
        measures[name] = {"uncertainty_s": uncertainty_s, "confidence": confidence}
        if uncertainty_s > config.max_sync_uncertainty_s:
            doubts.append(
                f"'{name}' is uncertain by {uncertainty_s * 1e3:.3g} ms; at most "
                f"{config.max_sync_uncertainty_s * 1e3:g} ms is allowed."
            )
        if confidence is not None and confidence < least:
            doubts.append(f"'{name}' has confidence {confidence:.3g}; at least {least:g} is needed.")
    return Finding(measures={"sync": measures}, reasons={"uncertain_sync": " ".join(doubts)} if doubts else {})


def _least(confidence: Any) -> float | None:
    """Return a confidence, the least where it is told for each track; None where none is told."""
    if isinstance(confidence, Mapping):
        return min((each for value in confidence.values() if (each := _least(value)) is not None), default=None)
    return float(confidence) if isinstance(confidence, int | float) else None
