"""TOML files joined by `include` into one document that remembers which file every value came from."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from handloom.errors import ConfigError

Key = tuple[str, ...]


@attrs.frozen(kw_only=True)
class Origin:
    """Where a value was written.

    Attributes:
        label: What to call the place: a file as the user named it, or "--set".
        folder: The folder that relative paths written there are relative to.
    """

    label: str
    folder: Path

    def path(self, name: str) -> Path:
        """Return the path that a name written there means, without "..": links are left as they are."""
        return Path(os.path.normpath(self.folder / name))


@attrs.frozen(kw_only=True)
class Document:
    """A merged configuration.

    Attributes:
        origin: The file asked for.
        tables: Plain nested values, includes already merged in.
        origins: For the key of every leaf, where it was written.
    """

    origin: Origin
    tables: Mapping[str, Any]
    origins: Mapping[Key, Origin]

    def origin_of(self, key: Key) -> Origin:
        """Return where a value, or the last written part of a table, comes from."""
        if key in self.origins:
            return self.origins[key]
        inside = [origin for leaf, origin in self.origins.items() if leaf[: len(key)] == key]
        if inside:
            return inside[-1]
        return self.origin_of(key[:-1]) if key else self.origin

    def problem(self, key: Key, message: str) -> str:
        """Return one mistake as `file: block.name.key: message`."""
        return f"{self.origin_of(key).label}: {dotted(key)}: {message}"

    def table(self, key: Key, problems: list[str]) -> Mapping[str, Any]:
        """Return the table at a key; an empty one where there is none.

        Args:
            key: Of the table, from the top of the document.
            problems: Gets a sentence, once, where a value stands in the place of the table or of one around it.
        """
        found: Any = self.tables
        for place, name in enumerate(key):
            found = found.get(name, {})
            if not isinstance(found, Mapping):
                told = self.problem(key[: place + 1], f"{found!r}; expected a table.")
                if told not in problems:
                    problems.append(told)
                return {}
        table: Mapping[str, Any] = found
        return table

    def to_json(self) -> dict[str, Any]:
        """Return the document as JSON values, for a worker process."""
        return {
            "origin": [self.origin.label, str(self.origin.folder)],
            "leaves": [
                [list(key), value, origin.label, str(origin.folder)]
                for key, value in leaves(self.tables)
                for origin in [self.origin_of(key)]
            ],
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Document:
        """Read what `to_json` wrote."""
        tables: dict[str, Any] = {}
        origins: dict[Key, Origin] = {}
        for key, value, label, folder in values["leaves"]:
            _put(tables, tuple(key), value)
            origins[tuple(key)] = Origin(label=label, folder=Path(folder))
        label, folder = values["origin"]
        return cls(origin=Origin(label=label, folder=Path(folder)), tables=tables, origins=origins)


def dotted(key: Key) -> str:
    """Write a key as TOML does, quoting the parts that need it."""
    return ".".join(part if _is_bare(part) else f'"{part}"' for part in key)


def leaves(tables: Mapping[str, Any], prefix: Key = ()) -> Iterator[tuple[Key, Any]]:
    """Yield every value that is not a table, and every empty table, with its key."""
    for name, value in tables.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, (*prefix, name))
        else:
            yield (*prefix, name), value


def load_document(path: Path, overrides: Iterable[str] = ()) -> Document:
    """Read a file, what it includes, and overrides.

    Args:
        path: The TOML file.
        overrides: `block.name.key=value` each; the value is TOML, or taken as a string where it is not.

    Raises:
        ConfigError: A file is missing, is not TOML, or includes itself; or an override is not one.
    """
    tables: dict[str, Any] = {}
    origins: dict[Key, Origin] = {}
    problems: list[str] = []
    _read_into(tables, origins, path, (), problems)
    for text in overrides:
        _override(tables, origins, text, problems)
    if problems:
        raise ConfigError(problems)
    return Document(origin=_file_origin(path), tables=tables, origins=origins)


def _is_bare(part: str) -> bool:
    return bool(part) and all(char.isascii() and (char.isalnum() or char in "-_") for char in part)


def _file_origin(path: Path) -> Origin:
    return Origin(label=str(path), folder=path.absolute().parent)


def _read_into(
    tables: dict[str, Any],
    origins: dict[Key, Origin],
    path: Path,
    includers: tuple[Path, ...],
    problems: list[str],
) -> None:
    if path.resolve() in includers:
        problems.append(f"{path}: include: the file includes itself; remove one of the two includes.")
        return
    content = _parse(path, problems)
    include = content.pop("include", [])
    if not isinstance(include, list) or not all(isinstance(name, str) for name in include):
        problems.append(f'{path}: include: {include!r}; expected a list of file names, like ["rig.toml"].')
        include = []
    for name in include:
        _read_into(tables, origins, path.parent / name, (*includers, path.resolve()), problems)
    _merge(tables, origins, content, _file_origin(path))


def _parse(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        problems.append(f"{path}: there is no such file; check the name, it is relative to the file that asks.")
    except (OSError, UnicodeDecodeError) as error:
        problems.append(f"{path}: can't be read: {error}.")
    except tomllib.TOMLDecodeError as error:
        problems.append(f"{path}: is not TOML: {error}.")
    return {}


def _merge(tables: dict[str, Any], origins: dict[Key, Origin], new: Mapping[str, Any], origin: Origin) -> None:
    for key, value in leaves(new):
        _drop(origins, key)
        _put(tables, key, value)
        origins[key] = origin


def _drop(origins: dict[Key, Origin], key: Key) -> None:
    """Forget the origins of what a new value at the key replaces: the value itself, its parts, or its parent."""
    for old in [old for old in origins if old[: len(key)] == key or key[: len(old)] == old]:
        del origins[old]


def _put(tables: dict[str, Any], key: Key, value: Any) -> None:
    *parents, last = key
    for name in parents:
        if not isinstance(tables.get(name), dict):
            tables[name] = {}
        tables = tables[name]
    if not (value == {} and isinstance(tables.get(last), dict)):
        tables[last] = {} if value == {} else value


def _override(tables: dict[str, Any], origins: dict[Key, Origin], text: str, problems: list[str]) -> None:
    name, equals, value = text.partition("=")
    try:
        key = parse_key(name)
    except tomllib.TOMLDecodeError:
        key = ()
    if not equals or not key:
        problems.append(f"--set: {text!r}; expected block.name.key=value.")
        return
    _drop(origins, key)
    _put(tables, key, _parse_value(value))
    origins[key] = Origin(label="--set", folder=Path.cwd())


def parse_key(name: str) -> Key:
    """Read a key as TOML has it, `block."odd name".key`.

    Raises:
        tomllib.TOMLDecodeError: It is not one.
    """
    ((key, _),) = list(leaves(tomllib.loads(f"{name} = 0")))
    return key


def _parse_value(value: str) -> Any:
    try:
        return tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return value
