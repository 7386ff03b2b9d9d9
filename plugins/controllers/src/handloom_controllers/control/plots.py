"""The plot of a motion: command and measurement, error, force, torque and lateness on one time axis."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from handloom.streams import runs_of
from handloom_controllers.control.drawing import AXES, FAINT, JOINTS, MAIN, PHASES, SECOND, drawn
from handloom_controllers.control.telemetry import Records
from handloom_controllers.native.structs import PHASES as PHASE_NAMES

Float64Array = npt.NDArray[np.float64]
Panel = Callable[[Any, Float64Array, Records], None]


def draw_motion(path: Path, records: Records, *, title: str, joints: tuple[str, ...], paced: bool) -> None:
    """Draw the telemetry of a motion as a PNG.

    Args:
        path: Where to write.
        records: (N,) telemetry, N at least 1.
        title: What stands above.
        joints: Names of the joints.
        paced: Whether time was paced; a lateness means nothing otherwise and is left out.

    Raises:
        PluginError: matplotlib is not installed.
    """
    seconds = (records["stamp_ns"] - records["stamp_ns"][0]) * 1e-9
    panels: list[Panel] = [_position, _error, _force, lambda axes, at, rows: _torque(axes, at, rows, joints)]
    if np.isfinite(records["width_m"]).any():
        panels.append(_width)
    if paced:
        panels.append(_lateness)
    with drawn(path, 9.5, 0.7 + 1.75 * len(panels)) as figure:
        all_axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for axes, panel in zip(all_axes, panels, strict=True):
            panel(axes, seconds, records)
            _shade(axes, seconds, records)
            axes.margins(x=0.0)
        all_axes[-1].set_xlabel("time in s")
        figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
        _say_what_the_ground_means(figure, records)
        figure.align_ylabels()


def _position(axes: Any, seconds: Float64Array, records: Records) -> None:
    start = records["reference"][0, :3]
    for axis, colour in enumerate(AXES):
        measured, reference = (
            1e3 * (records[name][:, axis] - start[axis]) for name in ("T_base_tcp", "reference")
        )
        axes.plot(seconds, measured, color=colour, label="xyz"[axis])
        axes.plot(seconds, reference, color="black", ls=(0, (4, 4)), lw=0.7)
    axes.set(
        title="Way of the tool from where it began, in the robot's base; black, dashed: the reference",
        ylabel="position in mm",
    )
    axes.legend(handles=axes.get_lines()[::2], loc="center left", bbox_to_anchor=(1.0, 0.5))


def _error(axes: Any, seconds: Float64Array, records: Records) -> None:
    apart = 1e3 * np.linalg.norm(records["reference"][:, :3] - records["T_base_tcp"][:, :3], axis=1)
    axes.plot(seconds, apart, color=MAIN)
    axes.set(title="Distance of the tool from the reference", ylabel="distance in mm")
    axes.set_ylim(bottom=0.0)


def _force(axes: Any, seconds: Float64Array, records: Records) -> None:
    axes.plot(seconds, _norm(records["wrench_command"]), color=MAIN, label="wanted by the law")
    measured = _norm(records["wrench_measured"])
    if np.isfinite(measured).any():
        axes.plot(seconds, measured, color=SECOND, label="measured contact")
    axes.set(title="Force at the tool", ylabel="force in N")
    axes.set_ylim(bottom=0.0)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _norm(wrenches: Float64Array) -> Float64Array:
    return np.asarray(np.linalg.norm(wrenches[:, :3], axis=1))


def _torque(axes: Any, seconds: Float64Array, records: Records, joints: tuple[str, ...]) -> None:
    for joint, name in enumerate(joints):
        axes.plot(seconds, records["tau_command"][:, joint], color=JOINTS[joint % len(JOINTS)], lw=0.9, label=name)
    axes.set(title="Commanded joint torques", ylabel="torque in Nm")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), labelspacing=0.15)


def _width(axes: Any, seconds: Float64Array, records: Records) -> None:
    axes.plot(seconds, 1e3 * records["width_m"], color=MAIN, label="measured")
    axes.plot(seconds, 1e3 * records["width_reference"], color=MAIN, ls="--", lw=0.9, label="reference")
    axes.set(title="Gripper", ylabel="width in mm", ylim=(0.0, 1.15e3 * float(np.nanmax(records["width_m"]))))
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


def _lateness(axes: Any, seconds: Float64Array, records: Records) -> None:
    axes.plot(seconds, 1e-3 * records["lateness_ns"], ".", ms=2.0, color=MAIN, label="woke up late by")
    axes.plot(seconds, 1e-3 * records["compute_ns"], ".", ms=2.0, color=SECOND, label="then worked for")
    axes.set(title="The loop's own time", ylabel="time in µs")
    axes.set_yscale("symlog", linthresh=10.0)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_ylim(bottom=0.0)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), markerscale=4)


def _shade(axes: Any, seconds: Float64Array, records: Records) -> None:
    for name, colour in PHASES.items():
        for first, end in runs_of(records["phase"] == PHASE_NAMES.index(name)):
            axes.axvspan(seconds[first], seconds[min(end, len(seconds) - 1)], color=colour, lw=0, zorder=0)
    struck = np.flatnonzero(records["reflexes"])
    if len(struck):
        axes.axvline(seconds[struck[0]], color=AXES[0], lw=1.2)


def _say_what_the_ground_means(figure: Any, records: Records) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    seen = {PHASE_NAMES[number] for number in np.unique(records["phase"])}
    marks: list[Any] = [Patch(color=colour, label=name) for name, colour in PHASES.items() if name in seen]
    if records["reflexes"].any():
        marks.append(Line2D([], [], color=AXES[0], label="reflex"))
    if marks:
        figure.legend(
            handles=marks, loc="upper right", ncols=len(marks), fontsize=8.5, labelcolor=FAINT, borderaxespad=0.2
        )
