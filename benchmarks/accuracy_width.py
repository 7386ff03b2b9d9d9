"""The bars of the gripper width: measured against truth on the rendered lab, blurred, noisy and compressed."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np

from benchmarks.harness import Bar, Measured
from benchmarks.width_clips import WidthClip, width_clip
from handloom.api import Outputs, Rig
from handloom.media import index_video
from handloom.run.frames import run_frames
from handloom.streams import Samples
from handloom.testing import MemoryInputs
from handloom_sensors.width import GripperWidth, GripperWidthConfig
from handloom_simulation.gripper import CLOSED_TAG_SEPARATION_M

_LEAST_COVERAGE = 0.98
"""An error is told of frames that were measured; with more gaps than this the figure would flatter."""


def width_bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars at both image widths."""
    frames = 24 if quick else 120
    return tuple(
        Bar(
            name=f"gripper width, {image_width} px image width",
            goal=goal,
            compare="<=",
            unit="mm RMS",
            measure=partial(_measured, image_width, frames),
        )
        for image_width, goal in ((2704, 0.1), (676, 0.4))
    )


def _measured(image_width: int, frames: int) -> Measured:
    return measure_width(width_clip(image_width, frames=frames))


def measure_width(clip: WidthClip) -> Measured:
    """Measure a clip by the rails, and by each tag of each frame alone for comparison."""
    rail, tags = errors_mm(clip, "rail"), errors_mm(clip, "tags")
    coverage = float(np.isfinite(rail).mean())
    value = _rms(rail) if coverage >= _LEAST_COVERAGE else float("nan")
    figures = {
        "coverage": coverage,
        "mean_mm": float(np.nanmean(rail)),
        "worst_mm": float(np.nanmax(np.abs(rail))),
        "each_frame_alone_rms_mm": _rms(tags),
        "frames": float(len(rail)),
    }
    return Measured(value=value, figures=figures)


def errors_mm(clip: WidthClip, method: Literal["rail", "tags"]) -> np.ndarray:
    """Return (N,) measured less true width in mm; NaN for gaps, bridged ones included."""
    video = index_video((clip.path,)).video
    config = GripperWidthConfig(
        closed_separation_m=CLOSED_TAG_SEPARATION_M, readout_s=clip.readout_s, method=method, max_gap_s=0.0
    )
    inputs = MemoryInputs(wired={"video": video}, rig=Rig(cameras={"camera": clip.camera}))
    result = run_frames({"width": GripperWidth(config)}, {"width": inputs}, video, lambda share: None)["width"]
    if not isinstance(result, Outputs):
        raise RuntimeError(f"The width was not measured: {result.reason}")
    width = result.streams["width"]
    assert isinstance(width, Samples)
    errors: np.ndarray = (width.data - clip.width_m) * 1e3
    return errors


def _rms(errors: np.ndarray) -> float:
    return float(np.sqrt(np.nanmean(errors**2)))
