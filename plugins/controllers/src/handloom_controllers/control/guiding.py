"""Lead an arm by hand and keep where the tool went: a path that another motion can follow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from handloom.api import Robot
from handloom.errors import HandloomError
from handloom_controllers.control.feeding import SilentFeed
from handloom_controllers.control.path import ToolPath
from handloom_controllers.control.pipeline import ControlPipeline
from handloom_controllers.control.running import Run, move
from handloom_controllers.control.tcp_claims import header_lines
from handloom_controllers.control.telemetry import Records, read_telemetry

Float64Array = npt.NDArray[np.float64]


@runtime_checkable
class Pushed(Protocol):
    """A simulated robot, which nobody can take by the hand."""

    def push(self, wrench: npt.ArrayLike, duration_s: float) -> None:
        """Push the flange with a wrench (6,), N and Nm in base axes, from now on."""


def guide(
    pipeline: ControlPipeline,
    *,
    seconds: float,
    push_n: tuple[float, float, float] | None,
    progress: Callable[[float], None],
) -> Run:
    """Let an arm be led by hand for some time.

    Args:
        pipeline: With a law that lets itself be led.
        seconds: How long; Ctrl-C ends it before.
        push_n: (3,) force in base axes with which a simulated arm is led there and back; None leads it nowhere.
        progress: Told the share done.

    Raises:
        HandloomError: The robot or the law refuses, or the robot can't be pushed by a program.
    """

    def begun(robot: Robot) -> None:
        if push_n is None:
            return
        if not isinstance(robot, Pushed):
            told = f"Robot '{pipeline.robot.kind}' can't be pushed by a program; lead it by hand, without --push."
            raise HandloomError(told)
        robot.push([*push_n, 0.0, 0.0, 0.0], 0.5 * seconds)

    return move(
        pipeline,
        folder=pipeline.control.folder,
        feed=SilentFeed(),
        path_from=lambda tool: _resting(tool, seconds),
        progress=progress,
        begun=begun,
    )


def _resting(tool: Float64Array, seconds: float) -> ToolPath:
    return ToolPath(stamps=np.array([0, round(seconds * 1e9)]), poses=np.array([tool, tool]))


def write_guided(run: Run, path: Path, *, rate_hz: float) -> int:
    """Write where the tool went as a TUM file in the robot's base; returns how many poses.

    A tool from a rig is told in the file, so that an arm with another one refuses to follow it.

    Args:
        run: A motion.
        path: Where to write.
        rate_hz: Poses a second, at most.
    """
    records = read_telemetry(run.telemetry)
    kept = records[_thinned(records, rate_hz)]
    lines = header_lines(run.tie.tool.T_camera_tcp) if run.tie.tool else []
    lines.append("# T_base_tcp: time_s x_m y_m z_m qx qy qz qw")
    start = int(records["stamp_ns"][0]) if len(records) else 0
    for stamp, row in zip((kept["stamp_ns"] - start).tolist(), kept["T_base_tcp"].tolist(), strict=True):
        lines.append(" ".join([f"{stamp * 1e-9:.6f}", *(f"{value:.9f}" for value in row)]))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    return len(kept)


def _thinned(records: Records, rate_hz: float) -> npt.NDArray[np.bool_]:
    """Say which records are kept: the first of each period that was measured."""
    measured = np.isfinite(records["T_base_tcp"]).all(axis=1)
    periods = (records["stamp_ns"] - records["stamp_ns"][:1]) // round(1e9 / rate_hz)
    kept = np.zeros(len(records), dtype=bool)
    first: npt.NDArray[np.intp] = np.unique(periods[measured], return_index=True)[1]
    kept[np.flatnonzero(measured)[first]] = True
    return kept
