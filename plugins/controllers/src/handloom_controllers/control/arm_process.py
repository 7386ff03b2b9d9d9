"""The arm's own process: serves the robot of a control pipeline, and says at the end how it came to rest.

`python -m handloom_controllers.control.arm_process REPORT DOCUMENT`, started by whoever owns the loop; the arm is
brought to rest by damping when that one is gone, however it went.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np

from handloom.api import Robot
from handloom.cli.guard import exit_code
from handloom.config import Document
from handloom.errors import RecordingError
from handloom.host import Host
from handloom_controllers.control.pipeline import ControlPipeline, read_control
from handloom_controllers.realtime import RemoteRobot, serve

REPORT = "arm.json"

_AT_REST_RAD_PER_S = 1e-2


def has_own_process(component: type[Robot]) -> bool:
    """Tell whether a robot starts a process of its own when it is opened, and needs none around it."""
    return bool(getattr(component, "in_own_process", False))


def remote_robot(pipeline: ControlPipeline, folder: Path) -> RemoteRobot:
    """Return the robot of a pipeline as one in a process of its own; nothing is started.

    Args:
        pipeline: What to do.
        folder: Where the process puts its report.
    """
    robot: Robot = pipeline.robot.make()
    folder.mkdir(parents=True, exist_ok=True)
    document = json.dumps(pipeline.document.to_json())
    return RemoteRobot(
        [sys.executable, "-m", __name__, str(folder / REPORT), document],
        limits=robot.limits,
        collision_thresholds=robot.collision_thresholds,
        rate_hz=pipeline.loop.rate_hz,
    )


def main(report: Path, document: str) -> int:
    """Serve until the owner is gone and the arm at rest."""
    pipeline = read_control(Document.from_json(json.loads(document)), Host())
    report.unlink(missing_ok=True)
    robot: Robot = pipeline.robot.make()
    with robot:
        served = serve(robot, paced=pipeline.control.paced, fifo_priority=pipeline.loop.fifo_priority)
        state = robot.read()
    fastest = float(np.abs(state.dq).max())
    told = {
        "at_rest": fastest < _AT_REST_RAD_PER_S,
        "speed_rad_per_s": fastest,
        "reflexes": list(served.reflexes),
        "robot_failed": served.robot_failed,
    }
    beside = report.with_name(f".{report.name}.{os.getpid()}")
    try:
        beside.write_text(json.dumps(told, indent=2) + "\n")
        beside.replace(report)
    except OSError as error:
        raise RecordingError(
            f"{report}: how the arm came to rest can't be told ({error.strerror}): {told}."
        ) from error
    return int(served.robot_failed)


if __name__ == "__main__":
    sys.exit(exit_code(lambda: main(Path(sys.argv[1]), sys.argv[2])))
