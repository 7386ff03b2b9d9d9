"""Python, the platform, and which of our distributions and their extras are installed."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable
from importlib import metadata

import handloom
from handloom.cli.diagnosis.levels import Diagnosis, ok, problem, warning
from handloom.host.first_party import OURS
from handloom.host.requirements import requirements

TRIED = ((3, 11), (3, 12))
"""The versions of Python that our tests run on."""


def python(version: tuple[int, int] = sys.version_info[:2]) -> Diagnosis:
    """Look at the version of Python."""
    found = f"Python {version[0]}.{version[1]} at {sys.prefix}"
    tried = " and ".join(f"{major}.{minor}" for major, minor in TRIED)
    if version in TRIED:
        return ok("python", f"{found}.")
    return warning("python", f"{found}; Handloom is tested on {tried}.")


def machine(system: str = sys.platform) -> Diagnosis:
    """Look at the operating system."""
    found = f"{platform.platform(terse=True)} on {platform.machine()}, {os.cpu_count()} cores"
    if system.startswith("linux"):
        return ok("machine", f"{found}.")
    return warning("machine", f"{found}; recordings can be worked on here, the real-time loop needs Linux.")


def distributions() -> list[Diagnosis]:
    """Look at each of our own distributions: there or not, and of the core's version."""
    return [_distribution(name) for name in ("handloom", *sorted(OURS))]


def _distribution(name: str) -> Diagnosis:
    version = _version(name)
    if version == handloom.__version__:
        return ok(name, f"version {version}.")
    if version is not None:
        return problem(
            name,
            f"version {version} beside handloom {handloom.__version__}; our distributions go together by version. "
            f"Run: pip install 'handloom=={handloom.__version__}' '{name}=={handloom.__version__}'",
        )
    if name == "handloom":
        return problem(name, "it runs from a folder and is not installed. Run: pip install handloom")
    return ok(name, f"not installed; when you need it: pip install {name}")


def extras(names: Iterable[str] = ("handloom", *OURS)) -> list[Diagnosis]:
    """Look at the extras of the installed distributions: what each brings is there or not."""
    return [
        _extra(name, extra)
        for name in sorted(names)
        for extra in sorted({need.extra for need in requirements(name)} - {""})
    ]


def _extra(name: str, extra: str) -> Diagnosis:
    # A need with a further condition, such as a Python version, may rightly be absent here.
    needs = [need for need in requirements(name) if need.extra == extra and not need.conditional]
    missing = sorted(need.project for need in needs if _version(need.project) is None)
    subject = f"{name}[{extra}]"
    if not missing:
        present = (f"{need.project} {_version(need.project)}" for need in needs)
        return ok(subject, f"{', '.join(present) or 'nothing to bring here'}.")
    return ok(subject, f"not installed ({', '.join(missing)}); when you need it: pip install '{subject}'")


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None
