"""Whether the installed plugins keep their contracts."""

from __future__ import annotations

from collections.abc import Callable

from handloom.cli.diagnosis.levels import Diagnosis, ok, problem, warning
from handloom.host import Host


def plugins(host: Host, progress: Callable[[float], None] | None = None) -> list[Diagnosis]:
    """Import every plugin and count; a problem for each broken one."""
    findings = host.check(progress)
    if not findings:
        return [warning("plugins", "none installed. For a start: pip install handloom-sensors handloom-exporters")]
    broken = [finding for finding in findings if finding.problem]
    counted = ok("plugins", f"{len(findings) - len(broken)} of {len(findings)} are ready for use.")
    sentences = dict.fromkeys(finding.problem for finding in broken)
    return [counted, *(problem("plugin", sentence) for sentence in sentences)]
