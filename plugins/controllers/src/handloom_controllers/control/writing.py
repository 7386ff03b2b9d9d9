"""Write what is made of the telemetry beside it: the figures as JSON, a picture, a file for Foxglove."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from handloom_controllers.control.drawing import require_matplotlib
from handloom_controllers.control.mcap import require_foxglove, write_mcap
from handloom_controllers.control.pipeline import ControlPipeline
from handloom_controllers.control.plots import draw_motion
from handloom_controllers.control.running import Run
from handloom_controllers.control.telemetry import read_telemetry


def require_writers(pipeline: ControlPipeline) -> None:
    """Refuse before the arm moves what could not be written afterwards.

    Raises:
        PluginError: A library is missing; says which.
    """
    if pipeline.control.plots:
        require_matplotlib()
    if pipeline.control.mcap:
        require_foxglove()


def write_files(pipeline: ControlPipeline, run: Run, progress: Callable[[float], None]) -> tuple[Path, ...]:
    """Write the files of a motion and return them all, the telemetry first.

    Args:
        pipeline: What was done.
        run: The motion.
        progress: Told the share done.

    Raises:
        RecordingError: A file did not become whole.
    """
    records = read_telemetry(run.telemetry)
    about = {
        "robot": pipeline.robot.kind,
        "law": pipeline.law.kind,
        "joints": list(run.joints),
        "rate_hz": pipeline.loop.rate_hz,
        "telemetry_every": pipeline.loop.telemetry_every,
        "tool": run.tie.to_json(),
        **run.outcome.to_json(),
    }
    made = [run.telemetry, run.telemetry.with_suffix(".json")]
    made[-1].write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    if pipeline.control.plots and len(records):
        made.append(run.telemetry.with_suffix(".png"))
        title = f"{pipeline.document.origin.label}: {pipeline.law.kind} on {pipeline.robot.kind}"
        draw_motion(made[-1], records, title=title, joints=run.joints, paced=pipeline.control.paced)
    if pipeline.control.mcap and len(records):
        made.append(run.telemetry.with_suffix(".mcap"))
        words = {name: json.dumps(value, ensure_ascii=False) for name, value in about.items()}
        write_mcap(made[-1], records, joints=run.joints, about=words, progress=progress)
    return tuple(made)
