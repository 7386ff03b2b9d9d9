"""Move a robot along a recorded path: open it, start law and loop, feed them, and say what became of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

import attrs
import numpy as np
import numpy.typing as npt

from handloom.api import Fault, Law, Robot
from handloom.errors import HandloomError
from handloom.geometry import pose
from handloom_controllers.control.arm_process import has_own_process, remote_robot
from handloom_controllers.control.feeding import Feed, LocalFeed, ProcessFeed
from handloom_controllers.control.following import Following, Pace
from handloom_controllers.control.hand import HandFeed, read_hand
from handloom_controllers.control.interrupts import counted
from handloom_controllers.control.outcome import Outcome, outcome
from handloom_controllers.control.path import PathPolicy, ToolPath, placed, read_path, within_reach
from handloom_controllers.control.pipeline import ControlPipeline
from handloom_controllers.control.telemetry import TelemetryWriter, read_telemetry
from handloom_controllers.control.tie import Tie, tied
from handloom_controllers.realtime import PythonLoop, RealTimeLoop

TELEMETRY = "telemetry.npy"

_LINGER_S = 0.2
"""How long the end of a path is held before the soft stop."""

Float64Array = npt.NDArray[np.float64]
AnyLoop: TypeAlias = RealTimeLoop | PythonLoop


@attrs.frozen(kw_only=True)
class Run:
    """A motion that was made.

    Attributes:
        outcome: What became of it.
        telemetry: The file of its records.
        joints: Names of the robot's joints.
        tie: What was known of the tool.
    """

    outcome: Outcome
    telemetry: Path
    joints: tuple[str, ...]
    tie: Tie


@runtime_checkable
class Noticing(Protocol):
    """A law in Python that has more to tell than its commands."""

    def noticed(self) -> tuple[Fault, ...]:
        """Return what it noticed since its start: one fault each time that it began."""


def run_motion(pipeline: ControlPipeline, *, folder: Path, progress: Callable[[float], None]) -> Run:
    """Follow the recorded path of a control pipeline, or its recorded hand.

    Args:
        pipeline: What to do.
        folder: Where the telemetry goes.
        progress: Told the share done.

    Raises:
        HandloomError: The path, the robot or the law refuses; the arm was not moved, or has been stopped.
    """
    settings = pipeline.reference
    if pipeline.hand:
        hand = HandFeed(read_hand(pipeline.hand), pipeline.hand)
        return move(pipeline, folder=folder, feed=hand, path_from=hand.path_from, progress=progress)
    if settings is None:
        told = "is missing; expected a table with the `file` of the path to follow, or a [control.hand]."
        raise HandloomError(pipeline.document.problem(("control", "reference"), told))
    recorded = read_path(settings)
    # A process of its own makes sense only where its answers could be late.
    feed = ProcessFeed() if settings.process and pipeline.control.paced else LocalFeed()
    return move(
        pipeline,
        folder=folder,
        feed=feed,
        path_from=lambda tool: placed(recorded, tool, settings),
        progress=progress,
    )


def move(
    pipeline: ControlPipeline,
    *,
    folder: Path,
    feed: Feed,
    path_from: Callable[[Float64Array], ToolPath],
    progress: Callable[[float], None],
    begun: Callable[[Robot], None] = lambda _: None,
) -> Run:
    """Open the robot, follow a path, let go.

    Args:
        pipeline: What to do.
        folder: Where the telemetry goes.
        feed: What answers with chunks; closed at the end.
        path_from: Gives the path, from where the tool is, (7,).
        progress: Told the share done.
        begun: Called once the loop runs.

    Raises:
        HandloomError: Tools differ, or the robot or the law refuses; the arm was not moved, or was stopped.
    """
    tie = tied(pipeline, feed.claims)
    law: Law = pipeline.law.make()
    robot = _robot_of(pipeline, folder)
    pace = Pace(paced=pipeline.control.paced, period_ns=pipeline.loop.period_ns)
    with robot, counted() as asked, closing(feed), TelemetryWriter(folder / TELEMETRY) as writer:
        path = within_reach(path_from(tool_of(robot, law)), pipeline.loop.way.reach_m)
        feed.open(_policy(pipeline, path))
        chosen, why = loop_of(pipeline, robot, law)
        with chosen as loop:
            following = Following(loop, feed, writer, pace, asked)
            if pace.paced:
                loop.start()
            begun(robot)
            _follow(following, pipeline, path, progress)
        writer.append(loop.telemetry())
    noticed = law.noticed() if isinstance(law, Noticing) else ()
    records, notes = read_telemetry(writer.path), tuple(filter(None, [why, *following.notes, *_first(noticed)]))
    made = outcome(
        records,
        loop.status(),
        path=path,
        start=following.start,
        paced=pace.paced,
        interrupted=asked.count > 0,
        noticed=noticed,
        notes=notes,
    )
    return Run(outcome=made, telemetry=writer.path, joints=robot.limits.names, tie=tie)


def _first(noticed: tuple[Fault, ...]) -> list[str]:
    """Return the sentence of the first fault of each kind."""
    return list({fault.kind: fault.message for fault in reversed(noticed)}.values())[::-1]


def _robot_of(pipeline: ControlPipeline, folder: Path) -> Robot:
    """Make the robot, in a process of its own where that is asked for and it does not start one itself."""
    if pipeline.control.process and not has_own_process(pipeline.robot.component):
        return remote_robot(pipeline, folder)
    robot: Robot = pipeline.robot.make()
    return robot


def _follow(
    following: Following, pipeline: ControlPipeline, path: ToolPath, progress: Callable[[float], None]
) -> None:
    following.follow(
        path.duration_ns,
        every_ns=round(1e9 / pipeline.control.chunk_rate_hz),
        linger_ns=round(min(0.5 * pipeline.loop.hold_s, _LINGER_S) * 1e9),
        progress=progress,
    )


def tool_of(robot: Robot, law: Law) -> Float64Array:
    """Return (7,) T_base_tcp where the robot is.

    Raises:
        HandloomError: The robot has no whole measurement, or is in a reflex.
    """
    state = robot.read()
    if state.reflexes:
        raise HandloomError(f"The robot stopped by itself ({', '.join(state.reflexes)}); clear that first.")
    return pose.compose(state.T_base_flange, law.T_flange_tcp)


def loop_of(pipeline: ControlPipeline, robot: Robot, law: Law) -> tuple[AnyLoop, str]:
    """Choose the loop for an open robot and a law: compiled where that is wanted and both have a table.

    Returns:
        The loop, not yet entered, and a sentence on why it is not real time; "" for the one that is.
    """
    if not pipeline.control.real_time:
        return PythonLoop(robot, law, pipeline.loop), "The loop runs in Python, as asked; it is not real time."
    without = _without_table(pipeline, robot, law)
    if without:
        told = f"{without} has no compiled table, so the loop runs in Python; it is not real time."
        return PythonLoop(robot, law, pipeline.loop), told
    return RealTimeLoop(robot, law, pipeline.loop), ""


def _without_table(pipeline: ControlPipeline, robot: Robot, law: Law) -> str:
    if robot.native() is None:
        return f"Robot '{pipeline.robot.kind}'"
    law.start(limits=robot.limits, thresholds=robot.collision_thresholds, state=robot.read())
    try:
        return f"Law '{pipeline.law.kind}'" if law.native() is None else ""
    finally:
        law.stop()


def _policy(pipeline: ControlPipeline, path: ToolPath) -> PathPolicy:
    way = pipeline.loop.way
    return PathPolicy(
        path=path,
        horizon=pipeline.control.horizon,
        period_ns=round(1e9 / pipeline.control.waypoint_rate_hz),
        frame=way.frame,
        body=way.body,
        clock=way.clock,
    )
