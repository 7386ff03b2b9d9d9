"""`handloom run`: bring a scene up to date with its pipeline."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from handloom.cli.json_output import add_json_argument, print_json
from handloom.cli.noting import folded
from handloom.cli.pipeline import add_pipeline_arguments, host_and_plan
from handloom.cli.watching import Console, watching
from handloom.errors import HandloomError, did_you_mean
from handloom.plan import Plan, kept_episodes, restricted
from handloom.run import Ending, RunReport, run_plan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_pipeline_arguments(parser)
    parser.add_argument("--force", metavar="STEP", action="append", default=[], help="run it even if up to date")
    parser.add_argument("--episode", metavar="ID", action="append", default=[], help="only this episode")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run; 1 when a step failed."""
    host, plan = host_and_plan(arguments)
    _check_names("--force", arguments.force, [node.name for node in plan.offline()])
    _check_names("--episode", arguments.episode, list(plan.episodes))
    if arguments.episode:
        plan = _for_episodes(plan, arguments.episode)
    for line in kept_episodes(plan):
        Console(sys.stderr).line("kept", line)
    with watching(plan, quiet=arguments.json) as watch:
        report = run_plan(plan, host, force=arguments.force, watch=watch)
    if arguments.json:
        print_json(report.to_json())
    else:
        for line in folded(report.outcomes):
            Console(sys.stderr).line("note", line)
        _summarize(plan, report)
    return 0 if report.ok else 1


def _check_names(option: str, names: list[str], known: list[str]) -> None:
    for name in names:
        if name not in known:
            raise HandloomError(f"{option}: the pipeline has no '{name}'{did_you_mean(name, known)}")


def _for_episodes(plan: Plan, episodes: list[str]) -> Plan:
    """Return the plan for some episodes, and say what has to wait for a run of all."""
    part = restricted(plan, episodes)
    waiting = [name for name in plan.nodes if name not in part.nodes]
    if waiting:
        text = f"{', '.join(waiting)}: made of all episodes; run without --episode."
        Console(sys.stderr).line("left out", text)
    return part


def _summarize(plan: Plan, report: RunReport) -> None:
    console = Console(sys.stdout)
    for text in report.repairs:
        console.line("repaired", text)
    for outcome in report.outcomes:
        if outcome.export:
            console.line("wrote", _shown(outcome.export))
    if report.stopped:
        console.line("stopped", report.stopped)
    print(f"{_counts(report)}; scene {_shown(plan.scene)}")


def _shown(path: Path) -> str:
    """Show a path as short as it can be from here."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _counts(report: RunReport) -> str:
    words: dict[Ending, str] = {
        "committed": "made",
        "fresh": "up to date",
        "failed": "failed",
        "skipped": "skipped",
        "absent": "not recorded",
    }
    counts = report.counts
    told = [f"{counts[ending]} {word}" for ending, word in words.items() if counts[ending]]
    return ", ".join(told) or ("nothing made" if report.stopped else "nothing to do")
