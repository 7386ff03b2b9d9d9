"""Which plugins are installed, read from the metadata of the distributions; nothing is imported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, EntryPoint, EntryPoints, distributions
from typing import NamedTuple

GROUP = "handloom."
"""Entry-point groups are named `handloom.<family>`."""


class Found(NamedTuple):
    """One plugin as its distribution's metadata names it. A plain tuple, because listing must not import attrs.

    Attributes:
        family: What follows `handloom.` in the entry-point group: "sensors".
        kind: Name of the entry point; the `kind` in a configuration.
        target: The module that answers for the kind.
        distribution: Name of the distribution that brings it.
        version: The distribution's version.
    """

    family: str
    kind: str
    target: str
    distribution: str
    version: str

    def describe(self) -> str:
        """Name the plugin with all that is needed to find who brought it."""
        where = f"{self.distribution} {self.version}, module {self.target}"
        return f"Plugin '{self.kind}' of {self.family} ({where})"


class Unreadable(NamedTuple):
    """A distribution whose metadata can't be read, so that nobody knows whether it brings plugins.

    Attributes:
        distribution: Its name, or where it lies when it tells no name.
        problem: What went wrong, in the words of the reader that failed.
    """

    distribution: str
    problem: str


def discover() -> tuple[Found, ...]:
    """List the installed plugins, sorted, without importing any; unreadable distributions are left out."""
    return tuple(sorted({item for item in _scan() if isinstance(item, Found)}))


def unreadable() -> tuple[Unreadable, ...]:
    """List the distributions that `discover` had to leave out."""
    return tuple(sorted({item for item in _scan() if isinstance(item, Unreadable)}))


def normalized(distribution: str) -> str:
    """Return the name under which two spellings of a distribution are the same. Source: PEP 503."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _scan() -> Iterator[Found | Unreadable]:
    seen: set[str] = set()
    for distribution in distributions():
        try:
            found = _plugins_of(distribution)
        except Exception as error:  # noqa: BLE001  the metadata readers raise whatever the damage leads to
            yield Unreadable(_place(distribution), f"{type(error).__name__}: {error}")
            continue
        # As for imports, the first distribution of a name on sys.path hides the later ones.
        names = {normalized(plugin.distribution) for plugin in found}
        if not names & seen:
            yield from found
        seen |= names


def _plugins_of(distribution: Distribution) -> list[Found]:
    text = distribution.read_text("entry_points.txt")
    if not text or GROUP not in text:
        return []
    entry_points = EntryPoints(point for point in distribution.entry_points if point.group.startswith(GROUP))
    if not entry_points:
        return []
    told = distribution.metadata
    if "Name" not in told or "Version" not in told:
        raise ValueError("its METADATA tells no name or no version")
    return [_found(point, told["Name"], told["Version"]) for point in entry_points]


def _found(point: EntryPoint, name: str, version: str) -> Found:
    target = re.sub(r"\s*\[.*\]\s*$", "", point.value)
    return Found(point.group.removeprefix(GROUP), point.name, target, name, version)


def _place(distribution: Distribution) -> str:
    path = getattr(distribution, "_path", None)
    return getattr(path, "name", None) or "a distribution without a name"
