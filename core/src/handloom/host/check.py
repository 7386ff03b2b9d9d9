"""Import every plugin, each distribution in a process of its own, and name the ones that break and why."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import NamedTuple

from handloom.host.child import ask_child, ending
from handloom.host.discovery import Found, Unreadable, unreadable
from handloom.host.host import clash

TIME_LIMIT_S = 120.0
"""How long the plugins of one distribution may take to import; torch on a cold disk takes tens of seconds."""


class Finding(NamedTuple):
    """What the check found out about one plugin.

    Attributes:
        family: The plugin's family; "" for a distribution that can't be read at all.
        kind: Its kind.
        distribution: Who brings it.
        version: The distribution's version.
        summary: The component's own line; "" when it could not be asked.
        problem: Sentences that say what is wrong and what to do; "" when all is well.
    """

    family: str
    kind: str
    distribution: str
    version: str
    summary: str = ""
    problem: str = ""


def check(found: Iterable[Found], progress: Callable[[float], None] | None = None) -> tuple[Finding, ...]:
    """Check plugins and the metadata of the distributions; whatever a plugin does, it can't end the check.

    Args:
        found: The plugins to check.
        progress: Told the share done after each distribution.
    """
    plugins = sorted(found, key=lambda plugin: (plugin.distribution, plugin))
    findings: list[Finding] = [_of_unreadable(item) for item in unreadable()]
    groups = [list(group) for _, group in groupby(plugins, key=lambda plugin: plugin.distribution)]
    # The threads only wait, each for a process of its own.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, checked in enumerate(pool.map(_check_distribution, groups), start=1):
            findings += checked
            if progress:
                progress(done / len(groups))
    return tuple(sorted(_with_clashes(findings)))


def _check_distribution(plugins: list[Found]) -> list[Finding]:
    """Probe one after the other in one process; when it dies, blame the plugin it was at and go on after that."""
    findings: list[Finding] = []
    while len(findings) < len(plugins):
        rest = plugins[len(findings) :]
        results, end = ask_child("handloom.host.probe", rest, time_limit_s=TIME_LIMIT_S)
        findings += [_finding(plugin, **result) for plugin, result in zip(rest, results, strict=False)]
        if len(results) < len(rest):
            culprit = rest[len(results)]
            findings.append(_finding(culprit, problem=_death(culprit, end)))
    return findings


def _finding(plugin: Found, *, summary: str = "", problem: str = "") -> Finding:
    return Finding(plugin.family, plugin.kind, plugin.distribution, plugin.version, summary, problem)


def _death(plugin: Found, end: int | None) -> str:
    return (
        f"{plugin.describe()} {ending(end, time_limit_s=TIME_LIMIT_S)} when it is imported. "
        f"Run: pip install --upgrade {plugin.distribution}, or pip uninstall {plugin.distribution}."
    )


def _of_unreadable(item: Unreadable) -> Finding:
    problem = (
        f"The metadata of {item.distribution} can't be read ({item.problem}), so its plugins are not seen; "
        f"reinstall it with pip install --force-reinstall."
    )
    return Finding("", "", item.distribution, "", problem=problem)


def _with_clashes(findings: list[Finding]) -> list[Finding]:
    by_name: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        by_name.setdefault((finding.family, finding.kind), []).append(finding)
    return [_with_clash(finding, by_name[finding.family, finding.kind]) for finding in findings]


def _with_clash(finding: Finding, same_name: list[Finding]) -> Finding:
    if not finding.kind or len(same_name) == 1:
        return finding
    sides = (Found(side.family, side.kind, "", side.distribution, side.version) for side in same_name)
    return finding._replace(problem=f"{clash(sides)} {finding.problem}".rstrip())
