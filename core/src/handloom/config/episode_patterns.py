"""Episodes found by a pattern: `[episodes."*"]` stands for one episode of each file or folder that fits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from handloom.config.document import Document, Key, Origin
from handloom.config.paths import path_fault

ANY = "*"
"""The name that stands for as many episodes as there are matches."""


def with_matched_episodes(document: Document) -> tuple[Document, list[str]]:
    """Put the episodes that patterns find into a document, beside those named one by one.

    A device's pattern, "recordings/session_*", makes an episode for each match, named after the part of the path
    that the last wildcard stands in, without a file's ending; devices with a pattern meet in the episode of the
    same name. A device without a wildcard is given to all of them: a tracker's file of the whole scene. What an
    episode named by hand says of a device counts before the pattern. An episode that the scene keeps stays one
    when nothing fits it any more: cards are wiped.

    Returns:
        The document with the episodes in order of their names, and a sentence for each mistake.
    """
    key = ("episodes", ANY)
    table = document.tables.get("episodes", {})
    if not isinstance(table, Mapping) or ANY not in table:
        return document, []
    patterns = table[ANY]
    if not isinstance(patterns, Mapping):
        return document, [document.problem(key, f"{patterns!r}; expected a table of devices and patterns.")]
    kept = _kept(document)
    found, problems = _found(document, patterns, may_be_empty=bool(kept))
    if problems:
        return document, problems
    found = {**{name: {} for name in kept if name not in table}, **found}
    shared = {device: value for device, value in patterns.items() if not _is_pattern(value)}
    episodes = {name: {**shared, **devices} for name, devices in sorted(found.items())}
    return _replaced(document, table, episodes), []


def _kept(document: Document) -> list[str]:
    """Return the names of the episodes that the scene holds already, sorted; none where there is no scene."""
    scene = document.tables.get("scene")
    store = scene.get("store") if isinstance(scene, Mapping) else None
    if not isinstance(store, str) or path_fault(store):
        return []
    folder = document.origin_of(("scene", "store")).path(store) / "episodes"
    return sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def _is_pattern(value: Any) -> bool:
    return isinstance(value, str) and any(mark in value for mark in "*?")


def _found(
    document: Document, patterns: Mapping[str, Any], *, may_be_empty: bool
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Return by episode and device the path that fits, and what is wrong with the patterns."""
    found: dict[str, dict[str, Any]] = {}
    problems = []
    if not any(map(_is_pattern, patterns.values())):
        example = 'session = "recordings/session_*"'
        problems.append(
            document.problem(("episodes", ANY), f"holds no pattern; expected one of a device at least: {example}.")
        )
    for device, pattern in patterns.items():
        if not _is_pattern(pattern):
            continue
        key = ("episodes", ANY, device)
        whole = document.origin_of(key).path(pattern)
        if "**" in pattern:
            message = f"'{pattern}' holds '**'; a wildcard stands for one part of a path: write '*/*' for two."
            problems.append(document.problem(key, message))
            continue
        matches = _matches(whole)
        if not matches and not may_be_empty:
            problems.append(document.problem(key, f"'{pattern}' fits nothing: there is no {whole}."))
        for path in matches:
            name = _name(whole, path)
            if device in found.setdefault(name, {}):
                message = f"'{pattern}' fits {found[name][device]} and {path}, both of episode '{name}'."
                problems.append(document.problem(key, message))
            found[name][device] = str(path)
    return found, problems


def _matches(pattern: Path) -> list[Path]:
    """Return what fits, sorted; hidden names only where the pattern spells them out."""
    root = Path(pattern.anchor)
    found = root.glob(str(pattern.relative_to(root)).replace("[", "[[]"))
    return sorted(path for path in found if _seen(pattern, path))


def _seen(pattern: Path, path: Path) -> bool:
    return all(
        not name.startswith(".") or name == part for name, part in zip(path.parts, pattern.parts, strict=True)
    )


def _name(pattern: Path, path: Path) -> str:
    """Return the part of a path that the last wildcard of its pattern stands in, without a file's ending."""
    place = max(number for number, part in enumerate(pattern.parts) if _is_pattern(part))
    is_file = place == len(pattern.parts) - 1 and path.is_file()
    return path.stem if is_file else path.parts[place]


def _replaced(document: Document, table: Mapping[str, Any], found: Mapping[str, Mapping[str, Any]]) -> Document:
    """Return the document with matched episodes in place of the pattern; each value stays where it was written."""
    origins: dict[Key, Origin] = dict(document.origins)
    episodes: dict[str, Any] = {}
    for name, devices in found.items():
        for device in devices:
            origins.setdefault(("episodes", name, device), document.origin_of(("episodes", ANY, device)))
        episodes[name] = {**devices, **_table(table.get(name))}
    named = {name: value for name, value in table.items() if name != ANY and name not in found}
    return attrs.evolve(document, tables={**document.tables, "episodes": {**named, **episodes}}, origins=origins)


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
