"""The arm's process of a remote robot: serves it to the loop's owner, and outlives that until the arm rests."""

from __future__ import annotations

import os

import attrs

from handloom.api import Robot
from handloom.errors import HandloomError
from handloom_controllers.native import library
from handloom_controllers.native.structs import REFLEXES, names_of

LINE = "HANDLOOM_ARM_FD"
"""Environment variable by which the arm's process is told its end of the line."""


@attrs.frozen
class Served:
    """How serving a robot ended.

    Attributes:
        reflexes: Names of all that were reported to the owner.
        robot_failed: The robot's own read or write answered an error.
    """

    reflexes: tuple[str, ...]
    robot_failed: bool


def serve(robot: Robot, *, paced: bool = True, fifo_priority: int = 0) -> Served:
    """Serve an open robot to the process that started this one, until that is gone and the arm at rest.

    Without a command for 20 periods in a row, communication_constraints_violation is reported and the robot comes
    to rest by damping.

    Args:
        robot: One with a compiled table.
        paced: Real time: without a command for two periods the robot goes on with the one before. Otherwise it
            waits for its owner, and time is its own.
        fifo_priority: Of this thread meanwhile, where that is permitted; 0 leaves it.

    Raises:
        HandloomError: The robot has no compiled table, or this process was not started by a `RemoteRobot`.
    """
    native = robot.native()
    if native is None:
        raise HandloomError(
            f"{type(robot).__name__} has no compiled table, so it can't be served to another process."
        )
    line = os.environ.get(LINE)
    loaded = library()
    served = loaded.call("hl_shared_serve_open", int(line)) if line else 0
    if not served:
        raise HandloomError(f"This process serves an arm, but no RemoteRobot has started it ({LINE} is {line}).")
    try:
        found = loaded.call("hl_shared_serve_robot", served, native.address, int(paced), fifo_priority)
    finally:
        loaded.call("hl_shared_serve_close", served)
    return Served(names_of(max(found, 0), REFLEXES), robot_failed=found < 0)
