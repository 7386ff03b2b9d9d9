"""Reads the arguments of `handloom control` and does what they ask for."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from handloom.cli.json_output import add_json_argument, print_json
from handloom.cli.pipeline import add_pipeline_arguments
from handloom.cli.progress import bar
from handloom.host import Host
from handloom_controllers.control.outcome import Outcome
from handloom_controllers.control.path import LONGEST_S
from handloom_controllers.control.pipeline import ControlPipeline, load_control
from handloom_controllers.control.tie import tied

INTERRUPTED = 130

_MOST_PUSH_N = 10_000


def control(arguments: list[str]) -> int:
    """Follow a recorded path of the tool on a robot, guide it by hand, or measure how well it follows.

    Raises:
        HandloomError: With all mistakes of the pipeline, or the reason why the arm was not moved.
    """
    options = _parser().parse_args(arguments)
    if getattr(options, "faster", False):
        options.overrides.append("control.paced=false")
    pipeline = load_control(options.file, Host(), options.overrides)
    return _ACTIONS[options.action](pipeline, options)


def _check(pipeline: ControlPipeline, options: argparse.Namespace) -> int:
    from handloom_controllers.control.hand import read_hand
    from handloom_controllers.control.path import read_path
    from handloom_controllers.control.writing import require_writers

    tie = tied(pipeline)
    along = ", without a path, to be led"
    if pipeline.reference:
        require_writers(pipeline)
        seconds = read_path(pipeline.reference).duration_ns * 1e-9
        along = f", along {pipeline.reference.file.name} for {seconds:.1f} s"
    if pipeline.hand:
        require_writers(pipeline)
        seconds = read_hand(pipeline.hand).duration_ns * 1e-9
        along = f", after the hand in {pipeline.hand.file.name} for {seconds:.1f} s"
    print(tie.sentence)
    print(f"{options.file}: {pipeline.law.kind} on {pipeline.robot.kind}{along}; nothing is wrong with it.")
    return 0


def _say_tool(pipeline: ControlPipeline) -> None:
    """Say before the arm moves what ties its tool to the motion's, or that nothing does.

    Raises:
        HandloomError: The motion was made with another tool.
    """
    print(tied(pipeline).sentence, file=sys.stderr, flush=True)


def _run(pipeline: ControlPipeline, options: argparse.Namespace) -> int:
    from handloom_controllers.control.printing import table
    from handloom_controllers.control.running import run_motion
    from handloom_controllers.control.writing import require_writers, write_files

    require_writers(pipeline)
    _say_tool(pipeline)
    with bar("Moving") as progress:
        made = run_motion(pipeline, folder=pipeline.control.folder, progress=progress)
    with bar("Writing") as progress:
        files = write_files(pipeline, made, progress)
    if options.json:
        print_json({**made.outcome.to_json(), "files": files})
    else:
        print(table(made.outcome), *(f"wrote {file}" for file in files), sep="\n")
    return _code(made.outcome)


def _bench(pipeline: ControlPipeline, options: argparse.Namespace) -> int:
    from handloom_controllers.control.benching import bench
    from handloom_controllers.control.printing import bench_table

    _say_tool(pipeline)
    with bar("Measuring") as progress:
        measured = bench(pipeline, progress=progress)
    if options.json:
        print_json([{"python": "busy" if row.busy else "idle", **row.outcome.to_json()} for row in measured])
    else:
        print(bench_table(measured))
    return max(_code(row.outcome) for row in measured)


def _guide(pipeline: ControlPipeline, options: argparse.Namespace) -> int:
    from handloom_controllers.control.guiding import guide, write_guided
    from handloom_controllers.control.printing import end

    _say_tool(pipeline)
    with bar("Guiding") as progress:
        run = guide(pipeline, seconds=options.seconds, push_n=options.push, progress=progress)
    target = options.output or pipeline.control.folder / "guided.txt"
    count = write_guided(run, target, rate_hz=options.rate)
    made = run.outcome
    if not made.well:
        print(end(made))
    print(*made.notes, f'wrote {target}, {count} poses; follow it with: place = "base"', sep="\n")
    # Ctrl-C is how guiding ends.
    return 0 if made.stop == "asked" else 1


def _code(made: Outcome) -> int:
    if made.interrupted:
        return INTERRUPTED
    return 0 if made.well else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="handloom control",
        description="Follow a recorded path or hand with a robot, real or simulated, and write what happened.",
        allow_abbrev=False,
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    run = _action(actions, "run", "follow the path or the hand, and write telemetry and plots")
    run.add_argument(
        "--faster", action="store_true", help="as fast as a simulated robot can, time not being paced"
    )
    add_json_argument(run)
    bench = _action(actions, "bench", "measure the loop along the path, with Python idle and with Python busy")
    add_json_argument(bench)
    guide = _action(actions, "guide", "let the arm be led by hand, and write where the tool went")
    guide.add_argument(
        "--seconds", type=_between(0.001, LONGEST_S), default=600.0, help="how long; Ctrl-C ends it before (600)"
    )
    guide.add_argument(
        "--rate", type=_between(0.001, 10_000), default=20.0, help="poses a second that are kept (20)"
    )
    guide.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="where to write; guided.txt in the pipeline's folder"
    )
    guide.add_argument(
        "--push", type=_force, metavar="X,Y,Z", help="force in N that leads a simulated arm, half of the time"
    )
    _action(actions, "check", "read the pipeline and the path; nothing is opened")
    return parser


def _between(least: float, most: float) -> Callable[[str], float]:
    """Return what reads a number of a range."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"'{text}'; expected a number from {least:g} to {most:g}.")
        return value

    return read


def _force(text: str) -> tuple[float, float, float]:
    try:
        x, y, z = (float(part) for part in text.split(","))
    except ValueError:
        x = y = z = math.nan
    if not all(abs(force) <= _MOST_PUSH_N for force in (x, y, z)):
        raise argparse.ArgumentTypeError(
            f"'{text}'; expected three numbers in N along the base's axes, as 8,0,0, none beyond {_MOST_PUSH_N}."
        )
    return x, y, z


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, told: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, help=told, description=f"{told.capitalize()}.")
    add_pipeline_arguments(parser)
    return parser


_ACTIONS: Mapping[str, Callable[[ControlPipeline, argparse.Namespace], int]] = {
    "run": _run,
    "bench": _bench,
    "guide": _guide,
    "check": _check,
}
