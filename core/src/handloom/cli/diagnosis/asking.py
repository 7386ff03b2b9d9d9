"""The process in which one distribution looks at itself: a plugin on stdin, its findings into a file."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, get_args

from handloom.api import Diagnosis
from handloom.api.diagnosis import Level
from handloom.cli.diagnosis.levels import problem
from handloom.errors import PluginError
from handloom.host import Found, Host


def main(answers: Path) -> None:
    """Ask, and write one line for each finding."""
    findings = ask(Found(*json.load(sys.stdin)))
    answers.write_text("".join(f"{json.dumps(finding)}\n" for finding in findings), encoding="utf-8")


def ask(plugin: Found) -> list[Diagnosis]:
    """Return what a plugin finds; nothing of one that can't be loaded, which the doctor's other check names."""
    try:
        look = Host([plugin]).load(plugin.family, plugin.kind).component
    except PluginError:
        return []
    try:
        return [_checked(finding) for finding in look()]
    except Exception as error:  # noqa: BLE001  whatever a plugin raises is told, and costs the others nothing
        said = f"{plugin.describe()} fails in its function: {type(error).__name__}: {error}".rstrip(".")
        return [problem(plugin.kind, f"{said}. Run: pip install --upgrade {plugin.distribution}.")]


def _checked(finding: Any) -> Diagnosis:
    level, subject, sentence = finding
    if level not in get_args(Level):
        raise ValueError(f"it finds {finding!r}; the levels are {', '.join(get_args(Level))}")
    return Diagnosis(level, str(subject), str(sentence))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    os._exit(0)  # not held up by threads that a plugin started
