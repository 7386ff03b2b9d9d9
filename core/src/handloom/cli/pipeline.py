"""The arguments of every command that takes a pipeline file, and the plan they lead to."""

from __future__ import annotations

import argparse
from pathlib import Path

from handloom.host import Host
from handloom.plan import Plan, demand_episodes, load_plan


def add_pipeline_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the pipeline file and the overrides."""
    parser.add_argument("file", type=Path, metavar="PIPELINE.toml", help="the pipeline")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        dest="overrides",
        help="set block.name.key to a value, over what the file says; a path is relative to here",
    )


def host_and_plan(arguments: argparse.Namespace) -> tuple[Host, Plan]:
    """Find the installed plugins and make the plan of the file named on the command line.

    Raises:
        ConfigError: With all mistakes of the configuration, or when it has no episode to run on.
    """
    host = Host()
    plan = load_plan(arguments.file, host, arguments.overrides)
    demand_episodes(plan)
    return host, plan
