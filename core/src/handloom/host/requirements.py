"""What an installed distribution says it needs, for itself and for each of its extras."""

from __future__ import annotations

import re
from importlib import metadata
from typing import NamedTuple


class Requirement(NamedTuple):
    """One line of `Requires-Dist`. Source: the core metadata specification of PyPA.

    Attributes:
        project: Name of the needed project.
        text: What `pip install` understands: name, extras and versions, without the condition.
        extra: The extra it belongs to; "" when the distribution always needs it.
        conditional: It has another condition besides, such as a Python version.
    """

    project: str
    text: str
    extra: str
    conditional: bool


_PROJECT = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"""\s*extra\s*==\s*['"]([^'"]+)['"]\s*""")


def requirements(distribution: str) -> tuple[Requirement, ...]:
    """Read what a distribution needs; nothing for one that is not installed."""
    try:
        lines = metadata.requires(distribution) or []
    except metadata.PackageNotFoundError:
        return ()
    return tuple(_read(line) for line in lines if _PROJECT.match(line))


def _read(line: str) -> Requirement:
    text, _, marker = line.partition(";")
    project, extra = _PROJECT.match(text), _EXTRA.search(marker)
    assert project is not None
    rest = _EXTRA.sub("", marker, count=1).strip()
    return Requirement(project[0], text.strip(), extra[1] if extra else "", bool(rest))
