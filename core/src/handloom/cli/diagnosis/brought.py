"""What the distributions find when they look at themselves: the entry points of `handloom.diagnoses`."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from handloom.cli.diagnosis.levels import Diagnosis, problem
from handloom.host import Found
from handloom.host.child import ask_child, ending

TIME_LIMIT_S = 60.0
"""How long one may look."""


def brought(found: Iterable[Found], time_limit_s: float = TIME_LIMIT_S) -> list[Diagnosis]:
    """Ask every installed diagnosis in a process of its own, so that one that fails costs no other anything."""
    plugins = sorted(plugin for plugin in found if plugin.family == "diagnoses")
    # The threads only wait, each for a process of its own.
    with ThreadPoolExecutor(max_workers=4) as pool:
        answers = pool.map(lambda plugin: _of(plugin, time_limit_s), plugins)
        return [finding for answer in answers for finding in answer]


def _of(plugin: Found, time_limit_s: float) -> list[Diagnosis]:
    lines, end = ask_child("handloom.cli.diagnosis.asking", plugin, time_limit_s=time_limit_s)
    if end == 0:
        return [Diagnosis(*line) for line in lines]
    how = ending(end, time_limit_s=time_limit_s)
    upgrade = f"Run: pip install --upgrade {plugin.distribution}, or pip uninstall {plugin.distribution}."
    return [problem(plugin.kind, f"{plugin.describe()} {how} when it is asked. {upgrade}")]
