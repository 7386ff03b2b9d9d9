"""`handloom verify`: read everything in a store and prove it by its digests."""

from __future__ import annotations

import argparse
from pathlib import Path

import attrs

from handloom.cli.json_output import add_json_argument, print_json
from handloom.cli.table import columns
from handloom.store import verify


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("store", type=Path, metavar="STORE", help="the scene directory")
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Verify; 1 when something is damaged or does not belong there."""
    findings = verify(arguments.store)
    problems = [finding for finding in findings if finding.is_problem]
    if arguments.json:
        print_json([attrs.asdict(finding) for finding in findings])
        return 1 if problems else 0
    shown = [finding for finding in findings if finding.verdict != "ok"]
    if shown:
        print(columns([(finding.verdict, finding.where, finding.message) for finding in shown]))
    print(f"{len(findings) - len(shown)} of {len(findings)} things are as they were committed.")
    return 1 if problems else 0
