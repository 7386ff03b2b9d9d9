"""`handloom inspect`: what a store holds, episode by episode and stream by stream."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import attrs

from handloom.cli.table import columns
from handloom.store import SceneSummary, StepSummary, StreamSummary, inspect


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("store", type=Path, metavar="STORE", help="the scene directory")
    parser.add_argument("--json", action="store_true", help="print JSON for machines")


def run(arguments: argparse.Namespace) -> int:
    """Show the store; a failed step is shown, and no reason to fail."""
    summary = inspect(arguments.store)
    if arguments.json:
        print(json.dumps(attrs.asdict(summary), indent=2, default=str))
    else:
        print("\n".join(_lines(summary)))
    return 0


