"""Pytest fixtures; load them with `pytest_plugins = ("handloom.testing.fixtures",)`.

They are no entry point of pytest: a suite that has nothing to do with Handloom shall not import it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib.metadata import Distribution
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from handloom.api import FAMILIES, hookimpl
from handloom.host import Host

Plugins = Mapping[str, type | str]
"""By kind: a component class, or the name of a plugin module."""


class _OnlyThese(Distribution):
    """A distribution that exists in memory and brings the given entry points."""

    def __init__(self, entry_points: str) -> None:
        self._files = {
            "METADATA": "Metadata-Version: 2.1\nName: only-these-plugins\nVersion: 0\n",
            "entry_points.txt": entry_points,
        }

    def read_text(self, filename: str) -> str | None:
        """Return a metadata file."""
        return self._files.get(filename)

    def locate_file(self, path: str | PathLike[str]) -> Path:
        """Return where a file would lie."""
        return Path(path)


@pytest.fixture
def only_these_plugins(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Host]:
    """Return a function that makes the given plugins the only ones there are, and answers a host of them.

    `only_these_plugins(sensors={"mine": MySensor}, exporters={"mcap": "handloom_exporters.mcap"})`. What is
    installed in the environment is not seen until the test ends.
    """

    def limit(**families: Plugins) -> Host:
        sections = [_section(family, plugins, monkeypatch) for family, plugins in sorted(families.items())]
        only = _OnlyThese("\n".join(sections))
        monkeypatch.setattr("handloom.host.discovery.distributions", lambda: (only,))
        return Host()

    return limit


def _section(family: str, plugins: Plugins, monkeypatch: pytest.MonkeyPatch) -> str:
    assert family in FAMILIES, f"'{family}' is no family; there are {', '.join(sorted(FAMILIES))}"
    lines = [f"[handloom.{family}]"]
    for kind, plugin in sorted(plugins.items()):
        target = plugin if isinstance(plugin, str) else _module_for(family, kind, plugin, monkeypatch)
        lines.append(f"{kind} = {target}")
    return "\n".join(lines)


def _module_for(family: str, kind: str, component: type, monkeypatch: pytest.MonkeyPatch) -> str:
    """Put a module in place that answers the class, as a plugin's own module would."""
    name = f"only_these_plugins_{family}_{kind}"
    module = ModuleType(name, f"Answers {component.__name__}.")

    def answer(kind: str) -> Any:
        return component

    answer.__name__ = FAMILIES[family]
    setattr(module, FAMILIES[family], hookimpl(answer))
    monkeypatch.setitem(sys.modules, name, module)
    return name
