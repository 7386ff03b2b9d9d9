"""The bars of accuracy: what every step of the road from recording to dataset finds, against the lab's truth."""

from __future__ import annotations

from benchmarks import accuracy_audio, accuracy_export, accuracy_poses, accuracy_render, accuracy_sync
from benchmarks.accuracy_width import width_bars
from benchmarks.harness import Bar


def bars(*, quick: bool) -> tuple[Bar, ...]:
    """Return the bars, the truth's own first: a lab that is off by a pixel proves nothing."""
    return (
        *accuracy_render.bars(quick=quick),
        *accuracy_sync.bars(quick=quick),
        *width_bars(quick=quick),
        *accuracy_export.bars(quick=quick),
        *accuracy_poses.bars(quick=quick),
        *accuracy_audio.bars(quick=quick),
    )
