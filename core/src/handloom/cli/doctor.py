"""`handloom doctor`: look at this machine and installation, and say what is missing and how to get it."""

from __future__ import annotations

import argparse
from pathlib import Path

from handloom.cli.diagnosis import Diagnosis
from handloom.cli.diagnosis.brought import brought
from handloom.cli.diagnosis.folder import folder
from handloom.cli.diagnosis.installation import distributions, extras, machine, python
from handloom.cli.diagnosis.plugins import plugins
from handloom.cli.diagnosis.video import video
from handloom.cli.json_output import add_json_argument, print_json
from handloom.cli.progress import bar
from handloom.cli.table import columns
from handloom.host import Host


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path(), help="where scenes will be kept (default: here)"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print all findings; 1 when one of them is a problem."""
    findings = _examine(arguments.folder)
    if arguments.json:
        print_json([finding._asdict() for finding in findings])
    else:
        print(columns(findings))
        print(f"\n{_conclusion(findings)}")
    return 1 if _count(findings, "problem") else 0


def _examine(place: Path) -> list[Diagnosis]:
    host = Host()
    with bar("Importing every plugin") as progress:
        return [
            python(),
            machine(),
            *distributions(),
            *extras(),
            *video(),
            *folder(place.absolute()),
            *brought(host.found),
            *plugins(host, progress),
        ]


def _conclusion(findings: list[Diagnosis]) -> str:
    problems, warnings = _count(findings, "problem"), _count(findings, "warning")
    if not problems and not warnings:
        return "All is well."
    return f"Problems: {problems}. Warnings: {warnings}."


def _count(findings: list[Diagnosis], level: str) -> int:
    return sum(finding.level == level for finding in findings)
