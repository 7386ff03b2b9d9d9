"""The process in which `check` imports plugins: reads them from stdin, writes a JSON line for each to a file."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from handloom.errors import PluginError
from handloom.host.discovery import Found
from handloom.host.loading import ask, open_module


def main(answers: Path) -> None:
    """Import the plugins one by one; each answer is on disk before the next import begins."""
    plugins = [Found(*fields) for fields in json.load(sys.stdin)]
    with answers.open("w", encoding="utf-8") as file:
        for plugin in plugins:
            file.write(json.dumps(_look_at(plugin)) + "\n")
            file.flush()


def _look_at(plugin: Found) -> dict[str, str]:
    try:
        component = ask(plugin, open_module(plugin))
    except PluginError as error:
        return {"problem": str(error)}
    return {"summary": _summary(component)}


def _summary(component: object) -> str:
    text = getattr(component, "summary", "") or getattr(component, "__doc__", None) or ""
    return str(text).strip().partition("\n")[0]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
    os._exit(0)  # not held up by threads that a plugin started
