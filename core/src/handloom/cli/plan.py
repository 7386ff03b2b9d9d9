"""`handloom plan`: what a pipeline would do, without opening a device or a recording, and what of it is stale."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from handloom.cli.json_output import add_json_argument, print_json
from handloom.cli.pipeline import add_pipeline_arguments, host_and_plan
from handloom.cli.table import columns
from handloom.errors import HandloomError
from handloom.plan import Plan, State, missing_files, status, to_mermaid, to_text
from handloom.store import Scene


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_pipeline_arguments(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--mermaid", action="store_true", help="print a Mermaid flow chart")
    form.add_argument("--status", action="store_true", help="say of every step whether it is up to date")
    add_json_argument(parser, when="with --status: ")


def run(arguments: argparse.Namespace) -> int:
    """Show the plan."""
    if arguments.json and not arguments.status:
        raise HandloomError("--json goes with --status; the graph is printed as text, or with --mermaid.")
    _, plan = host_and_plan(arguments)
    if arguments.status:
        _print_status(_status(plan), as_json=arguments.json)
        for line in () if arguments.json else missing_files(plan):
            print(line)
    else:
        print(to_mermaid(plan) if arguments.mermaid else to_text(plan))
    return 0


def _status(plan: Plan) -> Sequence[State]:
    if not plan.scene.exists():
        return status(plan, {})
    with Scene.open(plan.scene) as scene:
        return status(plan, scene.ledger())


def _print_status(states: Sequence[State], *, as_json: bool) -> None:
    if as_json:
        print_json([_as_json(state) for state in states])
    elif states:
        print(columns([("EPISODE", "STEP", "STATE", "WHY"), *(_row(state) for state in states)]))


def _row(state: State) -> tuple[str, ...]:
    return (state.episode or "(scene)", state.node, state.condition, "; ".join(state.reasons))


def _as_json(state: State) -> dict[str, object]:
    return {
        "episode": state.episode,
        "step": state.node,
        "state": state.condition,
        "reasons": list(state.reasons),
    }
