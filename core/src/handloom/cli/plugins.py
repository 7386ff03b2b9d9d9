"""`handloom plugins`: which plugins are installed, and with --check whether each keeps its contract."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from handloom.cli.commands import BUILT_IN
from handloom.cli.json_output import add_json_argument, print_json
from handloom.cli.progress import bar
from handloom.cli.table import columns
from handloom.host import Found, Host, unreadable

if TYPE_CHECKING:
    from handloom.host.check import Finding

_NONE = "No plugins are installed. For a start: pip install handloom-sensors handloom-exporters"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--check", action="store_true", help="import each one and name the broken ones, and the fix"
    )
    add_json_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """List or check; 1 when the check finds a broken plugin."""
    if arguments.check:
        return _check(as_json=arguments.json)
    _list(Host().found, as_json=arguments.json)
    return 0


def _list(found: Sequence[Found], *, as_json: bool) -> None:
    for item in unreadable():
        print(f"The metadata of {item.distribution} can't be read; see: handloom plugins --check", file=sys.stderr)
    if as_json:
        print_json([plugin._asdict() for plugin in found])
    elif found:
        head = ("FAMILY", "KIND", "DISTRIBUTION", "VERSION")
        print(columns([head, *((p.family, p.kind, p.distribution, p.version) for p in found)]))
    else:
        print(_NONE)


def _check(*, as_json: bool) -> int:
    with bar("Importing every plugin") as progress:
        findings = [_with_shadow(finding) for finding in Host().check(progress)]
    if as_json:
        print_json([_as_json(finding) for finding in findings])
    else:
        _print_findings(findings)
    return 1 if any(finding.problem for finding in findings) else 0


def _as_json(finding: Finding) -> dict[str, Any]:
    return {**finding._asdict(), "ok": not finding.problem}


def _print_findings(findings: Sequence[Finding]) -> None:
    if not findings:
        print(_NONE)
        return
    head = ("", "FAMILY", "KIND", "DISTRIBUTION", "VERSION", "SUMMARY")
    print(columns([head, *(_row(finding) for finding in findings)]))
    broken = [finding.problem for finding in findings if finding.problem]
    for problem in dict.fromkeys(broken):
        print(f"\n{problem}")
    print(f"\n{len(findings) - len(broken)} of {len(findings)} plugins are ready for use.")


def _row(finding: Finding) -> tuple[str, ...]:
    state = "broken" if finding.problem else "ok"
    return (state, finding.family, finding.kind, finding.distribution, finding.version, finding.summary)


def _with_shadow(finding: Finding) -> Finding:
    if finding.family != "commands" or finding.kind not in BUILT_IN:
        return finding
    problem = (
        f"Command '{finding.kind}' of {finding.distribution} {finding.version} has the name of a built-in one; "
        f"it is reached as `handloom {finding.distribution}:{finding.kind}`."
    )
    return finding._replace(problem=f"{problem} {finding.problem}".rstrip())
