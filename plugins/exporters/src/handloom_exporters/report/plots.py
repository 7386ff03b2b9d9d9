"""The plots of an episode: the tool's path, what was measured over time, and how the clocks were found."""

from __future__ import annotations

from typing import Any

import numpy as np

from handloom.streams import runs_of
from handloom_exporters.report.agreement import Agreement
from handloom_exporters.report.drawing import BAD, FAINT, GAP, GOOD, INK, LINES, MAIN, SECOND, TIME, drawn
from handloom_exporters.report.gathering import FloatArray, Sync, Track

_MOST_ROWS = 7
"""Plots of an episode; more would not fit a page, and the table of streams lists them all."""

_LEAST_SPANS = {"mm": 2.0, "speed in m/s": 0.2}
"""What an axis spans at least, by its label."""

_LEAST_PATH_M = 0.05
"""What a view of a path spans at least: a tool at rest is a dot, not a scribble of the tracker's noise."""

_MOST_TICKS = 6


def paths(tracks: tuple[Track, ...]) -> str:
    """Draw poses from above and from the side, as SVG; the first coloured by time, the others dashed over it."""
    with drawn(8.6, 3.5) as (figure, made):
        views = figure.subplots(1, 2)
        for axes, (across, up, title) in zip(views, ((0, 1, "From above"), (0, 2, "From the side")), strict=True):
            line = _by_time(axes, tracks[0], across, up)
            for track, colour in zip(tracks[1:], LINES[1:], strict=False):
                axes.plot(
                    track.data[:, across], track.data[:, up], color=colour, lw=1.0, ls="--", label=track.name
                )
            axes.set_aspect("equal", adjustable="datalim")
            axes.margins(0.08)
            _keep_room(axes)
            axes.set(title=title, xlabel=f"{'xyz'[across]} in m", ylabel=f"{'xyz'[up]} in m")
        figure.colorbar(line, ax=list(views), label="time in s", pad=0.01, aspect=28).outline.set_visible(False)
        if len(tracks) > 1:
            figure.legend(*views[0].get_legend_handles_labels(), loc="outside upper right", ncols=len(tracks))
    return made[0]


def differences(found: tuple[Agreement, ...]) -> str:
    """Draw how far other sources of a body are from the first over time, as SVG: distance and angle."""
    rows = (("distance in mm", 1e3, "distances_m"), ("angle in °", 180.0 / np.pi, "turns_rad"))
    with drawn(8.6, 2.9) as (figure, made):
        all_axes = figure.subplots(2, 1, sharex=True)
        for axes, (label, factor, name) in zip(all_axes, rows, strict=True):
            for agreement, colour in zip(found, LINES[1:], strict=False):
                axes.plot(agreement.seconds, getattr(agreement, name) * factor, color=colour, label=agreement.name)
            axes.set_ylabel(label)
            axes.set_ylim(bottom=0.0)
            axes.margins(x=0.0)
        for agreement in found[:1]:
            all_axes[0].set_title(f"Apart from {agreement.reference}", color=INK)
            for axes, values in zip(all_axes, (agreement.distances_m, agreement.turns_rad), strict=True):
                _shade_gaps(axes, agreement.seconds, values)
        all_axes[-1].set_xlabel("time in s")
        if len(found) > 1:
            figure.legend(*all_axes[0].get_legend_handles_labels(), loc="outside upper right", ncols=len(found))
        figure.align_ylabels()
    return made[0]


def _keep_room(axes: Any) -> None:
    """Keep a view of a path from being smaller than what matters, and its ticks from running into each other."""
    middle, half = axes.dataLim.get_points().mean(axis=0), 0.5 * _LEAST_PATH_M
    axes.update_datalim([middle - half, middle + half])
    axes.autoscale_view()
    axes.locator_params(nbins=_MOST_TICKS)


def _by_time(axes: Any, track: Track, across: int, up: int) -> Any:
    from matplotlib.collections import LineCollection

    points = track.data[:, [across, up]]
    pairs = np.stack([points[:-1], points[1:]], axis=1)
    whole = np.isfinite(pairs).all(axis=(1, 2))
    line = LineCollection(pairs[whole], cmap=TIME, linewidths=2.0)
    line.set_label(track.name)
    line.set_array(track.seconds[:-1][whole])
    axes.add_collection(line)
    seen = points[np.isfinite(points).all(axis=1)]
    if len(seen):
        axes.plot(*seen[0], "o", ms=6, color=GOOD, zorder=5)
        axes.plot(*seen[-1], "s", ms=6, color=BAD, zorder=5)
        axes.update_datalim(seen)
        axes.autoscale_view()
    return line


