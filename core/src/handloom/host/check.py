"""Import every plugin, each distribution in a process of its own, and name the ones that break and why."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

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
        results, end = _probe(rest)
        findings += [_finding(plugin, **result) for plugin, result in zip(rest, results, strict=False)]
        if len(results) < len(rest):
            culprit = rest[len(results)]
            findings.append(_finding(culprit, problem=_death(culprit, end)))
    return findings


def _probe(plugins: list[Found]) -> tuple[list[dict[str, str]], int | None]:
    """Run the probe; return a result for each plugin it got through, and its exit status, None when stopped."""
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.jsonl"
        command = [sys.executable, "-P", "-m", "handloom.host.probe", str(answers)]
        try:
            end = subprocess.run(
                command,
                input=json.dumps(plugins).encode(),
                env={**os.environ, "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=TIME_LIMIT_S,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            end = None
        lines = answers.read_text("utf-8").splitlines() if answers.exists() else []
    return [json.loads(line) for line in lines], end


def _finding(plugin: Found, *, summary: str = "", problem: str = "") -> Finding:
    return Finding(plugin.family, plugin.kind, plugin.distribution, plugin.version, summary, problem)


def _death(plugin: Found, end: int | None) -> str:
    if end is None:
        how = f"does not finish importing within {TIME_LIMIT_S:g} s"
    elif end < 0:
        how = f"kills the process with {_signal_name(-end)}"
    else:
        how = f"ends the process with exit status {end}"
    return (
        f"{plugin.describe()} {how} when it is imported. Run: pip install --upgrade {plugin.distribution}, "
        f"or pip uninstall {plugin.distribution}."
    )


def _signal_name(number: int) -> str:
    return next((known.name for known in signal.Signals if known == number), f"signal {number}")


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
