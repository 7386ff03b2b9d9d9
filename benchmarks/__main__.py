"""Run a suite by name: `python -m benchmarks NAME [--quick] [--json]`."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.harness import run


def suites() -> list[str]:
    """Return the names of the modules here that say `bars(quick)`."""
    here = Path(__file__).parent
    return sorted(path.stem for path in here.glob("*.py") if "\ndef bars(" in path.read_text())


def main() -> int:
    """Measure one suite and return the exit code."""
    parser = argparse.ArgumentParser(prog="dev.py bench", description="Measure a suite against its bars.")
    parser.add_argument("name", choices=suites(), help="a module of benchmarks/")
    parser.add_argument("--quick", action="store_true", help="fewer rounds on less data; results are not kept")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    bars = import_module(f"benchmarks.{options.name}").bars(quick=options.quick)
    return run(options.name, bars, quick=options.quick, as_json_only=options.json)


if __name__ == "__main__":
    sys.exit(main())
