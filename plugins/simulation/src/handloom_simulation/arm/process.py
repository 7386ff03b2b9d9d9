"""A simulated arm in a process of its own, as a real one is a machine of its own.

`in_own_process` gives the loop's side of it: a robot whose arm goes on when its owner stalls, notices when the
owner is gone, and then brakes, comes to rest, says so in a report and ends.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from handloom.errors import HandloomError
from handloom_simulation.arm.robots import ROBOTS, MujocoArm

if TYPE_CHECKING:
    from handloom_controllers.realtime import RemoteRobot


def in_own_process(
    robot: MujocoArm, *, report: Path | None = None, paced: bool = True, fifo_priority: int = 0
) -> RemoteRobot:
    """Return the robot that will be simulated, by a process of its own, as this one's settings say.

    Args:
        robot: What is simulated; it isn't opened here.
        report: File that the process writes when it ends, JSON: whether the arm came to rest, how long that took,
            and which reflexes stopped it.
        paced: In real time; otherwise it waits for its owner.
        fifo_priority: Of the thread that moves the arm, where that is permitted; 0 leaves it.
    """
    import cattrs

    from handloom_controllers.realtime import RemoteRobot

    kind = next(name for name, component in ROBOTS.items() if type(robot) is component)
    command = [sys.executable, "-m", "handloom_simulation.arm.process", kind]
    command += ["--settings", json.dumps(cattrs.unstructure(robot.config))]
    command += ["--report", str(report)] if report else []
    command += [] if paced else ["--unpaced"]
    command += ["--fifo-priority", str(fifo_priority)]
    return RemoteRobot(command, limits=robot.limits, collision_thresholds=robot.collision_thresholds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve an arm until its owner is gone, or SIGTERM comes; the arm is at rest then."""
    from handloom_controllers.realtime import serve

    options = _parser().parse_args(arguments)
    robot = make(options.kind, options.settings)
    with robot:
        try:
            served = serve(robot, paced=not options.unpaced, fifo_priority=options.fifo_priority)
        except HandloomError as error:
            print(error, file=sys.stderr)
            return 1
        if options.report:
            write_report(options.report, robot, served.reflexes)
    return int(served.robot_failed)


def make(kind: str, settings: str) -> MujocoArm:
    """Return the robot of a kind with settings as JSON."""
    import cattrs

    component = ROBOTS[kind]
    return component(cattrs.structure(json.loads(settings), component.Config))


def write_report(path: Path, robot: MujocoArm, reported: Sequence[str]) -> None:
    """Say how the arm ended, as a whole file or none."""
    truth, state = robot.plant.truth(), robot.read()
    report: dict[str, Any] = {
        "at_rest": truth.at_rest,
        "stopping_s": truth.stopping_s,
        "speed_rad_per_s": float(abs(state.dq).max()),
        "speed_peak_rad_per_s": truth.speed_peak_rad_per_s,
        "reflexes": sorted({*truth.reflexes, *reported}),
        "steps": truth.steps,
    }
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(json.dumps(report, indent=2) + "\n")
    beside.replace(path)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m handloom_simulation.arm.process",
        description="Simulate an arm for the process that started this one.",
    )
    parser.add_argument("kind", choices=sorted(ROBOTS))
    parser.add_argument("--settings", default="{}", help="of the robot, as JSON")
    parser.add_argument("--report", type=Path, help="file to write at the end: rest reached, reflexes")
    parser.add_argument("--unpaced", action="store_true", help="wait for the owner instead of keeping real time")
    parser.add_argument("--fifo-priority", type=int, default=0)
    return parser


if __name__ == "__main__":
    sys.exit(main())
