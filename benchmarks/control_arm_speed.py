"""A cycle of control and physics in C++, and the same work in a Python loop, on the same mjData."""

from __future__ import annotations

import numpy as np

from benchmarks.control_arm_lab import TOOL, arm, chunk, law
from benchmarks.control_arm_python import PythonLoop
from benchmarks.rounds import Times, interleaved
from handloom.geometry import pose
from handloom_controllers.realtime import LoopSettings, RealTimeLoop

CYCLES = 1000

TELEMETRY_EVERY = 100


def speed_rounds(*, rounds: int) -> Times:
    """Hold the tool for so many cycles, in turn by the C++ loop and by the Python loop."""
    robot, controller = arm(), law()
    settings = LoopSettings(hold_s=3600.0, telemetry_every=TELEMETRY_EVERY, telemetry_room=64)
    with robot, RealTimeLoop(robot, controller, settings) as loop:
        state = robot.read()
        target = pose.compose(state.T_base_flange, np.array(TOOL))
        loop.push(chunk(np.array([0.05, 0.1]), np.tile(target[:3], (2, 1)), target, 0.0))
        loop.run(200)
        python = PythonLoop(robot, target, state.q, TELEMETRY_EVERY)
        return interleaved({"cpp": lambda: loop.run(CYCLES), "python": lambda: python.run(CYCLES)}, rounds=rounds)
