"""What all plots of a report share: colours, sizes, and figures as SVG text that is the same for the same data."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

INK, FAINT, GRID = "#1d2733", "#7b8794", "#e4e8ec"
MAIN, SECOND, GOOD, BAD, GAP = "#0b6e99", "#d9822b", "#2e9e5b", "#c8372d", "#f6d5d2"
LINES = (MAIN, SECOND, "#7a5aa6", "#2e9e5b", "#b0506f", "#5f7a2c")
TIME = "viridis"

_STYLE: Mapping[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "handloom",
    "font.family": ["sans-serif"],
    "font.size": 9.0,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "legend.labelcolor": INK,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "lines.linewidth": 1.3,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
}


@contextmanager
def drawn(width_in: float, height_in: float) -> Iterator[tuple[Any, list[str]]]:
    """Give a figure to draw on; afterwards the list holds its SVG text.

    Args:
        width_in: Width in inches of 72 points.
        height_in: Height.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    made: list[str] = []
    with mpl.rc_context({**_STYLE}):
        figure = Figure(figsize=(width_in, height_in), layout="constrained")
        yield figure, made
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    made.append(text[text.index("<svg") :])
