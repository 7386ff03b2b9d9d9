"""`handloom config show`: the merged configuration, each value with the file it came from."""

from __future__ import annotations

import argparse

from handloom.cli.json_output import add_json_argument, print_json
from handloom.cli.pipeline import add_pipeline_arguments
from handloom.config import dotted, leaves, load_document, show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    shown = actions.add_parser("show", help="print every value and where it was written")
    add_pipeline_arguments(shown)
    add_json_argument(shown)


def run(arguments: argparse.Namespace) -> int:
    """Show the configuration."""
    document = load_document(arguments.file, arguments.overrides)
    if arguments.json:
        rows = [
            {"key": dotted(key), "value": value, "origin": document.origin_of(key).label}
            for key, value in leaves(document.tables)
        ]
        print_json(rows)
    else:
        print(show(document))
    return 0
