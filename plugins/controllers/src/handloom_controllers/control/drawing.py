"""What all plots of a motion share: colours, sizes, and PNG files that are the same for the same data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from handloom.errors import PluginError

INK, FAINT, GRID = "#1d2733", "#7b8794", "#e4e8ec"
AXES = ("#c8372d", "#2e9e5b", "#0b6e99")
"""x, y, z."""
MAIN, SECOND = "#0b6e99", "#d9822b"
JOINTS = ("#0b6e99", "#d9822b", "#7a5aa6", "#2e9e5b", "#b0506f", "#5f7a2c", "#444f5c")
PHASES: Mapping[str, str] = {
    "holding": "#dfe8f4",
    "stopping": "#fdebc8",
    "stopped": "#efefef",
    "damped": "#f6d5d2",
}
"""What the ground looks like while the loop does anything but follow."""

_STYLE: Mapping[Any, Any] = {
    "font.family": ["sans-serif"],
    "font.size": 9.0,
    "figure.facecolor": "white",
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "lines.linewidth": 1.2,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "agg.path.chunksize": 20_000,
}


@contextmanager
def drawn(path: Path, width_in: float, height_in: float) -> Iterator[Any]:
    """Give a figure to draw on, and write it as a PNG afterwards.

    Args:
        path: Where to write.
        width_in: Width in inches of 120 pixels.
        height_in: Height.

    Raises:
        PluginError: matplotlib is not installed.
    """
    require_matplotlib()
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({**_STYLE}):
        figure = Figure(figsize=(width_in, height_in), dpi=120, layout="constrained")
        yield figure
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="png", metadata={"Software": None})


def require_matplotlib() -> None:
    """Say what to install where there is no matplotlib.

    Raises:
        PluginError: It is not there.
    """
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise PluginError(
            f"Plots are drawn by matplotlib, which is not installed ({error}); "
            f"run: pip install 'handloom-controllers[plots]'"
        ) from error
