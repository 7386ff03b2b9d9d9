"""The owner of a remote arm in a process of its own, to be killed by a test in the middle of a motion."""

from __future__ import annotations

import sys
import time

import numpy as np
from point_robot import LIMITS, THRESHOLDS, SpringLaw, chunk_of, load

from handloom_controllers.native import library
from handloom_controllers.realtime import LoopSettings, RealTimeLoop, RemoteRobot


def main(parts: str, *arm: str) -> None:
    """Move the arm in a circle, so that it never stands still, until somebody ends this process.

    Its process id is told once it moves.
    """
    robot = RemoteRobot(arm, limits=LIMITS, collision_thresholds=THRESHOLDS, rate_hz=100.0, patience_s=5.0)
    with robot, RealTimeLoop(robot, SpringLaw(load(parts)), LoopSettings(rate_hz=100.0)) as loop:
        loop.start()
        for turn in range(10_000):
            now = library().call("hl_now_ns")
            times = np.arange(1, 40) * 0.025
            angles = 6 * (now * 1e-9 + times)
            loop.push(chunk_of(times, 0.1 * np.sin(angles), y=0.1 * np.cos(angles), start=now))
            if turn == 4:
                print(robot.pid, loop.status().phase, flush=True)
            time.sleep(0.05)


if __name__ == "__main__":
    main(*sys.argv[1:])