def timeline(poses: tuple[Track, ...], scalars: tuple[Track, ...]) -> str:
    """Draw speeds and measured numbers one below the other on one time axis, as SVG; what is lost is shaded."""
    rows = [(track, *_speed(track), "speed in m/s") for track in poses]
    rows += [(track, track.seconds, *_scaled(track)) for track in scalars]
    rows = rows[:_MOST_ROWS]
    with drawn(8.6, 0.55 + 1.05 * len(rows)) as (figure, made):
        all_axes = figure.subplots(len(rows), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (track, seconds, values, label), colour in zip(all_axes, rows, _colours(len(rows)), strict=True):
            _shade_gaps(axes, seconds, values)
            axes.plot(seconds, values, color=colour)
            own = " (its own zero: no clock map joins it)" if track.own_zero else ""
            axes.set_title(f"{track.name}{own}", color=INK)
            axes.set_ylabel(label)
            axes.margins(x=0.0)
            _keep_span(axes, values, label)
        all_axes[-1].set_xlabel("time in s")
        figure.align_ylabels()
    return made[0]


def _keep_span(axes: Any, values: FloatArray, label: str) -> None:
    """Keep noise from looking like motion: an axis never spans less than what matters of its unit."""
    known = values[np.isfinite(values)]
    least = _LEAST_SPANS.get(label, 0.0)
    if len(known) and np.ptp(known) < least:
        middle = 0.5 * float(known.min() + known.max())
        axes.set_ylim(middle - 0.5 * least, middle + 0.5 * least)


def _colours(count: int) -> list[str]:
    return [LINES[row % len(LINES)] for row in range(count)]


def _speed(track: Track) -> tuple[FloatArray, FloatArray]:
    """Return the speed between rows, m/s, NaN over gaps, at the middle of each pair."""
    steps = np.linalg.norm(np.diff(track.data[:, :3], axis=0), axis=1)
    elapsed = np.diff(track.seconds)
    speed = np.divide(steps, elapsed, out=np.full(len(steps), np.nan), where=elapsed > 0)
    return (track.seconds[1:] + track.seconds[:-1]) / 2, speed


def _scaled(track: Track) -> tuple[FloatArray, str]:
    values: FloatArray = track.data.astype(np.float64)
    if track.type.unit == "m":
        return values * 1e3, "mm"
    return values, "no unit" if track.type.unit == "1" else track.type.unit


def _shade_gaps(axes: Any, seconds: FloatArray, values: FloatArray) -> None:
    for first, end in runs_of(~np.isfinite(values)):
        before, after = max(first - 1, 0), min(end, len(seconds) - 1)
        axes.axvspan(seconds[before], seconds[after], color=GAP, lw=0)


def envelopes(sync: Sync) -> str | None:
    """Draw the envelopes around the instants that two clocks were joined by, as SVG; None when none are kept."""
    kept = [(which, sync.attributes.get(f"envelope_{which}")) for which in ("first", "second")]
    curves = [(which, *curve) for which, value in kept if (curve := _curve(value))]
    if not curves:
        return None
    with drawn(8.6, 1.9) as (figure, made):
        all_axes = figure.subplots(1, len(curves), squeeze=False)[0]
        for axes, (which, times_ms, heights), colour in zip(all_axes, curves, (MAIN, SECOND), strict=False):
            axes.fill_between(times_ms, heights, color=colour, alpha=0.15, lw=0)
            axes.plot(times_ms, heights, color=colour)
            axes.axvline(0.0, color=FAINT, lw=0.8, ls="--")
            axes.set(title=f"{which} track", xlabel="ms from the found arrival", ylabel="envelope")
            axes.set_ylim(bottom=0.0)
            axes.margins(x=0.0)
    return made[0]


def _curve(value: Any) -> tuple[FloatArray, FloatArray] | None:
    """Read an envelope: a table of `offset_s` and `height`, both lists of one length."""
    if not isinstance(value, dict):
        return None
    offsets, heights = (np.asarray(value.get(name, ()), dtype=np.float64) for name in ("offset_s", "height"))
    return (offsets * 1e3, heights) if len(offsets) and offsets.shape == heights.shape else None
