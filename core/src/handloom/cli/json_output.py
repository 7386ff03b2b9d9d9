"""The option `--json` of every command that lists something, and the one form in which it prints."""

from __future__ import annotations

import argparse
import json
from typing import Any


def add_json_argument(parser: argparse.ArgumentParser, *, when: str = "") -> None:
    """Declare the option.

    Args:
        parser: The command's, or its action's.
        when: What the option goes with, "with --status: "; "" for always.
    """
    parser.add_argument("--json", action="store_true", help=f"{when}print JSON for machines")


def print_json(values: Any) -> None:
    """Print plain values as JSON; paths and dates as the text they are written as."""
    print(json.dumps(values, indent=2, default=str))
