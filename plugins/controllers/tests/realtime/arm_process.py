"""The process of a test's arm: serves the mass of parts.cpp and tells how it ended."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from point_robot import PointRobot, load

from handloom_controllers.realtime import serve


def main(parts: str, report: str, pace: str, *knobs: str) -> None:
    """Serve until the owner is gone; knobs are `name=value` of the robot."""
    robot = PointRobot(load(parts))
    fields: Any = robot.fields
    for name, value in (knob.split("=") for knob in knobs):
        setattr(fields, name, type(getattr(fields, name))(float(value)))
    served = serve(robot, paced=pace == "paced")
    told = {
        "reflexes": served.reflexes,
        "robot_failed": served.robot_failed,
        "speed": max(abs(speed) for speed in fields.dq),
        "damped": fields.damped,
        "stops": fields.stops,
        "periods": fields.periods,
    }
    Path(report).write_text(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
